#include "hfile/encoding/tag_writer.h"

#include <algorithm>

namespace bloomery::hfile {

std::optional<std::size_t> TagWriter::find(std::string_view tag) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (tags_[i] == tag) {
      used_at_[i] = ++now_;
      return i;
    }
  }
  return std::nullopt;
}

void TagWriter::add(std::string_view tag) {
  std::size_t place = count_;
  if (count_ < kPlaces) {
    ++count_;
  } else {
    place = static_cast<std::size_t>(std::ranges::min_element(used_at_) - used_at_.begin());
  }
  tags_[place] = tag;
  used_at_[place] = ++now_;
}

void TagWriter::write(ByteWriter& out, std::string_view tags) {
  constexpr std::uint8_t kNew = 0xff;
  out.compressed_int(tags.size());
  if (form_ == Form::kPlain) {
    out.append(tags);
    return;
  }
  while (!tags.empty()) {
    const std::size_t size = load_big16(reinterpret_cast<const std::byte*>(tags.data()));
    const std::string_view tag = tags.substr(2, size);
    tags.remove_prefix(2 + size);
    if (const auto place = find(tag)) {
      out.number(static_cast<std::uint16_t>(*place));
    } else {
      out.number(kNew);
      out.compressed_int(tag.size());
      out.append(tag);
      add(tag);
    }
  }
}

}  // namespace bloomery::hfile
