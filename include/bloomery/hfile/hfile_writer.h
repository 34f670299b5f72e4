// Writes HBase's files, HFile version 3: from the same cells and options, the bytes that HBase 2.6 writes.
//
// Calls: create (append | append_meta_block)* finish.   The file is written from front to back under a
// temporary name; finish() makes it appear, whole, and without it nothing is left. In memory are one block,
// the index entries of blocks that no leaf of the index has yet taken (and one per leaf), one chunk of each
// Bloom filter with the keys that chunks begin with, and the meta blocks: no allocation for a cell.
//
// What differs from HBase: with a compression, the compressor's choice; docs/formats/hfile-writing.md says
// which. Not here: encryption; tiered or mob files; the order of hbase:meta. Thread-compatible.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_choices.h"

namespace bloomery {

namespace hfile {
class WriteState;
}  // namespace hfile

struct HFileBloomOptions {
  hfile::BloomType type = hfile::BloomType::kNone;
  std::uint32_t prefix_bytes = 0;                     // RowPrefixBloomFilter.prefix_length, of kRowPrefix
  std::uint32_t chunk_bytes = 131072;                 // io.storefile.bloom.block.size
  float error_rate = 0.01F;                           // io.storefile.bloom.error.rate
  std::uint32_t max_fold = 7;                         // io.storefile.bloom.max.fold
  hfile::BloomHash hash = hfile::BloomHash::kMurmur;  // hbase.hash.type
  // A filter of the rows with markers that delete the family; kRowCol answers for them itself.
  bool delete_family = true;  // io.storefile.delete.family.bloom.enabled
};

// What the file is for, and so what it says of itself.
enum class HFilePurpose {
  kStore,     // a flush or a compaction
  kBulkLoad,  // to be taken up by a cluster
  kPlain,     // cells only: no time range, no filters
};

// Whose classes compress at the cluster, which is its setting (hbase.io.compress.*.codec). ZSTD has one
// number and two forms; of SNAPPY and LZ4 only the size of blocks differs.
enum class HFileCodecs {
  kHBase,   // HBase's modules: Hadoop's framing around Zstandard, LZ4 in blocks of at most 218,422 bytes
  kHadoop,  // Hadoop's: a frame of Zstandard alone, LZ4 in blocks of at most 261,100 bytes
};

// Names are HBase's, and so are the defaults.
struct HFileWriteOptions {
  bool may_replace = false;  // a file of that name
  HFilePurpose purpose = HFilePurpose::kStore;

  std::uint32_t block_bytes = 65536;
  hfile::DataEncoding encoding = hfile::DataEncoding::kNone;
  hfile::Compression compression = hfile::Compression::kNone;
  HFileCodecs codecs = HFileCodecs::kHBase;
  hfile::ChecksumType checksum = hfile::ChecksumType::kCrc32c;
  std::uint32_t bytes_per_checksum = 16384;
  bool has_tags = false;            // whether cells have room for tags, and may have some
  bool tags_by_dictionary = false;  // in the encodings that have a dictionary: prefix, diff, fast diff
  bool has_mvcc = true;
  std::uint32_t index_block_bytes = 131072;  // hfile.index.block.max.size
  std::uint32_t index_min_entries = 16;      // hfile.index.block.min.entries
  HFileBloomOptions bloom = {};

  std::int64_t creation_time = 0;  // milliseconds; told, so that the same cells make the same bytes
  // Of kStore.
  std::int64_t max_sequence_id = 0;
  bool is_major_compaction = false;
  // Of kBulkLoad.
  std::int64_t bulk_load_time = 0;  // milliseconds
  std::string bulk_load_task = {};  // not written when empty
  // Names and values that are written into file info as they are, beside the file's own.
  std::vector<std::pair<std::string, std::string>> file_info = {};
};

class HFileWriter {
 public:
  // Errors: kInvalidArgument for an option that no file can have, by name, or a path that exists; kNotFound,
  // kIo.
  static Result<HFileWriter> create(const std::string& path, const HFileWriteOptions& options = {});

  HFileWriter(HFileWriter&&) noexcept;
  HFileWriter& operator=(HFileWriter&&) noexcept;
  // Without finish() before it, removes what was written.
  ~HFileWriter();

  // Keys ascend; equal ones stay in the order in which they come. Errors: kInvalidArgument, with what is
  // wrong with the cell: a key that goes backwards, a row or family too long, another family than before,
  // tags or mvcc that the file has no place for, a type that is for seeking; kCapacity for a cell larger than
  // a block can be; kIo. After any error the file is lost: every later call answers the first.
  Status append(const Cell& cell);
  // In any order; HBase has none of its own. Errors: kInvalidArgument for a name that was there.
  Status append_meta_block(std::string_view name, std::string_view content);
  // Writes what is left, waits until it is on the disk and gives the file its name. Once. When only the last
  // step failed, the fsync of the folder, the file is there, whole.
  Status finish();

  std::uint64_t cell_count() const;

 private:
  friend class hfile::WriteState;
  explicit HFileWriter(std::unique_ptr<hfile::WriteState> state);

  std::unique_ptr<hfile::WriteState> state_;
};

}  // namespace bloomery
