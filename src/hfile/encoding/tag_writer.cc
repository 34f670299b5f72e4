#include "hfile/encoding/tag_writer.h"

namespace bloomery::hfile {

void TagWriter::write(ByteWriter& out, std::string_view tags) {
  constexpr std::uint8_t kNewTag = 0xff;
  out.compressed_int(tags.size());
  if (!dictionary_) {
    out.append(tags);
    return;
  }
  while (!tags.empty()) {
    const std::size_t size = load_big16(reinterpret_cast<const std::byte*>(tags.data()));
    const std::string_view tag = tags.substr(2, size);
    tags.remove_prefix(2 + size);
    if (const auto place = dictionary_->find(tag)) {
      out.number(static_cast<std::uint16_t>(*place));
    } else {
      out.number(kNewTag);
      out.compressed_int(tag.size());
      out.append(tag);
      dictionary_->add(tag);
    }
  }
}

}  // namespace bloomery::hfile
