#include "hfile/encoding/diff_cells.h"

#include <array>

namespace bloomery::hfile {
namespace {

// Reads a number of 1 to 8 bytes, little-endian. The flag has its size and sign.
std::uint64_t read_timestamp(ByteReader& reader, unsigned flag) {
  const std::size_t count = (flag >> 4 & 7) + 1;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{reader.number<std::uint8_t>()} << (8 * i);
  }
  return (flag & kDiffTimestampIsNegative) != 0 ? 0 - value : value;
}

}  // namespace

bool DiffDecoder::start(ByteReader& reader) {
  const auto size = reader.number<std::uint8_t>();
  family_.assign(1, static_cast<char>(size));
  family_.append(reader.bytes(size));
  timestamp_ = 0;
  type_ = 0;
  return !reader.failed();
}

bool DiffDecoder::read(ByteReader& reader, EncodedState& state) {
  const unsigned flag = reader.number<std::uint8_t>();
  const std::size_t key_bytes = (flag & kDiffSameKeyLength) != 0 ? state.key.size() : reader.compressed_int();
  const std::size_t value_bytes =
      (flag & kDiffSameValueLength) != 0 ? state.value.size() : reader.compressed_int();
  const std::size_t common = reader.compressed_int();
  constexpr unsigned kOfTheCellBefore =
      kDiffSameKeyLength | kDiffSameValueLength | kDiffSameType | kDiffTimestampDiffers;
  if (reader.failed() || (state.is_first && ((flag & kOfTheCellBefore) != 0 || common != 0)) ||
      !read_column_parts(reader, state, key_bytes, common, family_, state.key)) {
    return false;
  }
  const std::uint64_t timestamp = read_timestamp(reader, flag);
  timestamp_ = (flag & kDiffTimestampDiffers) != 0 ? timestamp_ - timestamp : timestamp;
  if ((flag & kDiffSameType) == 0) {
    type_ = static_cast<char>(reader.number<std::uint8_t>());
  }
  std::array<std::byte, kTimestampBytes> stored;
  store_big(stored.data(), timestamp_);
  state.key.append(reinterpret_cast<const char*>(stored.data()), stored.size());
  state.key += type_;
  state.value = reader.bytes(value_bytes);
  return !reader.failed();
}

}  // namespace bloomery::hfile
