// A file damaged in every way that is one byte or one cut.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bloomery {

enum class Flips { kAll, kOneInTurn };

// What byte `at` is flipped with: all, the lowest and the highest of its bits; or one of these, in turn.
inline std::span<const int> flips_of(std::size_t at, Flips flips) {
  static constexpr std::array kFlips = {0xff, 0x01, 0x80};
  return flips == Flips::kAll ? std::span(kFlips) : std::span(kFlips).subspan(at % kFlips.size(), 1);
}

// Calls use(damaged, what) for the file with each byte in turn flipped.
template <typename Use>
void for_each_flip(std::string_view file, Use use, Flips flips = Flips::kAll) {
  std::string damaged(file);
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int mask : flips_of(i, flips)) {
      damaged[i] = static_cast<char>(file[i] ^ mask);
      use(std::as_const(damaged), "byte " + std::to_string(i) + " ^ " + std::to_string(mask));
    }
    damaged[i] = file[i];
  }
}

// Calls use(cut, what) for every front of the file that is not all of it.
template <typename Use>
void for_each_cut(std::string_view file, Use use) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    use(std::string(file.substr(0, size)), "cut to " + std::to_string(size));
  }
}

}  // namespace bloomery
