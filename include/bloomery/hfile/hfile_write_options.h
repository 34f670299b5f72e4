// The options for writing an HFile: its format, its Bloom filters, and what the file states about itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/hfile/hfile_choices.h"

namespace bloomery {

// The size of one filter, if it is not HBase's.
struct HFileFilterSize {
  float error_rate = 0.01F;            // of one probe
  std::uint32_t chunk_bytes = 131072;  // of a full chunk
};

struct HFileBloomOptions {
  hfile::BloomType type = hfile::BloomType::kNone;
  std::uint32_t prefix_bytes = 0;                     // RowPrefixBloomFilter.prefix_length, for kRowPrefix
  std::uint32_t chunk_bytes = 131072;                 // io.storefile.bloom.block.size
  float error_rate = 0.01F;                           // io.storefile.bloom.error.rate
  std::uint32_t max_fold = 7;                         // io.storefile.bloom.max.fold
  hfile::BloomHash hash = hfile::BloomHash::kMurmur;  // hbase.hash.type
  // Adds a filter of the rows with markers that delete the family. kRowCol needs none, as its filter contains
  // these markers.
  bool delete_family = true;  // io.storefile.delete.family.bloom.enabled
  // The size of the filter of this type, in place of error_rate and chunk_bytes.
  std::optional<HFileFilterSize> own_size = {};
  // Adds a second filter, of columns. Only for kRow. HBase ignores it (docs/formats/hfile-writing.md).
  std::optional<HFileFilterSize> columns = {};
};

// The purpose of the file, which decides what the file states about itself.
enum class HFilePurpose {
  kStore,     // a flush or a compaction
  kBulkLoad,  // a file for a cluster to load
  kPlain,     // cells only: no time range, no filters
};

// The compressor classes of the cluster, which are a cluster setting (hbase.io.compress.*.codec). ZSTD has
// one number and two formats. For SNAPPY and LZ4 only the block size differs.
enum class HFileCodecs {
  kHBase,   // HBase's: Hadoop's framing around Zstandard, LZ4 in blocks of at most 218,422 bytes
  kHadoop,  // Hadoop's: a bare frame of Zstandard, LZ4 in blocks of at most 261,100 bytes
};

// The names and the defaults are HBase's.
struct HFileWriteOptions {
  bool may_replace = false;  // allows finish() to replace a file of that name
  HFilePurpose purpose = HFilePurpose::kStore;

  std::uint32_t block_bytes = 65536;
  hfile::DataEncoding encoding = hfile::DataEncoding::kNone;
  hfile::Compression compression = hfile::Compression::kNone;
  HFileCodecs codecs = HFileCodecs::kHBase;
  hfile::ChecksumType checksum = hfile::ChecksumType::kCrc32c;
  std::uint32_t bytes_per_checksum = 16384;
  bool has_tags = false;            // reserves space for tags in each cell
  bool tags_by_dictionary = false;  // for encodings with a dictionary: prefix, diff, fast diff
  bool has_mvcc = true;
  std::uint32_t index_block_bytes = 131072;  // hfile.index.block.max.size
  std::uint32_t index_min_entries = 16;      // hfile.index.block.min.entries
  HFileBloomOptions bloom = {};

  std::int64_t creation_time = 0;  // milliseconds; an option, so that the same cells make the same bytes
  // For kStore.
  std::int64_t max_sequence_id = 0;
  bool is_major_compaction = false;
  std::vector<std::string> compacted_files = {};  // the names of the files whose cells these are
  // For kBulkLoad.
  std::int64_t bulk_load_time = 0;  // milliseconds
  std::string bulk_load_task = {};  // not written when empty
  // Adds the numbers of rows and columns to file info, as BLOOMERY_ROWS and BLOOMERY_COLUMNS.
  bool counts_rows_and_columns = false;
  // Names and values that are added to the file info unchanged.
  std::vector<std::pair<std::string, std::string>> file_info = {};
};

}  // namespace bloomery
