// A table of LevelDB or RocksDB: its footer, and the blocks that its metaindex lists.
//
//   data blocks | filter and other meta blocks | metaindex block | index block | footer
//
// TableFile keeps a view of the file's bytes. It checks every block when it reads it (block_reader.h).
// Sources: LevelDB, doc/table_format.md; RocksDB 7.8.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/sstable/block_handle.h"
#include "codec/sstable/block_reader.h"
#include "codec/sstable/footer.h"

namespace bloomery::sstable {

class TableFile {
 public:
  // Reads the footer and the metaindex. Decompressed blocks are charged to `memory`. Errors: kCorruption,
  // kUnsupported, kCapacity.
  static Result<TableFile> open(std::span<const std::byte> file, std::shared_ptr<MemoryBudget> memory = {});

  std::span<const std::byte> bytes() const { return file_; }
  const Footer& footer() const { return footer_; }
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_; }
  // Returns "crc32c of every block that was read", with the name of the checksum, or "none".
  std::string integrity() const;

  // Returns the handle that the metaindex stores under `name`, if any. Errors: kCorruption.
  Result<std::optional<BlockHandle>> find_meta(std::string_view name) const;
  // Returns the handle of the first name that is `name`, or `name` followed by a point and more
  // text. Errors: kCorruption.
  Result<std::optional<BlockHandle>> find_meta_named_like(std::string_view name) const;
  // Calls `visit` for every name of the metaindex. Errors: kCorruption.
  Status visit_meta(const std::function<void(std::string_view name, const BlockHandle& handle)>& visit) const;
  // Returns the metaindex's names with the prefix `prefix`, for messages.
  Result<std::string> meta_names(std::string_view prefix) const;

  Result<Block> read(const BlockHandle& handle, const char* name) const {
    return read_block(file_, footer_, handle, name, MemoryShare(memory_));
  }

  // Returns true if RocksDB wrote the table. Only RocksDB's tables have properties, also in version 0, which
  // shares LevelDB's magic.
  Result<bool> is_rocksdb() const;

 private:
  TableFile(std::span<const std::byte> file, const Footer& footer, Block metaindex,
            std::shared_ptr<MemoryBudget> memory)
      : file_(file), footer_(footer), metaindex_(std::move(metaindex)), memory_(std::move(memory)) {}

  std::span<const std::byte> file_;
  Footer footer_;
  Block metaindex_;
  std::shared_ptr<MemoryBudget> memory_;
};

// Returns the value of `key` in a block of entries, if it exists. Errors: kCorruption.
Result<std::optional<std::span<const std::byte>>> find_value(std::span<const std::byte> contents,
                                                             std::uint64_t offset, std::string_view key);

}  // namespace bloomery::sstable
