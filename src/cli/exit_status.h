// The exit statuses of all verbs, and the related messages.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"

namespace bloomery::cli {

enum ExitStatus : int {
  kDone = 0,         // success; query: at least one line was printed
  kNothing = 1,      // query: no line was printed
  kTrouble = 2,      // for example wrong arguments, a missing file, a full disk
  kDamaged = 3,      // damaged bytes, or bytes that are not a file of the expected kind
  kRefused = 4,      // refused by --strict, before anything was changed
  kUnsupported = 5,  // an unsupported version or form in a file that may be intact
  // Ended by SIGINT. For another signal, main() returns 128 plus the signal's number: 143 for SIGTERM.
  kInterrupted = 130,
};

// Returns the advice that is appended to an error ("; ..."). It is empty unless a checksum shows damage.
std::string_view remedy_for(const Error& error);

// Prints "bloomery VERB: error", with advice, and returns the error's exit status.
int report(std::string_view verb, const Error& error);

// Returns the more severe of two exit statuses, for a run over several files. Damage is more severe than an
// unsupported form, which is more severe than other trouble.
int graver(int first, int second);

// Errors: kInvalidArgument for a part of a ribbon, because it answers maybe to every key of the other parts.
Status check_whole(const AnyFilter& filter, const std::string& name);

// Prints "bloomery VERB: text".
void warn(std::string_view verb, std::string_view text);

}  // namespace bloomery::cli
