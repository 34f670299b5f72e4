#include "hfile/write_plan.h"

#include <algorithm>
#include <set>
#include <string>

namespace bloomery::hfile {
namespace {

constexpr std::uint32_t kMaxPrefixBytes = 32767;  // the longest row

// The names in file info that only the writer sets.
constexpr std::string_view kOwnNames[] = {"BLOOMERY_COLUMNS",
                                          "BLOOMERY_ROWS",
                                          "BLOOM_FILTER_PARAM",
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

Status check_sizes(const HFileWriteOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_range("block_bytes", options.block_bytes, 1, kMaxBlockOption));
  BLOOMERY_RETURN_IF_ERROR(check_range("index_block_bytes", options.index_block_bytes, 1, kMaxBlockOption));
  BLOOMERY_RETURN_IF_ERROR(check_range("index_min_entries", options.index_min_entries, 1, kMaxBlockOption));
  return check_range("bytes_per_checksum", options.bytes_per_checksum, kBlockHeaderBytes, kMaxBlockOption);
}

hbase::ChunkOptions chunk_of(const HFileFilterSize& size, std::uint32_t max_fold) {
  return {size.chunk_bytes, size.error_rate, max_fold};
}

Status plan_bloom(const HFileWriteOptions& options, WritePlan& plan) {
  const HFileBloomOptions& bloom = options.bloom;
  if (options.purpose == HFilePurpose::kPlain) {
    return bloom.type == BloomType::kNone
               ? Status()
               : unknown("bloom.type", "NONE in a plain file", bloom_type_name(bloom.type));
  }
  plan.bloom_type = bloom.type;
  plan.bloom_hash = bloom.hash;
  if (bloom.type == BloomType::kRowPrefix) {
    BLOOMERY_RETURN_IF_ERROR(check_range("bloom.prefix_bytes", bloom.prefix_bytes, 1, kMaxPrefixBytes));
  }
  hbase::ChunkOptions chunk{bloom.chunk_bytes, bloom.error_rate, bloom.max_fold};
  if (bloom.delete_family && bloom.type != BloomType::kRowCol) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.delete_family_shape, hbase::chunk_shape(chunk));
  }
  if (bloom.type == BloomType::kRowCol) {
    chunk.error_rate = hbase::rowcol_error_rate(chunk.error_rate);
  }
  if (bloom.own_size) {
    chunk = chunk_of(*bloom.own_size, bloom.max_fold);
  }
  if (bloom.type != BloomType::kNone) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.bloom_shape, hbase::chunk_shape(chunk));
  }
  if (!bloom.columns) {
    return {};
  }
  if (bloom.type != BloomType::kRow) {
    return unknown("bloom.columns", "none unless bloom.type is ROW", bloom_type_name(bloom.type));
  }
  BLOOMERY_ASSIGN_OR_RETURN(plan.columns_shape, hbase::chunk_shape(chunk_of(*bloom.columns, bloom.max_fold)));
  return {};
}

Status check_file_info(const HFileWriteOptions& options) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : options.file_info) {
    if (name.empty() || name.starts_with("hfile.") ||
        std::ranges::find(kOwnNames, name) != std::end(kOwnNames)) {
      return unknown("file_info", "a name that the file does not use itself", name);
    }
    if (!names.insert(name).second) {
      return unknown("file_info", "each name once", name + " twice");
    }
  }
  return {};
}

}  // namespace

Result<WritePlan> plan_of(const HFileWriteOptions& options) {
  WritePlan plan;
  plan.compression = options.compression;
  plan.encoding = options.encoding;
  plan.checksum = options.checksum;
  plan.layout = {.has_tags = options.has_tags,
                 .has_mvcc = options.has_mvcc,
                 .tags_by_dictionary = options.has_tags && options.tags_by_dictionary &&
                                       options.encoding != DataEncoding::kNone};
  BLOOMERY_RETURN_IF_ERROR(check_sizes(options));
  BLOOMERY_RETURN_IF_ERROR(plan_bloom(options, plan));
  BLOOMERY_RETURN_IF_ERROR(check_file_info(options));
  return plan;
}

}  // namespace bloomery::hfile
