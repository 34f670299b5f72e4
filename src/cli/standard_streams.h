// Standard input, output and error of the process, which may be closed, full or gone.
#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace bloomery::cli {

// Keeps the numbers 0, 1 and 2 from files that are opened later: what is closed answers every read and write
// with an error from now on, and what is said on standard error is lost. To be called first.
void hold_standard_streams();

// Writes what waits for standard output; false where it, or what went before, could not be written.
bool flush_standard_output();

// Prints on standard error. What cannot be said there is lost: nobody is left to hear of it.
template <typename... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  (void)std::fputs(fmt::format(text, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace bloomery::cli
