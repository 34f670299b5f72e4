// Proves the filter of a LevelDB or RocksDB table (.ldb, .sst) by the keys of the table's own data blocks.
//
//   1. Every block's checksum is verified: data, index, and all that the metaindex names.
//   2. Every key is read, and its place is checked (codec/sstable/table_entries.h).
//   3. The filter is asked about every key; a RocksDB filter with whole keys and prefixes, about both.
//   4. Counts in RocksDB's properties, and size and range in the manifest, agree with the keys.
//
// A table without a filter, or with one that is not read here, is checked all the same, and is unproven.
// Source: docs/formats/leveldb.md, docs/formats/rocksdb.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codec/sstable/live_files.h"
#include "verify/proof.h"

namespace bloomery {

// What the manifest of a database says of a table.
struct ListedTable {
  const sstable::LiveFile& file;
  const std::string& comparator;
};

// Returns true if the file ends like a table, or has the name of one: then it may be truncated.
bool is_table_file(const std::string& path, std::span<const std::byte> bytes);

Proof prove_table_file(const std::string& path, const ProofOptions& options,
                       const ListedTable* listed = nullptr);

}  // namespace bloomery
