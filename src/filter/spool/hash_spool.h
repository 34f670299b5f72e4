// A set of 64-bit hashes of any size, collected in bounded memory, given back once: ascending, each once.
//
//   add -> a list of at most 131,072 hashes, which is sorted and read as it is if it never fills
//            | it is full: its hashes go to the partitions, and so do all that come later
//            v
//          256 partitions of [lowest, highest] (range_slices.h), each a list of chunks of one bounded pool
//            | the pool is used up: the partition with the most hashes is sorted, freed of repeats, coded
//            v (run_coding.h), and its chunks go back to the pool
//          that partition's file: run | run | ...
//   read <- partition after partition: the part <= `last` of every run and of the chunks, merged
//
// Calls: create add* finish read_through*
//
// Spilling the fullest partition makes runs about twice as long as a fair share of the pool, so half as many
// to merge. Files are made when first needed and have no names (nameless_file.h). A partition's file is
// closed, which frees its disk space, as soon as it is taken; it is never synced. If all fits the pool no
// file is made. Up to 256 files are open at a time.
//
// Memory: the pool, allocated as needed and kept until the spool goes; beside it, while a partition is sorted
// or taken, 20 bytes for each of its hashes in the pool (a 256th of it when hashes are uniform, all of it at
// worst), 12 bytes for each hash of one partition that one read_through() gives, and 16 KiB for each of its
// runs.
//
// The list is there because 256 partitions would touch a page of memory each for a handful of hashes. It is
// at most half as large as the pool, so that filling partitions from it spills nothing.
//
// Invariants: after an error every later call gives that error; the hashes are then lost, and whatever was
// taken is worth nothing. What read_through() appends is ascending and beyond what it gave before even when
// the disk gave back other bytes than were written; that is found (kCorruption) when the run they are in
// ends, which is before the first hash of a later partition is given.
// Not here: merging runs of one partition to fewer; more than one thread.
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

struct HashSpoolOptions {
  std::string directory = ".";     // where runs are written when memory is full; "" is "." too
  std::uint64_t buffer_bytes = 0;  // of hashes in memory; at least HashSpool::min_buffer_bytes(chunk_hashes)
  unsigned kept_bits = 64;         // the top bits of a hash that are kept, 32 to 64; the others are made 0
  std::uint64_t lowest = 0;        // hashes outside [lowest, highest], after that, are passed over
  std::uint64_t highest = ~std::uint64_t{0};
  std::size_t chunk_hashes = 1024;
};

class HashSpool {
 public:
  // Two chunks a partition: 4 MiB by default.
  static constexpr std::uint64_t min_buffer_bytes(std::size_t chunk_hashes = 1024) {
    return 2 * kPartitions * chunk_hashes * sizeof(std::uint64_t);
  }

  // `files` must outlive the spool. No file is touched.   Errors: kInvalidArgument.
  static Result<HashSpool> create(FileSystem& files, const HashSpoolOptions& options);

  // Puts the low words in. 2 to 5 ns a hash while they fit the pool.   Errors: kIo, kNotFound, naming the
  // file.
  Status add(std::span<const Hash128> hashes);

  // Ends the adding.   Errors: that of an add() before.
  Status finish();

  // Appends to `out` the hashes <= last that were not taken yet, ascending, each once.
  //   last  not less than in the call before.   Errors: kCorruption, kIo; what is in `out` is then worth
  //   nothing.
  Status read_through(std::uint64_t last, std::vector<std::uint64_t>& out);

  // The hashes given to add() that were in the range, repeats counted.
  std::uint64_t added() const { return added_; }
  // No fewer than the distinct ones among them: repeats are not counted when they met in one run. Before the
  // first read_through().
  std::uint64_t distinct_at_most() const;
  // Written to files so far.
  std::uint64_t disk_bytes() const { return disk_bytes_; }

 private:
  static constexpr std::size_t kPartitions = 256;

  // Where the next hash of a partition goes; apart from the rest of it so that all fit the first-level cache.
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
  Status status_;  // of the first call that failed
  std::uint64_t added_ = 0;
  std::uint64_t disk_bytes_ = 0;

  std::vector<Tail> tails_;
  std::vector<Partition> partitions_;
  std::vector<AlignedBuffer> slabs_;
  std::vector<std::uint64_t*> free_chunks_;
  std::uint64_t chunks_unallocated_;

  // The hashes of one partition's chunks, ascending, each once; while they are few, all hashes.
  std::vector<std::uint64_t> gathered_;
  std::size_t few_max_;
  bool are_few_ = true;
  HashSorter sorter_;

  bool finished_ = false;
  std::size_t taking_ = 0;            // the partition that is taken next
  std::vector<RunDecoder> decoders_;  // of its runs, once it is open
  bool is_open_ = false;
  std::size_t gathered_taken_ = 0;
  std::uint64_t last_taken_ = 0;
};

}  // namespace bloomery
