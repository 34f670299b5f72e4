// An sstable of Cassandra, which a path of one of its files names, and the keys in its Data.db.
//
// Memory: a chunk of Data.db. Source: docs/formats/cassandra.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "codec/cassandra/compressed_data.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "verify/proof.h"

namespace bloomery {

struct SSTable {
  std::string folder;  // empty, or ends in a slash
  SSTableName name;
  CassandraLayout layout;
  std::optional<SSTableStatistics> statistics;

  std::string path_of(std::string_view component) const {
    return folder + name.prefix + std::string(component);
  }
  bool is_bti() const { return name.prefix.ends_with("-bti-"); }
};

// Reads the Statistics.db, if there is one. Errors: kInvalidArgument if the name is not that of a component;
// kUnsupported for an unknown version; kCorruption.
Result<SSTable> sstable_of(const std::string& path);

// Adds an error to a proof. A file that is missing or cannot be read is a reason why nothing is proven.
void add_sstable_error(Proof& proof, const Error& error);

// Reads the keys of partitions from Data.db.
class PartitionData {
 public:
  // Errors: those of the files; kUnsupported for a version before ma.
  static Result<PartitionData> open(const SSTable& sstable, const FileMemory& memory);

  // Reads the key of the partition at a position of the data before compression. Errors: kCorruption,
  // kCapacity.
  Status read_key(std::uint64_t position, std::string& key);
  // Returns the error of a file that was truncated meanwhile.
  Status status() const;

 private:
  PartitionData(std::string subject, CompressedData data)
      : subject_(std::move(subject)), data_(std::move(data)) {}

  std::string subject_;
  std::vector<std::shared_ptr<MappedFile>> mappings_;
  CompressedData data_;
};

}  // namespace bloomery
