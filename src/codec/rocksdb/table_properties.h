// The properties of a RocksDB table that decide how its filter is queried and how its keys are read.
//
// The properties are a block of entries, which the metaindex names rocksdb.properties. A number is a varint,
// unless the table below says otherwise.
//
//   rocksdb.num.entries                               versions of keys, tombstones of ranges included
//   rocksdb.num.range-deletions                       tombstones of ranges
//   rocksdb.num.data.blocks                           data blocks
//   rocksdb.data.size, rocksdb.filter.size            bytes
//   rocksdb.block.based.table.whole.key.filtering     "1" or "0"
//   rocksdb.block.based.table.prefix.filtering        "1" or "0"
//   rocksdb.prefix.extractor.name                     "nullptr" for none
//   rocksdb.comparator                                the name of the order of keys
//   rocksdb.block.based.table.index.type              u32: 0 and 1 one index, 2 two levels, 3 with first keys
//   rocksdb.index.key.is.user.key                     0 or 1
//   rocksdb.index.value.is.delta.encoded              0 or 1
//   rocksdb.user.defined.timestamps.persisted         0 if keys have lost their timestamps
//
// Source: RocksDB 11.8, table/table_properties.cc.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "codec/sstable/block_index.h"
#include "codec/sstable/table_file.h"

namespace bloomery {

inline constexpr const char* kRocksDbTableSubject = "rocksdb table";

struct RocksDbTableProperties {
  // Errors: kCorruption, kUnsupported, kCapacity.
  static Result<RocksDbTableProperties> read(const sstable::TableFile& table);

  std::uint64_t entries = 0;          // versions of keys, including tombstones
  std::uint64_t range_deletions = 0;  // included in `entries`
  std::uint64_t data_blocks = 0;      // 0 if the table does not record it
  std::uint64_t data_bytes = 0;       // offset of the end of the data blocks
  std::uint64_t filter_bytes = 0;     // 0 if the table does not record it
  bool whole_keys = true;
  bool prefix_filtering = true;
  std::string prefix_extractor = {};  // "nullptr" for none
  std::string comparator = {};        // empty if the table does not record it
  bool has_two_level_index = false;
  bool has_first_keys = false;  // the entries of the index of data blocks end with the block's first key
  bool keeps_timestamps = true;
  sstable::IndexForm index = {};  // of the index of partitions of a filter

  bool has_prefixes() const { return prefix_filtering && prefix_extractor != "nullptr"; }
  bool is_bytewise() const { return comparator.empty() || comparator == "leveldb.BytewiseComparator"; }
  // Returns the bytes of the timestamp at the end of every user key. Filters have the keys without it.
  std::size_t timestamp_bytes() const;
};

}  // namespace bloomery
