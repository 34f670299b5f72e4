#include "hfile/write_plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "hfile/data_block_cursor.h"
#include "hfile/payload_compressor.h"

namespace bloomery::hfile {
namespace {

constexpr std::uint32_t kMaxPrefixBytes = 32767;  // a row has no more

// What the writer says of a file itself.
constexpr std::string_view kOwnNotes[] = {"BLOOM_FILTER_PARAM",
                                          "BLOOM_FILTER_TYPE",
                                          "BULKLOAD_SOURCE_TASK",
                                          "BULKLOAD_TIMESTAMP",
                                          "COMPACTION_EVENT_KEY",
                                          "DATA_BLOCK_ENCODING",
                                          "DELETE_FAMILY_COUNT",
                                          "EARLIEST_PUT_TS",
                                          "EXCLUDE_FROM_MINOR_COMPACTION",
                                          "HISTORICAL",
                                          "INDEX_BLOCK_ENCODING",
                                          "KEY_VALUE_VERSION",
                                          "LAST_BLOOM_KEY",
                                          "MAJOR_COMPACTION_KEY",
                                          "MAX_MEMSTORE_TS_KEY",
                                          "MAX_SEQ_ID_KEY",
                                          "TIMERANGE"};

Error refused(const std::string& detail) {
  return Error::invalid_argument("options of an HFile", detail);
}

Error unknown(const char* option, const char* expected, const std::string& found) {
  return refused(std::string(option) + ": expected " + expected + ", found " + found);
}

Status check_range(const char* option, std::uint32_t found, std::uint32_t least, std::uint32_t most) {
  if (found < least || found > most) {
    return refused(std::string(option) + ": expected " + std::to_string(least) + " to " +
                   std::to_string(most) + ", found " + std::to_string(found));
  }
  return {};
}

std::optional<ChecksumType> checksum_of(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"NULL", "CRC32", "CRC32C"};
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<ChecksumType>(found - kNames.begin()));
}

std::optional<hbase::BloomHash> hash_of(std::string_view name) {
  for (const auto hash :
       {hbase::BloomHash::kJenkins, hbase::BloomHash::kMurmur, hbase::BloomHash::kMurmur3}) {
    if (name == hbase::bloom_hash_name(hash)) {
      return hash;
    }
  }
  return std::nullopt;
}

Status take_names(const HFileWriteOptions& options, WritePlan& plan) {
  const auto compression = compression_of(options.compression);
  if (!compression) {
    return unknown("compression", "NONE, GZ, SNAPPY, LZ4 or ZSTD", options.compression);
  }
  const auto encoding = data_encoding_of(options.encoding);
  if (!encoding) {
    return unknown("encoding", "NONE, PREFIX, DIFF, FAST_DIFF or ROW_INDEX_V1", options.encoding);
  }
  const auto checksum = checksum_of(options.checksum);
  if (!checksum) {
    return unknown("checksum", "NULL, CRC32 or CRC32C", options.checksum);
  }
  plan.compression = *compression;
  plan.encoding = *encoding;
  plan.checksum = *checksum;
  plan.layout = {.has_tags = options.has_tags,
                 .has_mvcc = options.has_mvcc,
                 .tags_by_dictionary =
                     options.has_tags && options.tags_by_dictionary && *encoding != DataEncoding::kNone};
  return {};
}

Status check_sizes(const HFileWriteOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_range("block_bytes", options.block_bytes, 1, kMaxBlockOption));
  BLOOMERY_RETURN_IF_ERROR(check_range("index_block_bytes", options.index_block_bytes, 1, kMaxBlockOption));
  BLOOMERY_RETURN_IF_ERROR(check_range("index_min_entries", options.index_min_entries, 1, kMaxBlockOption));
  return check_range("bytes_per_checksum", options.bytes_per_checksum, kBlockHeaderBytes, kMaxBlockOption);
}

Status take_bloom(const HFileWriteOptions& options, WritePlan& plan) {
  const HFileBloomOptions& bloom = options.bloom;
  const auto type = hbase::bloom_type_of(bloom.type);
  if (!type) {
    return unknown("bloom.type", "NONE, ROW, ROWCOL or ROWPREFIX_FIXED_LENGTH", bloom.type);
  }
  const auto hash = hash_of(bloom.hash);
  if (!hash) {
    return unknown("bloom.hash", "jenkins, murmur or murmur3", bloom.hash);
  }
  if (options.purpose == HFilePurpose::kPlain) {
    return *type == hbase::BloomType::kNone ? Status()
                                            : unknown("bloom.type", "NONE in a plain file", bloom.type);
  }
  plan.bloom_type = *type;
  plan.bloom_hash = *hash;
  if (*type == hbase::BloomType::kRowPrefix) {
    BLOOMERY_RETURN_IF_ERROR(check_range("bloom.prefix_bytes", bloom.prefix_bytes, 1, kMaxPrefixBytes));
  }
  hbase::ChunkOptions chunk{bloom.chunk_bytes, bloom.error_rate, bloom.max_fold};
  if (bloom.delete_family && *type != hbase::BloomType::kRowCol) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.delete_family_shape, hbase::chunk_shape(chunk));
  }
  if (*type == hbase::BloomType::kRowCol) {
    chunk.error_rate = hbase::rowcol_error_rate(chunk.error_rate);
  }
  if (*type != hbase::BloomType::kNone) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.bloom_shape, hbase::chunk_shape(chunk));
  }
  return {};
}

Status check_notes(const HFileWriteOptions& options) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : options.notes) {
    if (name.empty() || name.starts_with("hfile.") ||
        std::ranges::find(kOwnNotes, name) != std::end(kOwnNotes)) {
      return unknown("notes", "a name that the file does not use itself", name);
    }
    if (!names.insert(name).second) {
      return unknown("notes", "each name once", name + " twice");
    }
  }
  return {};
}

}  // namespace

Result<WritePlan> plan_of(const HFileWriteOptions& options) {
  WritePlan plan;
  BLOOMERY_RETURN_IF_ERROR(take_names(options, plan));
  BLOOMERY_RETURN_IF_ERROR(check_sizes(options));
  BLOOMERY_RETURN_IF_ERROR(take_bloom(options, plan));
  BLOOMERY_RETURN_IF_ERROR(check_notes(options));
  return plan;
}

}  // namespace bloomery::hfile
