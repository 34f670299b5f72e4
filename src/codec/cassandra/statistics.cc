#include "codec/cassandra/statistics.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <zlib.h>

#include "base/endian.h"
#include "base/message.h"
#include "codec/cassandra/vint.h"

namespace bloomery {
namespace {

constexpr const char* kStatisticsSubject = "Statistics.db";
constexpr std::uint32_t kMostParts = 16;  // Cassandra has four
constexpr std::uint32_t kValidation = 0;
constexpr std::uint32_t kPartitionSizes = 2;
constexpr std::uint32_t kHeader = 3;
constexpr std::size_t kBucketBytes = 16;
constexpr std::size_t kCrcBytes = 4;

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

// Reads a file from its beginning. A read past the end of `bytes` is reported as damage.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  std::uint64_t at() const { return at_; }
  Result<std::span<const std::byte>> take(std::uint64_t count, const char* what) {
    if (at_ > bytes_.size() || bytes_.size() - at_ < count) {
      return Error::corruption(kStatisticsSubject, at_, message(count, " bytes of ", what),
                               message(at_ > bytes_.size() ? 0 : bytes_.size() - at_));
    }
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  Result<std::uint32_t> big32(const char* what) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto taken, take(4, what));
    return load_big32(taken.data());
  }
  Result<std::uint64_t> vint(const char* what) {
    const CassandraVint vint =
        read_cassandra_vint(at_ > bytes_.size() ? bytes_.last(0) : bytes_.subspan(at_));
    BLOOMERY_RETURN_IF_ERROR(take(std::max<std::size_t>(vint.size_bytes, 1), what));
    return vint.value;
  }
  Result<std::string> text(std::uint64_t size, const char* what) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto taken, take(size, what));
    return std::string(reinterpret_cast<const char*>(taken.data()), taken.size());
  }
  Status expect_crc(std::uint32_t expected, const char* of) {
    const std::uint64_t place = at_;
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t found, big32("a checksum"));
    return found == expected ? Status()
                             : Status(Error::corruption(kStatisticsSubject, place,
                                                        message("checksum ", expected, " of ", of), found));
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_;
};

struct Part {
  std::uint32_t type;
  std::uint64_t begin;
  std::uint64_t end;  // without the checksum
};

// Reads the table of parts. A part ends where the next one begins, the last one at the end of the file.
Result<std::vector<Part>> read_parts(std::span<const std::byte> file, bool has_crc) {
  Reader reader(file, 0);
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t count, reader.big32("the number of parts"));
  if (count == 0 || count > kMostParts) {
    return Error::corrupt_field(kStatisticsSubject, 0, "parts", "1 to 16", count);
  }
  std::uint32_t crc = crc32_of(file.first(4));
  if (has_crc) {
    BLOOMERY_RETURN_IF_ERROR(reader.expect_crc(crc, "the number of parts"));
  }
  const std::uint64_t table = reader.at();
  std::vector<Part> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t type, reader.big32("the type of a part"));
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t begin, reader.big32("the offset of a part"));
    parts.push_back({.type = type, .begin = begin, .end = file.size()});
  }
  if (has_crc) {
    const auto rows = file.subspan(table, reader.at() - table);
    crc = static_cast<std::uint32_t>(crc32_combine(crc, crc32_of(rows), static_cast<z_off_t>(rows.size())));
    BLOOMERY_RETURN_IF_ERROR(reader.expect_crc(crc, "the table of parts"));
  }
  std::uint64_t least = reader.at();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 < parts.size()) {
      parts[i].end = parts[i + 1].begin;
    }
    if (parts[i].begin < least || parts[i].end > file.size() ||
        parts[i].end < parts[i].begin + (has_crc ? kCrcBytes : 0)) {
      return Error::corrupt_field(kStatisticsSubject, table + 8 * i + 4, "offset",
                                  "one behind the part before it, in the file", parts[i].begin);
    }
    parts[i].end -= has_crc ? kCrcBytes : 0;
    least = parts[i].end;
  }
  return parts;
}

Status read_validation(Reader& reader, SSTableStatistics& statistics) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto length, reader.take(2, "the length of the partitioner's name"));
  BLOOMERY_ASSIGN_OR_RETURN(statistics.partitioner,
                            reader.text(load_big16(length.data()), "the partitioner's name"));
  const std::uint64_t place = reader.at();
  BLOOMERY_ASSIGN_OR_RETURN(const auto fpp, reader.take(8, "the fpp"));
  statistics.fpp = std::bit_cast<double>(load_big64(fpp.data()));
  if (!(statistics.fpp > 0 && statistics.fpp <= 1)) {
    return Error::corrupt_field(kStatisticsSubject, place, "fpp", "above 0 and at most 1", statistics.fpp);
  }
  return {};
}

// Each partition was added to one bucket of the histogram, so the sum of the buckets is exact.
Status read_partition_sizes(Reader& reader, SSTableStatistics& statistics) {
  const std::uint64_t place = reader.at();
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t count, reader.big32("the number of buckets"));
  BLOOMERY_ASSIGN_OR_RETURN(const auto buckets,
                            reader.take(std::uint64_t{count} * kBucketBytes, "the sizes of partitions"));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (__builtin_add_overflow(sum, load_big64(buckets.data() + i * kBucketBytes + 8), &sum)) {
      return Error::corrupt_field(kStatisticsSubject, place, "sizes of partitions", "fewer than 2^64 in all",
                                  "more");
    }
  }
  statistics.partitions = sum;
  return {};
}

Status read_statistics_header(Reader& reader, SSTableStatistics& statistics) {
  for (const char* const least :
       {"the least timestamp", "the least deletion time", "the least time to live"}) {
    BLOOMERY_RETURN_IF_ERROR(reader.vint(least));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t length, reader.vint("the length of the key's type"));
  BLOOMERY_ASSIGN_OR_RETURN(statistics.key_type, reader.text(length, "the key's type"));
  return {};
}

}  // namespace

Result<std::optional<SSTableStatistics>> read_statistics(std::span<const std::byte> file,
                                                         const CassandraLayout& layout) {
  if (!layout.has_metadata) {
    return std::optional<SSTableStatistics>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<Part> parts, read_parts(file, layout.has_metadata_crc));
  SSTableStatistics statistics;
  bool validated = false;
  for (const Part& part : parts) {
    // This reader ends before the part's checksum, so that no field can run into it.
    Reader reader(file.first(part.end), part.begin);
    if (layout.has_metadata_crc) {
      Reader whole(file, part.end);
      BLOOMERY_RETURN_IF_ERROR(
          whole.expect_crc(crc32_of(file.subspan(part.begin, part.end - part.begin)), "a part"));
    }
    if (part.type == kValidation) {
      BLOOMERY_RETURN_IF_ERROR(read_validation(reader, statistics));
      validated = true;
    } else if (part.type == kPartitionSizes) {
      BLOOMERY_RETURN_IF_ERROR(read_partition_sizes(reader, statistics));
    } else if (part.type == kHeader && layout.has_header) {
      BLOOMERY_RETURN_IF_ERROR(read_statistics_header(reader, statistics));
    }
  }
  if (!validated || (layout.has_header && !statistics.key_type)) {
    return Error::corruption(kStatisticsSubject, 0, "expected the parts 0 and 3, found one of them missing");
  }
  return std::optional(std::move(statistics));
}

}  // namespace bloomery
