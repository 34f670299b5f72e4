#include "filter/spool/hash_spool.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/nameless_file.h"

namespace bloomery {
namespace {

// Chunks are allocated 1 MiB at a time at first, later 8 MiB. The larger ones are on huge pages, since page
// faults cost 14 cycles a hash.
constexpr std::uint64_t kSmallSlabHashes = std::uint64_t{128} << 10;
constexpr std::uint64_t kLargeSlabHashes = std::uint64_t{1} << 20;
constexpr std::size_t kSmallSlabs = 8;
constexpr std::uint64_t kFewHashes = std::uint64_t{128} << 10;

Status check_spool_options(const HashSpoolOptions& options) {
  const auto invalid = [](const std::string& detail) {
    return Error::invalid_argument("hash spool", detail);
  };
  if (options.kept_bits < 32 || options.kept_bits > 64) {
    return invalid("kept_bits: expected 32 to 64, found " + std::to_string(options.kept_bits));
  }
  if (options.lowest > options.highest) {
    return invalid("the lowest hash is above the highest");
  }
  if (options.chunk_hashes == 0) {
    return invalid("chunk_hashes: expected at least 1, found 0");
  }
  const std::uint64_t least = HashSpool::min_buffer_bytes(options.chunk_hashes);
  if (options.buffer_bytes < least) {
    return invalid("buffer_bytes: expected at least " + std::to_string(least) + ", found " +
                   std::to_string(options.buffer_bytes));
  }
  return {};
}

}  // namespace

std::uint64_t predicted_spool_bytes(std::uint64_t keys, unsigned kept_bits, std::uint64_t pooled,
                                    std::uint32_t parts) {
  if (keys <= pooled) {
    return 0;
  }
  // A sorted run has at least a 256th of the pool's hashes, so their gaps have log2(pool) bits less than a
  // hash. Rice coding costs 1.5 bits more than the logarithm of the mean gap, and 2 bits allow for the
  // variation of the runs.
  double bits = kept_bits;
  for (std::uint64_t hashes = pooled * parts; hashes > 1; hashes /= 2) {
    bits -= 1;
  }
  return static_cast<std::uint64_t>(static_cast<double>(keys) * (bits + 3.5) / 8);
}

HashSpool::HashSpool(FileSystem& files, const HashSpoolOptions& options)
    : files_(&files),
      options_(options),
      slices_(options.lowest, options.highest, kPartitions),
      tails_(kPartitions),
      partitions_(kPartitions),
      chunks_unallocated_(options.buffer_bytes / (options.chunk_hashes * sizeof(std::uint64_t))),
      few_max_(std::min<std::size_t>(kFewHashes, options.buffer_bytes / 2 / sizeof(std::uint64_t))) {}

Result<HashSpool> HashSpool::create(FileSystem& files, const HashSpoolOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_spool_options(options));
  return HashSpool(files, options);
}

Status HashSpool::add(std::span<const Hash128> hashes) {
  assert(!finished_);
  if (status_) {
    status_ = are_few_ ? add_to_few(hashes) : add_to_partitions(hashes);
  }
  return status_;
}

Status HashSpool::finish() {
  finished_ = true;
  return status_;
}

Status HashSpool::read_through(std::uint64_t last, std::vector<std::uint64_t>& out) {
  assert(finished_ && last >= last_taken_);
  last_taken_ = last;
  if (status_ && last >= options_.lowest) {
    status_ = read_in_order(std::min(last, options_.highest), out);
  }
  return status_;
}

std::uint64_t HashSpool::distinct_at_most() const {
  std::uint64_t count = are_few_ ? gathered_.size() : 0;
  for (std::size_t partition = 0; partition < kPartitions; ++partition) {
    count += hashes_in_chunks(partition);
    for (const Run& run : partitions_[partition].runs) {
      count += run.count;
    }
  }
  return count;
}

// Adds hashes to the list while it has room. If it overflows, moves all hashes to the partitions.
Status HashSpool::add_to_few(std::span<const Hash128> hashes) {
  const std::uint64_t kept = ~std::uint64_t{0} << (64 - options_.kept_bits);
  const std::size_t fitting = std::min(hashes.size(), few_max_ - gathered_.size());
  for (const Hash128& hash : hashes.first(fitting)) {
    const std::uint64_t number = hash.low & kept;
    if (slices_.contains(number)) {
      gathered_.push_back(number);
      ++added_;
    }
  }
  if (fitting == hashes.size()) {
    return {};
  }
  are_few_ = false;
  for (const std::uint64_t number : std::exchange(gathered_, {})) {
    BLOOMERY_RETURN_IF_ERROR(put(slices_, number));
  }
  return add_to_partitions(hashes.subspan(fitting));
}

Status HashSpool::add_to_partitions(std::span<const Hash128> hashes) {
  const std::uint64_t kept = ~std::uint64_t{0} << (64 - options_.kept_bits);
  const RangeSlices slices = slices_;
  for (const Hash128& hash : hashes) {
    const std::uint64_t number = hash.low & kept;
    if (slices.contains(number)) {
      BLOOMERY_RETURN_IF_ERROR(put(slices, number));
      ++added_;
    }
  }
  return {};
}

// Adds a number of the range to its partition.
inline Status HashSpool::put(const RangeSlices& slices, std::uint64_t number) {
  const std::size_t partition = slices.index_of(number);
  Tail& tail = tails_[partition];
  if (tail.next == tail.end) [[unlikely]] {
    BLOOMERY_RETURN_IF_ERROR(lengthen(partition));
  }
  *tail.next++ = number;
  return {};
}

// Adds an empty chunk to a partition.
Status HashSpool::lengthen(std::size_t partition) {
  if (free_chunks_.empty() && chunks_unallocated_ > 0) {
    BLOOMERY_RETURN_IF_ERROR(allocate_slab());
  }
  if (free_chunks_.empty()) {
    // The fullest partition gives back the most chunks, and its run is the longest.
    std::size_t fullest = 0;
    for (std::size_t other = 1; other < kPartitions; ++other) {
      if (hashes_in_chunks(other) > hashes_in_chunks(fullest)) {
        fullest = other;
      }
    }
    BLOOMERY_RETURN_IF_ERROR(spill(fullest));
  }
  partitions_[partition].chunks.push_back(free_chunks_.back());
  free_chunks_.pop_back();
  std::uint64_t* const chunk = partitions_[partition].chunks.back();
  tails_[partition] = {.next = chunk, .end = chunk + options_.chunk_hashes};
  return {};
}

Status HashSpool::allocate_slab() {
  const std::uint64_t hashes = slabs_.size() < kSmallSlabs ? kSmallSlabHashes : kLargeSlabHashes;
  const std::uint64_t wanted = std::max<std::uint64_t>(1, hashes / options_.chunk_hashes);
  const auto chunks = static_cast<std::size_t>(std::min(wanted, chunks_unallocated_));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer slab,
                            AlignedBuffer::zeroed(chunks * options_.chunk_hashes * sizeof(std::uint64_t)));
  auto* const first = reinterpret_cast<std::uint64_t*>(slab.bytes().data());
  slabs_.push_back(std::move(slab));
  chunks_unallocated_ -= chunks;
  for (std::size_t i = chunks; i > 0; --i) {
    free_chunks_.push_back(first + (i - 1) * options_.chunk_hashes);
  }
  return {};
}

std::uint64_t HashSpool::hashes_in_chunks(std::size_t partition) const {
  const auto unused = static_cast<std::uint64_t>(tails_[partition].end - tails_[partition].next);
  return partitions_[partition].chunks.size() * options_.chunk_hashes - unused;
}

// Moves the hashes of a partition's chunks to gathered_, sorts them, and returns the chunks to the pool.
void HashSpool::gather(std::size_t partition) {
  std::uint64_t left = hashes_in_chunks(partition);
  gathered_.clear();
  gathered_.reserve(left);
  for (std::uint64_t* const chunk : partitions_[partition].chunks) {
    const std::uint64_t count = std::min<std::uint64_t>(left, options_.chunk_hashes);
    gathered_.insert(gathered_.end(), chunk, chunk + count);
    left -= count;
  }
  sort_gathered();
  std::vector<std::uint64_t*>& chunks = partitions_[partition].chunks;
  free_chunks_.insert(free_chunks_.end(), chunks.rbegin(), chunks.rend());
  chunks.clear();
  tails_[partition] = {};
}

void HashSpool::sort_gathered() {
  sorter_.sort(gathered_);
  gathered_.erase(std::unique(gathered_.begin(), gathered_.end()), gathered_.end());
}

Status HashSpool::spill(std::size_t partition) {
  gather(partition);
  Partition& spilled = partitions_[partition];
  if (spilled.runs.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(spilled.file,
                              create_nameless_file(*files_, options_.directory, ".bloomery-spool"));
  }
  RunEncoder encoder(gathered_, options_.kept_bits, spilled.file_bytes);
  for (auto piece = encoder.next_piece(); !piece.empty(); piece = encoder.next_piece()) {
    BLOOMERY_RETURN_IF_ERROR(spilled.file.write_all_at(spilled.file_bytes, piece));
    spilled.file_bytes += piece.size();
    disk_bytes_ += piece.size();
  }
  spilled.runs.push_back(encoder.run());
  return {};
}

// Appends to `out` the remaining hashes of gathered_ up to `last`.
void HashSpool::take_gathered(std::uint64_t last, std::vector<std::uint64_t>& out) {
  const auto from = gathered_.begin() + static_cast<std::ptrdiff_t>(gathered_taken_);
  const auto end = std::upper_bound(from, gathered_.end(), last);
  out.insert(out.end(), from, end);
  gathered_taken_ = static_cast<std::size_t>(end - gathered_.begin());
}

void HashSpool::read_few(std::uint64_t last, std::vector<std::uint64_t>& out) {
  if (!is_open_) {
    sort_gathered();
    is_open_ = true;
  }
  take_gathered(last, out);
}

Status HashSpool::read_in_order(std::uint64_t last, std::vector<std::uint64_t>& out) {
  if (are_few_) {
    read_few(last, out);
    return {};
  }
  const std::size_t through = slices_.index_of(last);
  while (taking_ <= through) {
    if (!is_open_) {
      open_partition();
    }
    BLOOMERY_RETURN_IF_ERROR(read_partition(last, out));
    if (!partition_is_taken()) {
      assert(taking_ == through);
      break;
    }
    close_partition();
  }
  return {};
}

void HashSpool::open_partition() {
  gather(taking_);
  gathered_taken_ = 0;
  for (const Run& run : partitions_[taking_].runs) {
    decoders_.emplace_back(partitions_[taking_].file, run);
  }
  is_open_ = true;
}

Status HashSpool::read_partition(std::uint64_t last, std::vector<std::uint64_t>& out) {
  const std::size_t size_before = out.size();
  int sources = 0;
  std::size_t size = size_before;
  const auto count_source = [&] {
    sources += out.size() > size ? 1 : 0;
    size = out.size();
  };
  for (RunDecoder& decoder : decoders_) {
    BLOOMERY_RETURN_IF_ERROR(decoder.decode_through(last, out));
    count_source();
  }
  take_gathered(last, out);
  count_source();
  // Several sources are merged by one sort. Each source is already ascending and without repeats.
  if (sources > 1) {
    const auto taken = out.begin() + static_cast<std::ptrdiff_t>(size_before);
    sorter_.sort(std::span(taken, out.end()));
    out.erase(std::unique(taken, out.end()), out.end());
  }
  return {};
}

bool HashSpool::partition_is_taken() const {
  return gathered_taken_ == gathered_.size() &&
         std::all_of(decoders_.begin(), decoders_.end(),
                     [](const RunDecoder& run) { return run.exhausted(); });
}

void HashSpool::close_partition() {
  decoders_.clear();
  partitions_[taking_] = {};
  gathered_.clear();
  is_open_ = false;
  ++taking_;
}

}  // namespace bloomery
