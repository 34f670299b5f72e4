#include "hfile/chunked_filter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "hfile/bloom/bloom_chunk.h"

namespace bloomery::hfile {

namespace {

constexpr std::size_t kMostBitsByRuns = 32;  // above it complete chunks are read; HBase has 4 to 14

// The bits of a key, sorted by their run in the chunk.
class KeyBits {
 public:
  KeyBits(const BlockRuns& runs, std::uint32_t hash_count, hbase::HashPair pair) : count_(hash_count) {
    const hbase::ChunkPositions positions(runs.payload_bytes() * 8);
    for (std::size_t i = 0; i < count_; ++i) {
      positions_[i] = positions.of(pair, static_cast<std::uint32_t>(i));
      runs_[i] = runs.run_of(positions_[i] / 8);
    }
  }

  // Returns the run with the most untested bits: one read then tests most bits. Returns nothing if all were
  // tested.
  std::optional<std::size_t> fullest_run() const {
    std::optional<std::size_t> fullest;
    std::ptrdiff_t most = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::ptrdiff_t bits = std::count(runs_.begin(), runs_.begin() + count_, runs_[i]);
      if (runs_[i] != kAsked && bits > most) {
        fullest = runs_[i];
        most = bits;
      }
    }
    return fullest;
  }

  // Returns true if all of the key's bits in the run are set. `bytes` are the bytes of the run, which begins
  // at byte `begin` of the block.
  bool ask(std::size_t run, std::uint32_t begin, std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (runs_[i] != run) {
        continue;
      }
      runs_[i] = kAsked;
      const std::size_t at = kBlockHeaderBytes + positions_[i] / 8 - begin;
      if ((std::to_integer<unsigned>(bytes[at]) >> (positions_[i] % 8) & 1) == 0) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kAsked = ~std::size_t{0};

  std::size_t count_;
  std::array<std::uint32_t, kMostBitsByRuns> positions_;
  std::array<std::size_t, kMostBitsByRuns> runs_;
};

}  // namespace

Result<ChunkedFilter> ChunkedFilter::make(BlockPointer meta_block, RowOrder row_order) {
  // An entry of the block has at least 13 bytes. In memory each chunk needs a ChunkEntry, a head in the
  // directory, and two slots. So five times the payload bounds the memory for all chunks.
  constexpr std::uint64_t kTimesPayload = 5;
  static_assert(13 * kTimesPayload >= sizeof(hbase::ChunkEntry) + 3 * sizeof(std::uint64_t));
  MemoryShare memory(meta_block->memory());
  BLOOMERY_RETURN_IF_ERROR(
      memory.add(block_kind_name(meta_block->kind()), kTimesPayload * meta_block->payload().size()));
  BLOOMERY_ASSIGN_OR_RETURN(hbase::BloomMeta meta,
                            hbase::parse_bloom_meta(meta_block->payload(), meta_block->offset(), row_order));
  return ChunkedFilter(std::move(meta_block), std::move(meta), std::move(memory));
}

Result<bool> ChunkedFilter::ask_runs(FileBlockSource& file, std::size_t chunk, const BlockRuns& runs,
                                     hbase::HashPair pair) const {
  KeyBits bits(runs, meta_.hash_count, pair);
  file.count(address_of(chunk));
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(runs.size(0));  // no run is longer
  while (const auto run = bits.fullest_run()) {
    const std::span<std::byte> bytes(buffer.get(), runs.size(*run));
    BLOOMERY_RETURN_IF_ERROR(file.read_run(runs, *run, bytes));
    if (!bits.ask(*run, runs.begin(*run), bytes)) {
      return false;
    }
  }
  return true;
}

// Keeps what saves reading the entire chunk again: the chunk itself, or the checksums of its runs.
void ChunkedFilter::learn(BlockSource& source, std::size_t i, BlockPointer block) const {
  if (kept_) {
    const MemoryBudget* const budget = block->memory().get();
    if (budget == nullptr || budget->used() <= budget->limit() / 2) {  // the other half is for reading
      kept_->set(i, std::move(block), 0);                              // the block has its own share
    }
    return;
  }
  const std::size_t size = block->payload().size();
  if (source.as_file() == nullptr || meta_.hash_count > kMostBitsByRuns || size == 0 ||
      size > hbase::kMaxChunkBytes) {
    return;
  }
  if (auto runs = BlockRuns::of(*block)) {
    const std::uint64_t bytes = runs->count() * sizeof(std::uint32_t);
    runs_->set(i, std::move(*runs), bytes);
  }
}

Result<bool> ChunkedFilter::may_contain(BlockSource& source, std::string_view key,
                                        hbase::HashPair pair) const {
  const std::size_t i = directory_.chunk_of(meta_, key);
  if (i == hbase::ChunkDirectory::kNone) {
    return false;
  }
  if (const BlockPointer* const kept = kept_ ? kept_->at(i) : nullptr) {
    return hbase::may_contain((*kept)->payload(), meta_.hash_count, pair);
  }
  FileBlockSource* const file = source.as_file();
  const BlockRuns* const runs = file != nullptr ? runs_->at(i) : nullptr;
  if (runs != nullptr) {
    return ask_runs(*file, i, *runs, pair);
  }
  BLOOMERY_ASSIGN_OR_RETURN(BlockPointer block, source.read(address_of(i)));
  const bool answer = hbase::may_contain(block->payload(), meta_.hash_count, pair);
  learn(source, i, std::move(block));
  return answer;
}

}  // namespace bloomery::hfile
