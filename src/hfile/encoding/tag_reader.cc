#include "hfile/encoding/tag_reader.h"

#include "hfile/encoding/flat_cell.h"

namespace bloomery::hfile {
namespace {

constexpr std::uint8_t kNew = 0xff;

}  // namespace

bool TagReader::read_by_dictionary(ByteReader& reader, std::size_t size) {
  plain_.clear();
  while (plain_.size() < size && !reader.failed()) {
    const auto first = reader.number<std::uint8_t>();
    std::string_view tag;
    if (first == kNew) {
      tag = reader.bytes(reader.compressed_int());
      dictionary_->add(tag);
    } else {
      tag = dictionary_->use(static_cast<std::size_t>(first) << 8 | reader.number<std::uint8_t>());
    }
    if (tag.empty() || tag.size() + 2 > size - plain_.size()) {
      return false;
    }
    plain_ += static_cast<char>(tag.size() >> 8);
    plain_ += static_cast<char>(tag.size());
    plain_ += tag;
  }
  return plain_.size() == size;
}

bool TagReader::read(ByteReader& reader, std::string_view& tags) {
  const std::size_t size = reader.compressed_int();
  if (size > kMaxTagsBytes) {
    return false;
  }
  if (!dictionary_) {
    tags = reader.bytes(size);
    return true;
  }
  const bool whole = read_by_dictionary(reader, size);
  tags = plain_;
  return whole;
}

}  // namespace bloomery::hfile
