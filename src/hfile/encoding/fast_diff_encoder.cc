#include "hfile/encoding/fast_diff_encoder.h"

#include <algorithm>

#include "hfile/encoding/column_part_writer.h"
#include "hfile/encoding/fast_diff_cells.h"

namespace bloomery::hfile {
namespace {

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
  const std::size_t shared_time = std::min<std::size_t>(shared_front(timestamp, timestamp_of(before->flat())),
                                                        kFastDiffSharedTimestampBytes);
  auto flag = static_cast<unsigned>(shared_time);
  flag |= key.flat().size() == before->flat().size() ? kFastDiffSameKeyLength : 0U;
  flag |= cell.value.size() == value_bytes_ ? kFastDiffSameValueLength : 0U;
  flag |= key.key().type == before->key().type ? kFastDiffSameType : 0U;
  flag |= out.text().substr(value_at_, value_bytes_) == cell.value ? kFastDiffSameValue : 0U;
  out.number(static_cast<std::uint8_t>(flag));
  if ((flag & kFastDiffSameKeyLength) == 0) {
    out.compressed_int(key.flat().size());
  }
  if ((flag & kFastDiffSameValueLength) == 0) {
    out.compressed_int(cell.value.size());
  }
  const std::size_t shared = shared_column_bytes(key, *before);
  out.compressed_int(shared);
  write_column_parts(out, key, before, shared);
  out.append(timestamp.substr(shared_time));
  if ((flag & kFastDiffSameType) == 0) {
    out.number(static_cast<std::uint8_t>(key.key().type));
  }
  if ((flag & kFastDiffSameValue) == 0) {
    add_value(out, cell.value);
  }
}

}  // namespace bloomery::hfile
