#include "hfile/trailer_writer.h"

#include <algorithm>

#include "hfile/protobuf_writer.h"

namespace bloomery::hfile {
namespace {

constexpr std::uint32_t kVersion3Dot3 = 3 << 24 | 3;  // minor, major

}  // namespace

void append_trailer(ByteWriter& out, const Trailer& trailer) {
  ByteWriter message;
  append_integer_field(message, 1, trailer.file_info_offset);
  append_integer_field(message, 2, trailer.load_on_open_offset);
  append_integer_field(message, 3, trailer.data_index_bytes);
  append_integer_field(message, 4, trailer.uncompressed_bytes);
  append_integer_field(message, 5, trailer.data_index_count);
  append_integer_field(message, 6, trailer.meta_index_count);
  append_integer_field(message, 7, trailer.entry_count);
  append_integer_field(message, 8, trailer.data_index_levels);
  append_integer_field(message, 9, trailer.first_data_block_offset.value_or(kNoOffset));
  append_integer_field(message, 10, trailer.last_data_block_offset.value_or(kNoOffset));
  append_bytes_field(message, 11, trailer.comparator);
  append_integer_field(message, 12, static_cast<std::uint8_t>(trailer.compression));

  const std::size_t begin = out.size();
  out.append(kTrailerMagic);
  append_delimited(out, message.text());
  const std::size_t padding = begin + kMaxTrailerBytes - 4 - out.size();
  std::fill_n(out.extend(padding), padding, std::byte{0});
  out.number(kVersion3Dot3);
}

}  // namespace bloomery::hfile
