// The exit statuses of the command, the same for every verb, and the messages that go with them.
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
  kUnsupported = 5,  // a file that may be whole, but has a version or a form that is not read here
  // By SIGINT. main() makes it 128 and the number of another signal: 143 for SIGTERM.
  kInterrupted = 130,
};

// Returns what to do about an error, to stand behind it: "; ...". Nothing unless it is about a checksum of bytes that are damaged.
std::string_view remedy_for(const Error& error);

// Prints "bloomery VERB: error", with its remedy, and returns the status for it.
int report(std::string_view verb, const Error& error);

// Returns the status of a run over several files: the graver of those of two of them. Damage is graver than a
// form that is not read, which is graver than trouble.
int graver(int first, int second);

// Warns if a filter has more keys than it was made for.
void warn_over_capacity(std::string_view verb, const AnyFilter& filter);
// The same for a filter of another system, if its file records both numbers.
void warn_over_capacity(std::string_view verb, const DialectFacts& facts);

// Returns what to do if more keys come in one generation of a window than it has room for. Keys that are read at once
// or from a backlog do: `build --window 1h` without -n has room for a quarter of them in the generation that takes all.
std::string remedy_for_overfull(const WindowedFilter& filter);

// Errors: kInvalidArgument for a part of a ribbon. It would answer maybe to every key of the other parts.
Status check_whole(const AnyFilter& filter, const std::string& name);

// Prints "bloomery VERB: text".
void warn(std::string_view verb, std::string_view text);

}  // namespace bloomery::cli
