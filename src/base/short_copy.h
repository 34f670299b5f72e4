// Copies and compares byte strings that are mostly short: the parts of a cell, a row. Up to 32 bytes need no
// call, only two overlapping loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bloomery {

// Copies `from` to `to`, which has room for it and does not overlap with it.
inline void copy_short(char* to, std::string_view from) {
  struct Word16 {
    std::uint64_t words[2];
  };
  const std::size_t size = from.size();
  const auto copy_ends = [&]<typename Word>(Word first) {
    Word last;
    std::memcpy(&first, from.data(), sizeof(Word));
    std::memcpy(&last, from.data() + size - sizeof(Word), sizeof(Word));
    std::memcpy(to, &first, sizeof(Word));
    std::memcpy(to + size - sizeof(Word), &last, sizeof(Word));
  };
  if (size > 2 * sizeof(Word16)) {
    std::memcpy(to, from.data(), size);
  } else if (size >= sizeof(Word16)) {
    copy_ends(Word16());
  } else if (size >= sizeof(std::uint64_t)) {
    copy_ends(std::uint64_t());
  } else if (size >= sizeof(std::uint32_t)) {
    copy_ends(std::uint32_t());
  } else if (size >= sizeof(std::uint16_t)) {
    copy_ends(std::uint16_t());
  } else if (size == 1) {
    *to = from.front();
  }
}

inline bool equal_short(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) {
    return false;
  }
  if (size < sizeof(std::uint64_t) || size > 4 * sizeof(std::uint64_t)) {
    return a == b;
  }
  const auto differ_at = [&](std::size_t at) {
    std::uint64_t left;
    std::uint64_t right;
    std::memcpy(&left, a.data() + at, sizeof(left));
    std::memcpy(&right, b.data() + at, sizeof(right));
    return left ^ right;
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t differences = differ_at(0) | differ_at(size - kWord);
  if (size > 2 * kWord) {
    differences |= differ_at(kWord) | differ_at(size - 2 * kWord);
  }
  return differences == 0;
}

// Makes `to` equal to `from`. Fastest if both have the same size.
inline void assign_short(std::string& to, std::string_view from) {
  if (to.size() != from.size()) {
    to.resize(from.size());
  }
  copy_short(to.data(), from);
}

}  // namespace bloomery
