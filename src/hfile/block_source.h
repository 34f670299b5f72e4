// The source of a reader's blocks: a file, or a layer between the reader and the file, such as a cache.
//
//   reader -> CachedSource or ChunkKeeper -> FileBlockSource -> File
//             holds the FileBlockSource      one positioned read per block
//
// A reader requests a block by its address and gets a shared pointer to it. A sequential scan passes a
// ReadAhead, and then one read may fetch several blocks (read_ahead.h).
#pragma once

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
#include "hfile/read_ahead.h"
#include "hfile/read_counters.h"

namespace bloomery::hfile {

class FileBlockSource;

class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // Returns the source itself if it reads from the file directly, null otherwise.
  virtual FileBlockSource* as_file() { return nullptr; }

  // Drops all cached blocks that can be read again, so that the caller gets their memory.
  virtual void forget() {}

  // Returns the block at the address, which has the address's kind and size. A sequential scan passes its
  // ReadAhead, which a source that reads from a file may use. Thread-safe. Errors: kCorruption, kIo,
  // kUnsupported, kCapacity.
  Result<BlockPointer> read(const BlockAddress& address, ReadAhead* ahead = nullptr);

 private:
  virtual Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* ahead) = 0;
};

// The rules for all blocks of a file.
struct BlockRules {
  Compression compression = Compression::kNone;
  std::uint64_t end_offset = 0;  // no block ends after it
  std::uint64_t max_block_bytes = std::uint64_t{256} << 20;
  std::shared_ptr<MemoryBudget> memory = {};  // the file's budget; every block is charged to it
  BlockLife life = BlockLife::kShort;         // kKept if the blocks are cached
};

class FileBlockSource final : public BlockSource {
 public:
  // The file and the counters must outlive the source.
  FileBlockSource(File& file, const BlockRules& rules, ReadCounters& counters)
      : file_(file), rules_(rules), counters_(counters) {}

  FileBlockSource* as_file() override { return this; }

  // Reads one run of a block into `run`, which has the run's size, and verifies it. Errors: kCorruption, kIo.
  Status read_run(const BlockRuns& runs, std::size_t i, std::span<std::byte> run);
  // Counts a block as read, for a caller that reads only runs of it.
  void count(const BlockAddress& address);

  // Returns the header of the block that begins at `offset`, without verifying its checksum. Errors:
  // kCorruption, kIo, kUnsupported.
  Result<BlockHeader> header_at(std::uint64_t offset);
  // Returns the block that begins at `offset`, with the kind and size that its header states. Errors:
  // kCorruption, kIo, kUnsupported, kCapacity.
  Result<BlockPointer> read_at(std::uint64_t offset);

 private:
  Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* ahead) override;
  Status read_counted(std::uint64_t offset, std::span<std::byte> bytes);
  Status read_ahead(const BlockAddress& address, ReadAhead& ahead, std::span<std::byte> block);
  Status check_bounds(std::uint64_t offset, std::uint64_t size, const char* name) const;

  File& file_;
  BlockRules rules_;
  ReadCounters& counters_;
};

}  // namespace bloomery::hfile
