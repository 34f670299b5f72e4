#include "codec/parquet/page_values.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/endian.h"
#include "base/message.h"
#include "codec/parquet/delta_numbers.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kPageSubject = "parquet page";
// The values of DELTA_BYTE_ARRAY together are at most so many times as large as their page, or kSmallValues.
constexpr std::uint64_t kMostGrowth = 4096;
constexpr std::uint64_t kSmallValues = std::uint64_t{1} << 20;

Error damaged_values(const EncodedValues& values, const std::string& detail) {
  return Error::corruption(kPageSubject, values.offset, encoding_name(values.encoding) + ": " + detail);
}

// Returns the size of a value if all have the same one.
Result<std::uint64_t> fixed_size(const EncodedValues& values) {
  const auto size = value_bytes(values.type);
  if (!size) {
    return Error::unsupported(
        kPageSubject, values.offset,
        "encoding " + encoding_name(values.encoding) + " of " + physical_name(values.type));
  }
  return std::uint64_t{*size};
}

Status check_fixed(const EncodedValues& values, std::uint64_t size) {
  // The count is below 2^31, and the size too.
  if (values.bytes.size() == values.count * size) {
    return {};
  }
  return damaged_values(values, message("expected ", values.count, " values of ", size, " bytes, found ",
                                        values.bytes.size(), " bytes"));
}

Status read_plain_fixed(const EncodedValues& values, ValueBatch& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, fixed_size(values));
  BLOOMERY_RETURN_IF_ERROR(check_fixed(values, size));
  for (std::uint64_t i = 0; i < values.count; ++i) {
    BLOOMERY_RETURN_IF_ERROR(batch.add(values.bytes.subspan(i * size, size)));
  }
  return {};
}

Status read_plain_byte_arrays(const EncodedValues& values, ValueBatch& batch) {
  auto left = values.bytes;
  for (std::uint64_t i = 0; i < values.count; ++i) {
    if (left.size() < 4 || load_little32(left.data()) > left.size() - 4) {
      return damaged_values(values,
                            message("expected ", values.count, " values, found the end in value ", i));
    }
    const std::uint32_t size = load_little32(left.data());
    BLOOMERY_RETURN_IF_ERROR(batch.add(left.subspan(4, size)));
    left = left.subspan(4 + std::size_t{size});
  }
  return left.empty() ? Status()
                      : Status(damaged_values(values, message("expected ", values.count, " values, found ",
                                                              left.size(), " bytes more")));
}

Status read_delta_numbers(const EncodedValues& values, ValueBatch& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, fixed_size(values));
  BLOOMERY_ASSIGN_OR_RETURN(DeltaNumbers numbers,
                            DeltaNumbers::open(values.bytes, values.offset, values.count));
  for (std::uint64_t i = 0; i < values.count; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t number, numbers.next());
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<std::byte> room, batch.room(size));
    size == 4 ? store_little(room.data(), static_cast<std::uint32_t>(number))
              : store_little(room.data(), number);
    BLOOMERY_RETURN_IF_ERROR(batch.add(room));
  }
  return {};
}

// The byte arrays of DELTA_LENGTH_BYTE_ARRAY, one after the other.
class LengthArrays {
 public:
  static Result<LengthArrays> open(const EncodedValues& values, std::span<const std::byte> bytes) {
    BLOOMERY_ASSIGN_OR_RETURN(DeltaNumbers lengths, DeltaNumbers::open(bytes, values.offset, values.count));
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, lengths.size_bytes());
    return LengthArrays(values, lengths, bytes.subspan(size));
  }

  Result<std::span<const std::byte>> next() {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t length, lengths_.next());
    if (length > left_.size()) {
      return damaged_values(values_,
                            message("expected a length of at most ", left_.size(), ", found ", length));
    }
    const auto array = left_.first(length);
    left_ = left_.subspan(length);
    return array;
  }
  // Call it after the last array.
  Status end() const {
    return left_.empty()
               ? Status()
               : Status(damaged_values(values_, message("found ", left_.size(), " bytes past the values")));
  }

 private:
  LengthArrays(const EncodedValues& values, const DeltaNumbers& lengths, std::span<const std::byte> data)
      : values_(values), lengths_(lengths), left_(data) {}

  const EncodedValues& values_;
  DeltaNumbers lengths_;
  std::span<const std::byte> left_;
};

Status read_length_arrays(const EncodedValues& values, ValueBatch& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(LengthArrays arrays, LengthArrays::open(values, values.bytes));
  for (std::uint64_t i = 0; i < values.count; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto array, arrays.next());
    BLOOMERY_RETURN_IF_ERROR(batch.add(array));
  }
  return arrays.end();
}

Status check_prefix(const EncodedValues& values, std::uint64_t prefix, std::uint64_t previous,
                    std::uint64_t suffix) {
  if (prefix > previous) {
    return damaged_values(values, message("expected a prefix of at most ", previous, ", found ", prefix));
  }
  const auto size = value_bytes(values.type);
  if (size && prefix + suffix != *size) {
    return damaged_values(values, message("expected a value of ", *size, " bytes, found ", prefix + suffix));
  }
  return {};
}

// A value is at most as large as its page, since it has bytes of suffixes only. A value that equals its
// predecessor is passed on once: it costs no byte in the page.
Status read_prefixed_arrays(const EncodedValues& values, ValueBatch& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(DeltaNumbers prefixes,
                            DeltaNumbers::open(values.bytes, values.offset, values.count));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, prefixes.size_bytes());
  BLOOMERY_ASSIGN_OR_RETURN(LengthArrays suffixes, LengthArrays::open(values, values.bytes.subspan(size)));
  MemoryShare memory(batch.budget());
  BLOOMERY_RETURN_IF_ERROR(memory.add("value of a parquet page", values.bytes.size()));
  const std::uint64_t most = std::max(kSmallValues, kMostGrowth * values.bytes.size());
  std::vector<std::byte> value;
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < values.count; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t prefix, prefixes.next());
    BLOOMERY_ASSIGN_OR_RETURN(const auto suffix, suffixes.next());
    BLOOMERY_RETURN_IF_ERROR(check_prefix(values, prefix, value.size(), suffix.size()));
    if (i > 0 && suffix.empty() && prefix == value.size()) {
      continue;
    }
    total += prefix + suffix.size();
    if (total > most) {
      return Error::capacity(kPageSubject, message("at byte ", values.offset, ": the values of ",
                                                   values.bytes.size(), " bytes have more than ", most));
    }
    value.resize(prefix);
    value.insert(value.end(), suffix.begin(), suffix.end());
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<std::byte> room, batch.room(value.size()));
    std::ranges::copy(value, room.begin());
    BLOOMERY_RETURN_IF_ERROR(batch.add(room));
  }
  return suffixes.end();
}

Status read_split_streams(const EncodedValues& values, ValueBatch& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, fixed_size(values));
  BLOOMERY_RETURN_IF_ERROR(check_fixed(values, size));
  for (std::uint64_t i = 0; i < values.count; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<std::byte> room, batch.room(size));
    for (std::uint64_t stream = 0; stream < size; ++stream) {
      room[stream] = values.bytes[stream * values.count + i];
    }
    BLOOMERY_RETURN_IF_ERROR(batch.add(room));
  }
  return {};
}

bool has_encoding(const ColumnType& type, Encoding encoding) {
  const bool is_number = type.physical == PhysicalType::kInt32 || type.physical == PhysicalType::kInt64;
  const bool is_bytes = type.physical == PhysicalType::kByteArray;
  const bool is_fixed = type.physical == PhysicalType::kFixedLengthByteArray;
  switch (encoding) {
    case Encoding::kPlain:
      return true;
    case Encoding::kDeltaBinaryPacked:
      return is_number;
    case Encoding::kDeltaLengthByteArray:
      return is_bytes;
    case Encoding::kDeltaByteArray:
      return is_bytes || is_fixed;
    case Encoding::kByteStreamSplit:
      return !is_bytes;
    default:
      return false;
  }
}

}  // namespace

Status read_page_values(const EncodedValues& values, ValueBatch& batch) {
  if (!has_encoding(values.type, values.encoding)) {
    return Error::unsupported(
        kPageSubject, values.offset,
        "encoding " + encoding_name(values.encoding) + " of " + physical_name(values.type) + " is not read");
  }
  // Writers do not agree on the bytes of no values, except in the plain encoding.
  if (values.count == 0 && values.encoding != Encoding::kPlain) {
    return {};
  }
  switch (values.encoding) {
    case Encoding::kDeltaBinaryPacked:
      return read_delta_numbers(values, batch);
    case Encoding::kDeltaLengthByteArray:
      return read_length_arrays(values, batch);
    case Encoding::kDeltaByteArray:
      return read_prefixed_arrays(values, batch);
    case Encoding::kByteStreamSplit:
      return read_split_streams(values, batch);
    default:
      return values.type.physical == PhysicalType::kByteArray ? read_plain_byte_arrays(values, batch)
                                                              : read_plain_fixed(values, batch);
  }
}

}  // namespace bloomery::parquet
