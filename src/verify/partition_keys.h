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

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "bloomery/hash/hash128.h"
#include "verify/proof.h"
#include "verify/sstable.h"

namespace bloomery {

// Up to 64 keys.
struct PartitionKeys {
  std::span<const std::string_view> keys;
  std::span<const Hash128> hashes;           // cassandra_hash() of each
  std::span<const std::uint64_t> positions;  // of their partitions in Data.db, before compression
};
using UsePartitionKeys = std::function<void(const PartitionKeys&)>;

// Adds the faults of the files to `proof`, the reasons why not all keys were passed, and the bytes that were
// read. Sets proof.against.
void walk_partition_keys(const SSTable& sstable, const ProofOptions& options, Proof& proof,
                         const UsePartitionKeys& use);

}  // namespace bloomery
