// Where blocks come from: a file, or whatever stands between, such as a cache.
//
// A reader asks for a block by its address, and shares what it gets. FileBlockSource reads each from disk,
// with one positioned read; a cache is a BlockSource that holds another one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/file.h"
#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block.h"
#include "hfile/block_header.h"
#include "hfile/block_runs.h"

namespace bloomery::hfile {

struct BlockAddress {
  BlockKind kind = BlockKind::kData;
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
};

class FileBlockSource;

class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // The file itself, when nothing stands between; null otherwise.
  virtual FileBlockSource* as_file() { return nullptr; }

  // Gives up what is kept and could be read again, for who needs the memory.
  virtual void forget() {}

  // Returns the block of the address; it is of its kind and size. Thread-safe. Errors: kCorruption, kIo,
  // kUnsupported, kCapacity.
  Result<BlockPointer> read(const BlockAddress& address);

 private:
  virtual Result<BlockPointer> fetch(const BlockAddress& address) = 0;
};

// What was read from disk; counted by whoever reads, without order among threads.
struct ReadCounters {
  std::array<std::atomic<std::uint64_t>, kBlockKinds> blocks{};
  std::atomic<std::uint64_t> bytes{0};
};

// What a file's blocks have in common.
struct BlockRules {
  Compression compression = Compression::kNone;
  std::uint64_t end_offset = 0;  // no block goes beyond it
  std::uint64_t max_block_bytes = std::uint64_t{256} << 20;
  std::shared_ptr<MemoryBudget> memory = {};  // of the file; every block in memory is charged to it
};

class FileBlockSource final : public BlockSource {
 public:
  // The file and the counters outlive it.
  FileBlockSource(File& file, const BlockRules& rules, ReadCounters& counters)
      : file_(file), rules_(rules), counters_(counters) {}

  FileBlockSource* as_file() override { return this; }

  // Reads one run of a block into `run`, which has its size, and verifies it. Errors: kCorruption, kIo.
  Status read_run(const BlockRuns& runs, std::size_t i, std::span<std::byte> run);
  // Counts a block of which runs are read.
  void count(BlockKind kind) {
    counters_.blocks[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  }

  // Returns the block that begins there, of whatever kind and size its header says. Errors: those of read().
  Result<BlockPointer> read_at(std::uint64_t offset);

 private:
  Result<BlockPointer> fetch(const BlockAddress& address) override;
  Status check_bounds(std::uint64_t offset, std::uint64_t size, const char* name) const;

  File& file_;
  BlockRules rules_;
  ReadCounters& counters_;
};

}  // namespace bloomery::hfile
