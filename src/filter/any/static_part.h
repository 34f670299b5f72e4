// Parts of a static filter: one machine builds a part from the range files of one hash range, and parts are
// joined into the complete filter.
//
// A range of hashes does not end where a shard ends, because the number of shards was unknown when the ranges
// were chosen. So a part has three things:
//
// clang-format off
//    hashes          range 1     |      range 2      |      range 3      |   ...
//    shards       |  0  |  1  |  2  |  3  |  4  |  5  |  6  |  7  |  8  |
//    part 2                      :..|=====|=====|....:
//                               front  shards 3, 4  back
//
//    front   hashes of the shard that began in an earlier range        not built
//    ===     the shards that are entirely in its range                 built
//    back    hashes of the shard that ends in a later range            not built
// clang-format on
//
// join_static_parts() builds the shards at the edges from the hashes of both sides. There is at most one for
// each edge: this costs milliseconds for a ribbon, and a tenth of a second for a fuse filter, whose shards
// are larger. Any number of parts fits any number of shards: if a range is inside
// one shard, its part has only hashes.
//
// Invariants:
//
//   - The joined file is byte for byte the file of RibbonBuilder or FuseBuilder with the same capacity, fpp,
//     setting, hash, key options and note over all keys.
//   - Repeated keys within one run are removed by the writer of range files, and those of several machines by
//     the builder of the part. Equal keys have equal hashes, so they are in one range.
//   - Parts that were built from different runs, or planned differently, are not joined.
//
// Source: docs/formats/spread-build.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "filter/spool/range_files.h"

namespace bloomery {

struct StaticPartPlan {
  std::uint32_t part = 1;  // I of N, as the range files
  std::uint32_t parts = 1;
  double fpp = 0;
  FilterType type = FilterType::kRibbon;  // or kFuse
  BlockedSetting setting = BlockedSetting::kFast;
  // The number of keys that the complete filter is planned for. 0 means the sum of the keys of all runs, in
  // which a key of several machines counts once for each machine.
  std::uint64_t capacity = 0;
  std::string note = {};
  unsigned threads = 1;
};

// Returns the threads of a build: `wanted` (0 means all of the machine), but no more than fit into half of
// the memory.
unsigned static_threads(FilterType type, unsigned wanted, std::uint64_t memory_bytes);

// Returns the planned capacity.
std::uint64_t planned_capacity(std::span<const std::unique_ptr<RangeFile>> files, const StaticPartPlan& plan);

// Checks that the files have the plan's range, one hash and the same key options, and that no file, nor a
// copy of one, is listed twice. Errors: kInvalidArgument, naming the files.
Status check_range_files(std::span<const std::unique_ptr<RangeFile>> files, const StaticPartPlan& plan);

struct StaticPartWritten {
  std::uint64_t keys;      // distinct ones of the range
  std::uint64_t capacity;  // of the complete filter
  std::uint32_t shards;    // that were built
  std::uint32_t all_shards;
  std::uint64_t bytes;
};
using StaticPartProgress = std::function<void(std::uint32_t done, std::uint32_t total)>;

// Builds the part and writes it as a file. Uses disk only for the part. Memory: the shards being built, as in
// the type's builder, and 16 KiB for each range file. Errors:
//
//   kInvalidArgument   check_range_files() refuses the files, the shape for the fpp the plan; `path` exists
//   kCorruption, kIo   of a range file, which is named, or of the part
//   kCapacity          a shard has more than 2^27 keys, or the machine lacks the memory
Result<StaticPartWritten> write_static_part(FileSystem& files,
                                            std::span<const std::unique_ptr<RangeFile>> range_files,
                                            const StaticPartPlan& plan, const std::string& path,
                                            const SaveTo& to, const StaticPartProgress& progress);

// Verifies every checksum of a part, and that its shards and hashes are in its range. Errors:
// kInvalidArgument if it is no part; kCorruption, kUnsupported, kIo.
Status verify_static_part(FileSystem& files, const std::string& path);

// Joins all parts of one filter, given in any order, and writes the complete file with the first part's note.
// The parts are mapped, not copied. Errors:
//
//   kInvalidArgument   a part is missing, repeated, or of another plan or other runs; named
//   kCorruption, kIo   of a part, which is named
Status join_static_parts(FileSystem& files, std::span<const std::string> parts, const std::string& path,
                         const SaveTo& to);

}  // namespace bloomery
