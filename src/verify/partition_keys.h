// Passes every partition key of an sstable of Cassandra to a function, and checks what the sstable's files
// say about the keys.
//
//   format   keys are in                    checked
//   big      Index.db                       read to its last byte; positions ascend; the first and the last
//                                           key of Summary.db
//   bti      Data.db and Rows.db, to which  positions ascend; prefix and hash byte in the trie; first key,
//            Partitions.db leads            last key and number of keys; a key in Rows.db is that of Data.db
//   both                                    keys ascend; Statistics.db counts as many
//
// Memory: 64 keys, a chunk of Data.db and a path in the trie, whatever the size of the files. Source:
// docs/formats/cassandra.md.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "verify/proof.h"

namespace bloomery {

// An sstable that a path of one of its files names.
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

// Receives up to 64 keys, and the cassandra_hash() of each.
using UsePartitionKeys = std::function<void(std::span<const std::string_view>, std::span<const Hash128>)>;

// Adds the faults of the files to `proof`, the reasons why not all keys were passed, and the bytes that were
// read. Sets proof.against.
void walk_partition_keys(const SSTable& sstable, const ProofOptions& options, Proof& proof,
                         const UsePartitionKeys& use);

// Adds an error to a proof. A file that is missing or cannot be read is a reason why nothing is proven.
void add_sstable_error(Proof& proof, const Error& error);

}  // namespace bloomery
