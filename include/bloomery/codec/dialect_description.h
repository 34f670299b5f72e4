// A dialect as a user reads about it: its name, its options, and how far bytes tell that they are of it.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/hash/key_form.h"

namespace bloomery {

// What a filter's size follows from when it is made.
enum class SizedBy {
  kCapacity,  // DialectPlan::capacity
  kKeys,      // the keys that are added: all of them are collected before the filter is made
  kOption,    // its option, or a size that the format fixes: the plan is not looked at
};

struct DialectDescription {
  std::string_view name;
  std::string_view options;  // one line: "mitz32|mitz64, k-new"; empty for none
  std::string_view summary;
  SizedBy sized_by;
  // How text usually becomes the keys of this system.
  KeyForm usual_key_form;
};

// How far bytes tell that they are of a dialect.
enum class Recognition {
  kNo,       // they are not
  kMaybe,    // nothing contradicts it, but other bytes would look so too
  kCertain,  // magic, checksum, or fields that agree by more than chance
};

struct RecognisedDialect {
  std::string name;  // with the option, where the bytes tell it
  Recognition recognition;
};

}  // namespace bloomery
