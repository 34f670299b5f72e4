// A Window says how far back a filter remembers, as a number of keys or a time, in generations.
//
// Example:
//    const Window keys_window = Window::keys(1'000'000);              // the last million inserts
//    const Window time_window = Window::time(std::chrono::minutes(5));
//
// A window of length W has G generations of g = ceil(W / G) each. A key is remembered for at least W after
// its last insert, and for at most (G + 1) g. If G divides W this is W and one generation. With more
// generations keys expire closer to W, but a query reads more tables.
#pragma once

#include <chrono>
#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

// These numbers are in files since format version 1; never renumber them.
enum class WindowKind : std::uint32_t {
  kCount = 1,  // W keys: every insert counts, even if the key is in
  kAge = 2,    // W nanoseconds
};

inline constexpr std::uint32_t kMaxGenerations = 64;
inline constexpr std::uint32_t kUsualGenerations = 4;
inline constexpr std::uint64_t kMaxWindow = std::uint64_t{1} << 62;  // 146 years

struct Window {
  WindowKind kind = WindowKind::kCount;
  std::uint64_t length = 0;                       // W: G to kMaxWindow
  std::uint32_t generations = kUsualGenerations;  // G: 1 to kMaxGenerations

  static Window keys(std::uint64_t count, std::uint32_t generations = kUsualGenerations) {
    return {.kind = WindowKind::kCount, .length = count, .generations = generations};
  }
  // Converts a negative time to 0, which no filter accepts.
  static Window time(std::chrono::nanoseconds length, std::uint32_t generations = kUsualGenerations) {
    return {.kind = WindowKind::kAge,
            .length = length.count() < 0 ? 0 : static_cast<std::uint64_t>(length.count()),
            .generations = generations};
  }

  // Return g, and the maximal time that a key is remembered. Precondition: check_window() accepts the
  // window.
  std::uint64_t generation_length() const { return (length - 1) / generations + 1; }
  std::uint64_t remembered_at_most() const { return generation_length() * (generations + 1); }

  friend bool operator==(const Window&, const Window&) = default;
};

// Errors: kInvalidArgument if a field is out of its range.
Status check_window(const Window& window);

}  // namespace bloomery
