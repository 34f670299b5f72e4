#include "hfile/encoding/fast_diff_cells.h"

#include <algorithm>

namespace bloomery::hfile {

bool FastDiffDecoder::read_first(ByteReader& reader, EncodedState& state, std::size_t key_bytes,
                                 std::size_t value_bytes) {
  const std::string_view key = reader.bytes(key_bytes);
  state.value = reader.bytes(value_bytes);
  if (reader.failed() || key.size() < kKeyFixedBytes) {
    return false;
  }
  state.key = key;
  const std::size_t row_bytes = state.row_bytes();
  if (row_bytes > key.size() - kKeyFixedBytes) {
    return false;
  }
  const auto family_bytes = static_cast<unsigned char>(key[2 + row_bytes]);
  if (family_bytes > key.size() - kKeyFixedBytes - row_bytes) {
    return false;
  }
  family_ = key.substr(2 + row_bytes, std::size_t{1} + family_bytes);
  std::ranges::copy(key.substr(key.size() - kTimestampTypeBytes), end_.begin());
  return true;
}

bool FastDiffDecoder::read(ByteReader& reader, EncodedState& state) {
  const unsigned flag = reader.number<std::uint8_t>();
  const std::size_t key_bytes =
      (flag & kFastDiffSameKeyLength) != 0 ? state.key.size() : reader.compressed_int();
  const std::size_t value_bytes =
      (flag & kFastDiffSameValueLength) != 0 ? state.value.size() : reader.compressed_int();
  const std::size_t common = reader.compressed_int();
  if (state.is_first) {
    return flag == 0 && common == 0 && read_first(reader, state, key_bytes, value_bytes);
  }
  if (reader.failed() || !read_column_parts(reader, state, key_bytes, common, family_, state.key)) {
    return false;
  }
  const std::size_t shared = flag & kFastDiffSharedTimestampBytes;
  std::ranges::copy(reader.bytes(kTimestampBytes - shared),
                    end_.begin() + static_cast<std::ptrdiff_t>(shared));
  if ((flag & kFastDiffSameType) == 0) {
    end_.back() = static_cast<char>(reader.number<std::uint8_t>());
  }
  state.key.append(end_.data(), end_.size());
  if ((flag & kFastDiffSameValue) == 0) {
    state.value = reader.bytes(value_bytes);
  } else if (value_bytes != state.value.size()) {
    return false;
  }
  return !reader.failed();
}

}  // namespace bloomery::hfile
