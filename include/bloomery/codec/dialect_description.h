// Describes a dialect to users: its name, its options, and how reliably its bytes are recognised.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/hash/key_form.h"

namespace bloomery {

// The parameter that decides a new filter's size.
enum class SizedBy {
  kCapacity,  // DialectPlan::capacity
  kKeys,      // the added keys, all collected before the filter is made
  kOption,    // the dialect's option, or a size that the format fixes; the plan is ignored
};

struct DialectDescription {
  std::string_view name;
  std::string_view options;  // one line: "mitz32|mitz64, k-old"; empty if there are none
  std::string_view summary;
  SizedBy sized_by;
  // The usual key form for text in this system.
  KeyForm usual_key_form;
  // A word of the option that sets the size, such as "bits="; the plan's fpp or bits per key is then
  // ignored. Empty if there is none.
  std::string_view size_word = {};
};

// Says how reliably bytes were recognised as a dialect.
enum class Recognition {
  kNo,       // the bytes are no filter of the dialect
  kMaybe,    // nothing contradicts the dialect, but other data could have these bytes too
  kCertain,  // a magic number, a checksum, or fields that agree by more than chance
};

struct RecognisedDialect {
  std::string name;  // with the option, if the bytes tell it
  Recognition recognition;
};

}  // namespace bloomery
