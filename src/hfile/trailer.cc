#include "hfile/trailer.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/endian.h"
#include "base/zero_bytes.h"
#include "hfile/protobuf_reader.h"

namespace bloomery::hfile {
namespace {

constexpr const char* kTrailerSubject = "trailer";
constexpr std::size_t kVersion2Bytes = 212;
constexpr std::size_t kVersionBytes = 4;

// The comparators of the standard order of cells. Names are compared completely, including the package.
constexpr std::string_view kHudiComparator = "org.apache.hudi.io.storage.HoodieHBaseKVComparator";
constexpr std::string_view kComparators[] = {
    "org.apache.hadoop.hbase.KeyValue$KVComparator",    "org.apache.hadoop.hbase.KeyValue$KeyComparator",
    "org.apache.hadoop.hbase.CellComparator",           "org.apache.hadoop.hbase.CellComparatorImpl",
    "org.apache.hadoop.hbase.InnerStoreCellComparator", kHudiComparator};

// The comparators of the order of hbase:meta.
constexpr std::string_view kMetaComparators[] = {
    "org.apache.hadoop.hbase.KeyValue$MetaComparator", "org.apache.hadoop.hbase.KeyValue$MetaKeyComparator",
    "org.apache.hadoop.hbase.CellComparator$MetaCellComparator",
    "org.apache.hadoop.hbase.CellComparatorImpl$MetaCellComparator",
    "org.apache.hadoop.hbase.MetaCellComparator"};

// Collects the fields of the message. Each may occur once; a bit mask records the numbers seen.
class Fields {
 public:
  explicit Fields(Trailer& trailer) : trailer_(trailer) {}

  Status parse(const ProtobufField& field) {
    if (field.number < 32) {
      if ((seen_ >> field.number & 1) != 0) {
        return Error::corruption(kTrailerSubject, field.offset,
                                 "field " + std::to_string(field.number) + " once", "it twice");
      }
      seen_ |= std::uint32_t{1} << field.number;
    }
    switch (field.number) {
      case 11:
        return parse_comparator(field);
      case 12:
        return parse_compression(field);
      case 13:
        return Error::unsupported(kTrailerSubject, field.offset,
                                  "expected a file that is not encrypted, found a key");
      default:
        return field.number <= 10 ? parse_number(field) : Status();  // a field of a later version
    }
  }

  // The fields 1 to 12 are mandatory. The field 13, an encryption key, was refused.
  Status check_complete(std::uint64_t offset) const {
    constexpr std::uint32_t kAll = 0x1ffe;  // 1 to 12
    constexpr std::uint32_t kUncompressedBytes = 4;
    if ((seen_ >> kUncompressedBytes & 1) == 0 && trailer_.comparator == kHudiComparator) {
      return hudis_own_form(offset);
    }
    for (std::uint32_t number = 1; number <= 12; ++number) {
      if ((kAll & ~seen_) >> number & 1) {
        return Error::corruption(kTrailerSubject, offset, "field " + std::to_string(number), "none");
      }
    }
    return {};
  }

 private:
  Status parse_number(const ProtobufField& field) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t value, integer_in(field, kTrailerSubject));
    const bool is_count = field.number == 5 || field.number == 6 || field.number == 8;
    if (is_count && value > std::numeric_limits<std::int32_t>::max()) {
      return Error::corruption(kTrailerSubject, field.offset,
                               "at most 2147483647 in field " + std::to_string(field.number), value);
    }
    set_number(field.number, value);
    return {};
  }

  void set_number(std::uint32_t number, std::uint64_t value) {
    const auto count = static_cast<std::uint32_t>(value);
    const auto offset = value == kNoOffset ? std::nullopt : std::optional(value);
    switch (number) {
      case 1:
        trailer_.file_info_offset = value;
        break;
      case 2:
        trailer_.load_on_open_offset = value;
        break;
      case 3:
        trailer_.data_index_bytes = value;
        break;
      case 4:
        trailer_.uncompressed_bytes = value;
        break;
      case 5:
        trailer_.data_index_count = count;
        break;
      case 6:
        trailer_.meta_index_count = count;
        break;
      case 7:
        trailer_.entry_count = value;
        break;
      case 8:
        trailer_.data_index_levels = count;
        break;
      case 9:
        trailer_.first_data_block_offset = offset;
        break;
      default:
        trailer_.last_data_block_offset = offset;
    }
  }

  Status parse_comparator(const ProtobufField& field) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view name, bytes_in(field, kTrailerSubject));
    if (std::ranges::find(kMetaComparators, name) != std::end(kMetaComparators)) {
      trailer_.row_order = RowOrder::kMeta;
    } else if (std::ranges::find(kComparators, name) == std::end(kComparators)) {
      return Error::unsupported(kTrailerSubject, field.offset,
                                "expected a comparator of cells, such as \"" + std::string(kComparators[0]) +
                                    "\", found \"" + std::string(name) + '"');
    }
    trailer_.comparator = name;
    return {};
  }

  Status parse_compression(const ProtobufField& field) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t number, integer_in(field, kTrailerSubject));
    const auto known = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
    BLOOMERY_ASSIGN_OR_RETURN(trailer_.compression, compression_of(known, field.offset));
    return {};
  }

  Trailer& trailer_;
  std::uint32_t seen_ = 0;
};

// Checks that the numbers of the trailer are consistent.
Status check_agreement(const Trailer& trailer) {
  if (trailer.load_on_open_offset > trailer.offset || trailer.file_info_offset >= trailer.offset ||
      trailer.file_info_offset < trailer.load_on_open_offset) {
    return Error::corruption(kTrailerSubject, trailer.offset,
                             "the root index, then file info, before the trailer",
                             "them at " + std::to_string(trailer.load_on_open_offset) + " and " +
                                 std::to_string(trailer.file_info_offset));
  }
  const bool empty = trailer.data_index_count == 0;
  // In a file without cells, HBase 0.98 writes 0 for the last data block.
  const bool has_last =
      empty ? trailer.last_data_block_offset.value_or(0) != 0 : trailer.last_data_block_offset.has_value();
  if (empty != (trailer.entry_count == 0) || empty == trailer.first_data_block_offset.has_value() ||
      empty == has_last) {
    return Error::corruption(kTrailerSubject, trailer.offset, "cells and data blocks or neither",
                             std::to_string(trailer.entry_count) + " cells and " +
                                 std::to_string(trailer.data_index_count) + " entries of the root index");
  }
  if (!empty && (*trailer.first_data_block_offset > *trailer.last_data_block_offset ||
                 *trailer.last_data_block_offset >= trailer.load_on_open_offset)) {
    return Error::corruption(kTrailerSubject, trailer.offset, "data blocks before the root index",
                             "the last at " + std::to_string(*trailer.last_data_block_offset));
  }
  if (trailer.data_index_levels == 0 || trailer.data_index_levels > kMaxIndexLevels ||
      (empty && trailer.data_index_levels != 1)) {
    return Error::corruption(kTrailerSubject, trailer.offset, "1 to 16 levels of the index",
                             trailer.data_index_levels);
  }
  return {};
}

// Reads the version and returns the size of the trailer, which depends on it.
Result<std::size_t> read_version(std::span<const std::byte> tail, std::uint64_t file_bytes,
                                 Trailer& trailer) {
  if (tail.size() < kVersion2Bytes) {
    return Error::corruption(kTrailerSubject, 0, "a file of at least 212 bytes", tail.size());
  }
  const std::uint32_t version = load_big32(tail.data() + tail.size() - kVersionBytes);
  trailer.major_version = version & 0xffffff;
  trailer.minor_version = version >> 24;
  const std::size_t size = trailer.major_version == 2 ? kVersion2Bytes : kMaxTrailerBytes;
  const bool has_magic =
      tail.size() >= size && std::string_view(reinterpret_cast<const char*>(tail.data() + tail.size() - size),
                                              kTrailerMagic.size()) == kTrailerMagic;
  const bool known = trailer.major_version == 3 || (trailer.major_version == 2 && trailer.minor_version >= 3);
  if (!has_magic) {
    return Error::corruption(kTrailerSubject, file_bytes - std::min<std::uint64_t>(size, file_bytes),
                             "the trailer of an HFile", "other bytes");
  }
  if (!known || trailer.minor_version > 3) {
    return Error::unsupported(kTrailerSubject, file_bytes - kVersionBytes,
                              "expected version 3.0 to 3.3 or 2.3, found " +
                                  std::to_string(trailer.major_version) + '.' +
                                  std::to_string(trailer.minor_version));
  }
  return size;
}

}  // namespace

Error hudis_own_form(std::uint64_t offset) {
  return Error::unsupported(
      kTrailerSubject, offset,
      "expected a file that HBase's code wrote, found one of Hudi's own writer, whose index "
      "has rows in the place of keys");
}

bool is_of_hudi(const Trailer& trailer) {
  return trailer.comparator == kHudiComparator;
}

Result<Trailer> parse_trailer(std::span<const std::byte> tail, std::uint64_t file_bytes) {
  Trailer trailer;
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size, read_version(tail, file_bytes, trailer));
  trailer.offset = file_bytes - size;
  const auto body = tail.last(size).first(size - kVersionBytes).subspan(kTrailerMagic.size());
  const std::uint64_t body_offset = trailer.offset + kTrailerMagic.size();
  BLOOMERY_ASSIGN_OR_RETURN(const DelimitedMessage message,
                            read_delimited(body, kTrailerSubject, body_offset));
  ProtobufReader reader(message.message, kTrailerSubject,
                        body_offset + message.size_bytes - message.message.size());
  Fields fields(trailer);
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) {
      break;
    }
    BLOOMERY_RETURN_IF_ERROR(fields.parse(*field));
  }
  BLOOMERY_RETURN_IF_ERROR(fields.check_complete(trailer.offset));
  const auto padding = body.subspan(message.size_bytes);
  if (!all_zeros(padding)) {
    return Error::corruption(kTrailerSubject, body_offset + message.size_bytes, "zeros behind the fields",
                             "other bytes");
  }
  BLOOMERY_RETURN_IF_ERROR(check_agreement(trailer));
  return trailer;
}

}  // namespace bloomery::hfile
