// The dictionary of tags that reader and writer build identically in every block. It has 127 slots. If all
// are used, a new tag replaces the least recently used one.
//
// `Text` is the stored form of a tag: a reader stores a view of the block, a writer a copy. Source: HBase's
// TagCompressionContext, which makes an LRUDictionary of 127 entries; docs/formats/hfile.md. tag_reader.h has
// the form on disk.
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
  // Returns the tag with this number, which counts as a use. Returns an empty text if there is none.
  std::string_view use(std::size_t number) {
    if (number >= count_) {
      return {};
    }
    used_at_[number] = ++now_;
    return tags_[number];
  }
  // Returns the number of the tag, which counts as a use. Returns nothing if the tag is not in the
  // dictionary.
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
