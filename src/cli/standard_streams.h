// The process's standard input, output and error. Each may be closed or full, or its reader may have ended.
#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace bloomery::cli {

// Keeps files that are opened later from getting the descriptors 0, 1 and 2. Afterwards, reading or writing a
// stream that was closed is an error, and messages to a closed stderr are lost. Must be called first.
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
