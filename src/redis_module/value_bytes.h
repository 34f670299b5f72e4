// Encodes a key's value: its front, and the chunks that SCANDUMP returns and LOADCHUNK accepts.
//
//   front    "BLMR" | u16 version 1 | u8 layout | u8 0 | u64 loaded | i64 lease until |
//            plan and layers | u32 crc
//            "BLMR" | u16 version 2 | as version 1, with u16 size | record of a feeder before the plan
//            "BLMR" | u16 version 3 | as version 2, with the plan of plan_bytes.h
//   chunk    "BLMC" | u32 crc of all bytes after it | u64 offset | u32 shape | u32 0 | payload bytes
//
//   plan of bloomery     u64 capacity | f64 fpp | u32 expansion | u16 hash id | u16 0 | u64 seed |
//                        16 bytes secret | u32 layers | u32 0, then for each layer
//                        u64 keys | u64 capacity | f64 fpp | u64 words | u32 hash count | u32 0
//   plan of quotient     the fields of bloomery before its layers, then
//                        u32 quotients | u32 remainder bits | u16 bucket size | u16 iterations | u32 0 |
//                        u64 deleted, then u8 level for each layer
//   plan of redisbloom   u32 size | the header of a RedisBloom dump (codec/redisbloom/chain_header.h)
//   plan of cuckoo       u32 size | the header of a dump of CF (cuckoo_chain.h)
//
// All numbers are little-endian; a crc is CRC-32C. The `shape` of a chunk is the CRC of the properties that
// stay the same while keys are added. So a chunk of another filter is refused, and so is one of a filter that
// has grown since its header was dumped.
//
// Source: docs/formats/redis-module.md. On disk (RDB) since version 1; never renumber.
// Not here: the frames of RDB (bloom_type.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "redis_module/filter_value.h"

namespace bloomery::redis_module {

// The most payload bytes of one step, so that a step lasts well below a millisecond.
inline constexpr std::uint64_t kScanBytes = std::uint64_t{1} << 20;

std::string front_bytes(const FilterValue& value);
// Returns true if the bytes begin with the magic of a front, even if it is damaged.
bool is_front(std::span<const std::byte> bytes);
// Makes the empty value that a front describes. Errors: kCorruption, kUnsupported, kCapacity.
Result<std::unique_ptr<FilterValue>> read_front(std::span<const std::byte> bytes);

// One reply of SCANDUMP. The iterator of a header is 1, that of a chunk is 1 + the end offset of its bytes.
struct ScanStep {
  std::uint64_t iterator = 0;  // 0: the dump is complete
  std::vector<std::byte> bytes;
};

// Returns the step for an iterator, which is 0 or comes from the previous step. A partially loaded value
// dumps the bytes loaded so far, and loads as a partial value again. RedisBloom's header has no field for a
// lease, so a leased value of that layout begins with a front instead. Errors: kInvalidArgument for an
// iterator beyond the loaded bytes.
Result<ScanStep> scan_step(const FilterValue& value, std::uint64_t iterator);

// Makes an empty value, with nothing loaded yet, from a header of scan_step() or of RedisBloom. Errors:
// kCorruption, kUnsupported, kCapacity.
Result<std::unique_ptr<FilterValue>> load_header(std::span<const std::byte> bytes);
// Loads a chunk. After an error nothing has changed. Errors: kInvalidArgument if the chunk is not the next
// one, kCorruption for damaged bytes, kCapacity.
Status load_chunk(FilterValue& value, std::uint64_t iterator, std::span<const std::byte> bytes);

}  // namespace bloomery::redis_module
