// Writes the filter block of a LevelDB table, for programs that write tables and decide where data blocks
// begin.
//
// Example:
//    LevelDbFilterBlockWriter writer(10);
//    Status started = writer.start_block(0);
//    writer.add_key("a key");
//    const std::string block = *writer.finish();
//
// Calls: (start_block add_key*)* finish.
//
// The block has one filter for every 2 KiB of data-block offsets. The filter has the keys of all data
// blocks that begin in these 2 KiB. The bytes are those of LevelDB 1.23 with NewBloomFilterPolicy. Layout:
// docs/formats/leveldb.md.
//
// Limits: the trailer that a table appends to a block (u8 0, masked crc32c) is not written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

// One thread at a time.
class LevelDbFilterBlockWriter {
 public:
  // `bits_per_key` is the argument of NewBloomFilterPolicy(); below 1 the result is LevelDB's smallest
  // filter.
  explicit LevelDbFilterBlockWriter(int bits_per_key) : bits_per_key_(bits_per_key) {}

  // Begins the data block at `offset`. Costs a word for every 2 KiB since the previous block. Errors:
  // kInvalidArgument for an offset below the previous one; kCapacity above 2^40.
  Status start_block(std::uint64_t offset);
  // Adds a user key, without sequence number and type. The view need not outlive the call.
  void add_key(std::string_view key);
  // Returns the block's bytes. Call it once. Errors: kCapacity above 4 GiB.
  Result<std::string> finish();

 private:
  void end_filter();

  int bits_per_key_;
  std::uint64_t last_offset_ = 0;
  std::vector<std::uint32_t> pending_;  // key hashes of the unfinished filter
  std::vector<std::uint64_t> begins_;   // where each filter begins
  std::string filters_;
};

}  // namespace bloomery
