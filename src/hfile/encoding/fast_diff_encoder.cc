#include "hfile/encoding/fast_diff_encoder.h"

#include <algorithm>

#include "hfile/encoding/column_part_writer.h"

namespace bloomery::hfile {
namespace {

constexpr unsigned kSameKeyLength = 8;
constexpr unsigned kSameValueLength = 0x10;
constexpr unsigned kSameType = 0x20;
constexpr unsigned kSameValue = 0x40;
constexpr std::size_t kMostSharedTimestampBytes = 7;

std::string_view timestamp_of(std::string_view flat_key) {
  return flat_key.substr(flat_key.size() - kTimestampTypeBytes, kTimestampBytes);
}

}  // namespace

void FastDiffKeyEncoder::add_value(ByteWriter& out, std::string_view value) {
  value_at_ = out.size();
  value_bytes_ = value.size();
  out.append(value);
}

void FastDiffKeyEncoder::add_first(ByteWriter& out, const KeyBytes& key, const Cell& cell) {
  out.number(std::uint8_t{0});
  out.compressed_int(key.flat().size());
  out.compressed_int(cell.value.size());
  out.compressed_int(0);
  out.append(key.flat());
  add_value(out, cell.value);
}

void FastDiffKeyEncoder::add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) {
  if (before == nullptr) {
    add_first(out, key, cell);
    return;
  }
  const std::string_view timestamp = timestamp_of(key.flat());
  const std::size_t shared_time =
      std::min(shared_front(timestamp, timestamp_of(before->flat())), kMostSharedTimestampBytes);
  auto flag = static_cast<unsigned>(shared_time);
  flag |= key.flat().size() == before->flat().size() ? kSameKeyLength : 0U;
  flag |= cell.value.size() == value_bytes_ ? kSameValueLength : 0U;
  flag |= key.key().type == before->key().type ? kSameType : 0U;
  flag |= out.text().substr(value_at_, value_bytes_) == cell.value ? kSameValue : 0U;
  out.number(static_cast<std::uint8_t>(flag));
  if ((flag & kSameKeyLength) == 0) {
    out.compressed_int(key.flat().size());
  }
  if ((flag & kSameValueLength) == 0) {
    out.compressed_int(cell.value.size());
  }
  const std::size_t shared = shared_column_bytes(key, *before);
  out.compressed_int(shared);
  write_column_parts(out, key, before, shared);
  out.append(timestamp.substr(shared_time));
  if ((flag & kSameType) == 0) {
    out.number(static_cast<std::uint8_t>(key.key().type));
  }
  if ((flag & kSameValue) == 0) {
    add_value(out, cell.value);
  }
}

}  // namespace bloomery::hfile
