// The dictionary of tags that reader and writer keep alike, block by block: 127 places; when it is full, a
// new tag takes the place of the one that was not used for longest.
//
// `Text` is how a tag is kept: a view of the block for who reads, a copy for who writes. Source:
// docs/formats/hfile.md. Not here: its form on disk (tag_reader.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery::hfile {

template <typename Text>
class TagDictionary {
 public:
  static constexpr std::size_t kPlaces = 127;

  void clear() {
    count_ = 0;
    now_ = 0;
  }
  void add(std::string_view tag) {
    std::size_t place = count_;
    if (count_ < kPlaces) {
      ++count_;
    } else {
      place = static_cast<std::size_t>(std::ranges::min_element(used_at_) - used_at_.begin());
    }
    tags_[place] = tag;
    used_at_[place] = ++now_;
  }
  // The tag of a number; empty when there is none.
  std::string_view use(std::size_t number) {
    if (number >= count_) {
      return {};
    }
    used_at_[number] = ++now_;
    return tags_[number];
  }
  // The number of a tag, which counts as a use; nothing when it is not there.
  std::optional<std::size_t> find(std::string_view tag) {
    const auto end = tags_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found = std::find(tags_.begin(), end, tag);
    if (found == end) {
      return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(found - tags_.begin());
    used_at_[number] = ++now_;
    return number;
  }

 private:
  std::array<Text, kPlaces> tags_;
  std::array<std::uint64_t, kPlaces> used_at_{};
  std::size_t count_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace bloomery::hfile
