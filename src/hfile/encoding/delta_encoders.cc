#include "hfile/encoding/delta_encoders.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/diff_cells.h"
#include "hfile/encoding/fast_diff_cells.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/shared_bytes.h"

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

namespace {

// Writes the row, family and qualifier of a key in DIFF and FAST_DIFF: the bytes that the key does not share
// with `before`, which is null for the first key of a block. column_parts.h has the layout.
void write_column_parts(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, std::size_t shared) {
  constexpr std::size_t kRowLengthBytes = 2;
  const CellKey& parts = key.key();
  if (before == nullptr || shared < kRowLengthBytes + before->key().row.size()) {
    out.append(key.flat().substr(shared, kRowLengthBytes + parts.row.size() - shared));
    out.append(parts.qualifier);
  } else {
    out.append(parts.qualifier.substr(shared - kRowLengthBytes - parts.row.size() - 1 - parts.family.size()));
  }
}

std::string_view timestamp_of(std::string_view flat_key) {
  return flat_key.substr(flat_key.size() - kTimestampTypeBytes, kTimestampBytes);
}

// The absolute value of a timestamp or difference, its sign, and the size of the value in bytes (1 to 8).
struct Timestamp {
  explicit Timestamp(std::uint64_t value)
      : is_negative(static_cast<std::int64_t>(value) < 0),
        magnitude(is_negative ? 0 - value : value),
        byte_count(std::max(1U, (static_cast<unsigned>(std::bit_width(magnitude)) + 7) / 8)) {}

  bool is_negative;
  std::uint64_t magnitude;
  unsigned byte_count;
};

}  // namespace

void DiffKeyEncoder::add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) {
  const auto time = static_cast<std::uint64_t>(key.key().timestamp);
  Timestamp timestamp(time);
  unsigned flag = 0;
  std::size_t shared = 0;
  if (before == nullptr) {
    out.number(static_cast<std::uint8_t>(key.key().family.size()));
    out.append(key.key().family);
  } else {
    shared = shared_column_bytes(key, *before);
    flag |= key.flat().size() == before->flat().size() ? kDiffSameKeyLength : 0U;
    flag |= cell.value.size() == value_bytes_before_ ? kDiffSameValueLength : 0U;
    flag |= key.key().type == before->key().type ? kDiffSameType : 0U;
    const Timestamp difference(static_cast<std::uint64_t>(before->key().timestamp) - time);
    if (difference.byte_count < timestamp.byte_count) {
      timestamp = difference;
      flag |= kDiffTimestampDiffers;
    }
  }
  flag |= timestamp.is_negative ? kDiffTimestampIsNegative : 0U;
  flag |= (timestamp.byte_count - 1) << 4;
  out.number(static_cast<std::uint8_t>(flag));
  if ((flag & kDiffSameKeyLength) == 0) {
    out.compressed_int(key.flat().size());
  }
  if ((flag & kDiffSameValueLength) == 0) {
    out.compressed_int(cell.value.size());
  }
  out.compressed_int(shared);
  write_column_parts(out, key, before, shared);
  for (unsigned i = 0; i < timestamp.byte_count; ++i) {
    out.number(static_cast<std::uint8_t>(timestamp.magnitude >> (8 * i)));
  }
  if ((flag & kDiffSameType) == 0) {
    out.number(static_cast<std::uint8_t>(key.key().type));
  }
  out.append(cell.value);
  value_bytes_before_ = cell.value.size();
}

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
