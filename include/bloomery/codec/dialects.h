// The dialects this build knows, by name: open, recognise and make filters of other systems.
//
// A dialect is named NAME or NAME:OPTION[,OPTION...] ("guava", "guava:mitz32", "simple-java:bits=65536"). All
// functions are safe from any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
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

// In alphabetical order.
std::vector<DialectDescription> dialects();

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

// Returns the dialects that the bytes of a file may be of: the certain ones, else the possible ones. A format
// that any bytes could be of is never among them.
std::vector<RecognisedDialect> recognise_dialects(std::span<const std::byte> file);
// The same for the file `path`. Errors: kNotFound, kIo.
Result<std::vector<RecognisedDialect>> recognise_dialects(const std::string& path);

enum class DialectLock {
  kNone,
  kHeld,  // the file's lock, as long as the filter lives: for one that is saved over itself
};

// Opens the file `path`. Without a name it must be certain which dialect it is of: a wrong one would be a
// wrong no. Takes no more memory than the file has bytes (where it is compressed, than its filter).
//   Errors: kNotFound, kIo; kInvalidArgument for an unknown name or option, one that contradicts the file, or
//   none where the bytes do not tell (the candidates are named); kCorruption, kUnsupported, kCapacity.
Result<std::unique_ptr<DialectFilter>> open_dialect(const std::string& path, std::string_view dialect = {},
                                                    DialectLock lock = DialectLock::kNone);
// Opens bytes in memory, which must outlive the filter.
Result<std::unique_ptr<DialectFilter>> view_dialect(std::span<const std::byte> file,
                                                    std::string_view dialect = {});

// Begins a new filter. Errors: kInvalidArgument for an unknown name or option or an impossible plan;
// kUnsupported where filters of this dialect are only read; kCapacity.
Result<std::unique_ptr<DialectBuilder>> build_dialect(std::string_view dialect, const DialectPlan& plan);

}  // namespace bloomery
