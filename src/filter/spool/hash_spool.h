// Collects a set of 64-bit hashes of any size in bounded memory, and returns it once: ascending, each hash
// once.
//
//    add -> list of at most 131,072 hashes
//             |   if it never fills, it is sorted and read directly
//             |   if it is full, its hashes go to the partitions, and so do all later ones
//             v
//           256 partitions of [lowest, highest] (range_slices.h)
//             |   each is a list of chunks of one bounded pool
//             |   if the pool is exhausted, the partition with the most hashes is sorted, deduplicated
//             |   and coded (run_coding.h), and its chunks go back to the pool
//             v
//           that partition's file: run | run | ...
//
//    read <- partition after partition: the hashes <= `last` of every run and of the chunks, merged
//
// Order of calls: create add* finish read_through*
//
// Spilling the fullest partition makes runs about twice as long as a fair share of the pool, so half as many
// runs are merged. A file is created when first needed and has no name (nameless_file.h). A partition's file
// is closed, which frees its disk space, as soon as the partition is read. Files are never synced. If all
// hashes fit the pool, no file is created. Up to 256 files are open at a time.
//
// Memory: the pool, allocated as needed and kept until the spool is destroyed. In addition:
//
//   - while a partition is sorted or read, 20 bytes for each of its hashes in the pool (a 256th of the pool
//     if hashes are uniform, all of it at worst);
//   - 12 bytes for each hash of one partition that one read_through() returns;
//   - 16 KiB for each run of that partition.
//
// The list exists because each of 256 partitions would use a page of memory for a handful of hashes. It is at
// most half as large as the pool, so filling partitions from it spills nothing.
//
// Invariants:
//
//   - After an error every later call returns that error. The hashes are then lost, and all hashes read so
//     far are invalid.
//   - The hashes that read_through() appends are ascending and above all earlier ones, even if the disk
//     returned corrupt bytes. Such damage is detected (kCorruption) at the end of its run, which is before
//     the first hash of a later partition is returned.
//
// Not here: merging the runs of one partition into fewer; more than one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/memory.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/spool/range_slices.h"
#include "filter/spool/run_coding.h"
#include "filter/spool/sort_hashes.h"

namespace bloomery {

// A caller with a memory budget for a spool leaves a share of one part in this many to sorting. A partition
// has a 256th of the hashes in the pool, or twice that if it is fuller than the others. Sorting and reading
// it needs up to 32 bytes for each of its hashes, which use 8 bytes in the pool: 2 / 256 x 32 / 8 is 1 / 32.
inline constexpr std::uint64_t kPoolShareForSorting = 32;

struct HashSpoolOptions {
  std::string directory = ".";     // folder of the files; "" is "." too
  std::uint64_t buffer_bytes = 0;  // pool; at least HashSpool::min_buffer_bytes(chunk_hashes)
  unsigned kept_bits = 64;         // top bits of a hash that are kept, 32 to 64; others become 0
  std::uint64_t lowest = 0;        // hashes outside [lowest, highest], once truncated, are skipped
  std::uint64_t highest = ~std::uint64_t{0};
  std::size_t chunk_hashes = 1024;
};

// Returns an estimated upper bound of the disk bytes of a spool of `keys` hashes, or 0 if its pool of
// `pooled` hashes holds them all. The hashes are spread evenly over one of `parts` equal shares of all
// hashes.
std::uint64_t predicted_spool_bytes(std::uint64_t keys, unsigned kept_bits, std::uint64_t pooled,
                                    std::uint32_t parts = 1);

class HashSpool {
 public:
  // Returns the least pool: two chunks for each partition, 4 MiB by default.
  static constexpr std::uint64_t min_buffer_bytes(std::size_t chunk_hashes = 1024) {
    return 2 * kPartitions * chunk_hashes * sizeof(std::uint64_t);
  }

  // `files` must outlive the spool. Accesses no file. Errors: kInvalidArgument.
  static Result<HashSpool> create(FileSystem& files, const HashSpoolOptions& options);

  // Adds the low words. Costs 2 to 5 ns a hash while they fit the pool. Errors: kIo, kNotFound, naming the
  // file.
  Status add(std::span<const Hash128> hashes);

  // Ends the input. Errors: the error of an earlier add().
  Status finish();

  // Appends to `out` the hashes <= `last` that were not returned yet, ascending, each once. `last` must not
  // be less than in the previous call. Errors: kCorruption, kIo; the content of `out` is then invalid.
  Status read_through(std::uint64_t last, std::vector<std::uint64_t>& out);

  // Returns how many hashes in the range were added, repeats included.
  std::uint64_t added() const { return added_; }
  // Returns an upper bound of the number of distinct hashes: repeats within one run are not counted.
  // Precondition: read_through() was not called yet.
  std::uint64_t distinct_at_most() const;
  // Returns the bytes written to files so far.
  std::uint64_t disk_bytes() const { return disk_bytes_; }

 private:
  static constexpr std::size_t kPartitions = 256;

  // The position of a partition's next hash. It is stored separately from the rest of the partition, so that
  // all 256 fit the first-level cache.
  struct Tail {
    std::uint64_t* next = nullptr;
    std::uint64_t* end = nullptr;
  };
  struct Partition {
    std::vector<std::uint64_t*> chunks;  // all full but the last, which ends at its Tail
    std::vector<Run> runs;
    File file;
    std::uint64_t file_bytes = 0;
  };

  HashSpool(FileSystem& files, const HashSpoolOptions& options);

  Status add_to_few(std::span<const Hash128> hashes);
  Status add_to_partitions(std::span<const Hash128> hashes);
  Status put(const RangeSlices& slices, std::uint64_t number);
  Status lengthen(std::size_t partition);
  Status allocate_slab();
  std::uint64_t hashes_in_chunks(std::size_t partition) const;
  void gather(std::size_t partition);
  Status spill(std::size_t partition);
  void sort_gathered();
  void take_gathered(std::uint64_t last, std::vector<std::uint64_t>& out);
  void read_few(std::uint64_t last, std::vector<std::uint64_t>& out);
  Status read_in_order(std::uint64_t last, std::vector<std::uint64_t>& out);
  void open_partition();
  Status read_partition(std::uint64_t last, std::vector<std::uint64_t>& out);
  bool partition_is_taken() const;
  void close_partition();

  FileSystem* files_;
  HashSpoolOptions options_;
  RangeSlices slices_;
  Status status_;  // the error of the first call that failed
  std::uint64_t added_ = 0;
  std::uint64_t disk_bytes_ = 0;

  std::vector<Tail> tails_;
  std::vector<Partition> partitions_;
  std::vector<AlignedBuffer> slabs_;
  std::vector<std::uint64_t*> free_chunks_;
  std::uint64_t chunks_unallocated_;

  // The hashes of one partition's chunks, ascending, each once. While hashes are few, all hashes.
  std::vector<std::uint64_t> gathered_;
  std::size_t few_max_;
  bool are_few_ = true;
  HashSorter sorter_;

  bool finished_ = false;
  std::size_t taking_ = 0;            // the partition that is read next
  std::vector<RunDecoder> decoders_;  // one for each of its runs, once it is open
  bool is_open_ = false;
  std::size_t gathered_taken_ = 0;
  std::uint64_t last_taken_ = 0;
};

}  // namespace bloomery
