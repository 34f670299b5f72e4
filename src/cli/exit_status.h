// The exit statuses of the command, the same for every verb, and the related messages.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/filter/any_filter.h"

namespace bloomery::cli {

enum ExitStatus : int {
  kDone = 0,         // done; query: at least one line was printed
  kNothing = 1,      // query: no line was printed
  kTrouble = 2,      // wrong arguments, missing files, a full disk
  kDamaged = 3,      // a file that is damaged, or whose bytes are no file of the kind
  kRefused = 4,      // refused under --strict, before anything was changed
  kUnsupported = 5,  // a file that may be intact, but has an unsupported version or form
  // Ended by SIGINT. For another signal, main() returns 128 plus its number: 143 for SIGTERM.
  kInterrupted = 130,
};

// Returns the advice to append to an error: "; ...". Empty unless a checksum shows that bytes are damaged.
std::string_view remedy_for(const Error& error);

// Prints "bloomery VERB: error", with its remedy, and returns the status for it.
int report(std::string_view verb, const Error& error);

// Returns the status of a run over several files: the more severe of two statuses. Damage is more severe
// than an unsupported form, which is more severe than trouble.
int graver(int first, int second);

// Warns if a filter has more keys than it was made for.
void warn_over_capacity(std::string_view verb, const AnyFilter& filter);
// Warns about a filter of another system, if its file records both numbers.
void warn_over_capacity(std::string_view verb, const DialectFacts& facts);

// Returns the advice for a window in which one generation received more keys than its share. This happens
// to keys that are read at once or from a backlog: `build --window 1h` without -n sizes for a quarter of
// them in a generation.
std::string remedy_for_overfull(const WindowedFilter& filter);

// Errors: kInvalidArgument for a part of a ribbon, which would answer maybe to every key of the other
// parts.
Status check_whole(const AnyFilter& filter, const std::string& name);

// Prints "bloomery VERB: text".
void warn(std::string_view verb, std::string_view text);

}  // namespace bloomery::cli
