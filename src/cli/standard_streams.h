// Standard input, output and error of the process. Any of them may be closed or full, or its reader may
// have ended.
#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace bloomery::cli {

// Keeps later files from getting the numbers 0, 1 and 2. From now on a closed stream answers every read and
// write with an error, and messages to a closed stderr are lost. Must be called first.
void hold_standard_streams();

// Writes the buffered data of standard output. Returns false if that, or an earlier write, failed.
bool flush_standard_output();

// Discards all messages from now on.
void silence_standard_error();

// Prints on standard error. Ignores errors, because there is no other place to report them.
template <typename... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  (void)std::fputs(fmt::format(text, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace bloomery::cli
