#include "hfile/encoding/diff_encoder.h"

#include <algorithm>
#include <bit>

#include "hfile/encoding/column_part_writer.h"
#include "hfile/encoding/diff_cells.h"

namespace bloomery::hfile {
namespace {

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

}  // namespace bloomery::hfile
