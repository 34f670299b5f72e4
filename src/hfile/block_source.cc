#include "hfile/block_source.h"

#include <cstring>
#include <string>
#include <utility>

#include "hfile/read_log.h"

namespace bloomery::hfile {

Result<BlockPointer> BlockSource::read(const BlockAddress& address, ReadAhead* ahead) {
  BLOOMERY_ASSIGN_OR_RETURN(BlockPointer block, within_memory(block_kind_name(address.kind),
                                                              [&] { return fetch(address, ahead); }));
  if (block->kind() != address.kind || block->header().on_disk_bytes != address.on_disk_bytes) {
    return Error::corruption(block_kind_name(address.kind), address.offset,
                             "one of " + std::to_string(address.on_disk_bytes) + " bytes",
                             std::string("a ") + block_kind_name(block->kind()) + " of " +
                                 std::to_string(block->header().on_disk_bytes));
  }
  return block;
}

void FileBlockSource::count(const BlockAddress& address) {
  counters_.add(address.kind, ReadFrom::kDisk);
  ReadLog::note({&counters_, address, ReadFrom::kDisk});
}

Status FileBlockSource::check_bounds(std::uint64_t offset, std::uint64_t size, const char* name) const {
  if (size < kBlockHeaderBytes || offset > rules_.end_offset || size > rules_.end_offset - offset) {
    return Error::corruption(
        name, offset,
        "a block of at least 33 bytes that ends at or before " + std::to_string(rules_.end_offset),
        "one of " + std::to_string(size));
  }
  if (size > rules_.max_block_bytes) {
    return Error::capacity(name, "at byte " + std::to_string(offset) + ": expected a block of at most " +
                                     std::to_string(rules_.max_block_bytes) + " bytes, found one of " +
                                     std::to_string(size));
  }
  return {};
}

Result<BlockPointer> FileBlockSource::fetch(const BlockAddress& address, ReadAhead* ahead) {
  const std::size_t size = address.on_disk_bytes;
  BLOOMERY_RETURN_IF_ERROR(check_bounds(address.offset, size, block_kind_name(address.kind)));
  const bool is_plain = rules_.compression == Compression::kNone;
  BlockMemory stored = BlockMemory::of(size, is_plain ? room_of_block(address.kind, size, rules_.life) : 0);
  BLOOMERY_RETURN_IF_ERROR(ahead == nullptr ? read_counted(address.offset, stored.bytes())
                                            : read_ahead(address, *ahead, stored.bytes()));
  count(address);
  return make_block(std::move(stored), address.offset, rules_.compression, rules_.max_block_bytes,
                    MemoryShare(rules_.memory), rules_.life);
}

Status FileBlockSource::read_counted(std::uint64_t offset, std::span<std::byte> bytes) {
  BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(offset, bytes));
  counters_.add_bytes(bytes.size());
  return {};
}

// Reads the block, if it is not in the buffer, together with the bytes after it. If those cannot be read, the
// block is read alone, and the error is reported for the block that it concerns.
Status FileBlockSource::read_ahead(const BlockAddress& address, ReadAhead& ahead,
                                   std::span<std::byte> block) {
  const std::uint64_t offset = address.offset;
  ahead.pass(offset, block.size());
  std::span<const std::byte> found = ahead.find(offset, block.size());
  if (found.empty()) {
    const std::span<std::byte> room = ahead.room(block.size(), rules_.end_offset - offset, rules_.memory);
    if (room.empty() || !read_counted(offset, room)) {
      return read_counted(offset, block);
    }
    ahead.fill(offset, room.size());
    found = ahead.find(offset, block.size());
  }
  std::memcpy(block.data(), found.data(), block.size());
  return {};
}

Status FileBlockSource::read_run(const BlockRuns& runs, std::size_t i, std::span<std::byte> run) {
  BLOOMERY_RETURN_IF_ERROR(read_counted(runs.offset() + runs.begin(i), run));
  return runs.verify(i, run);
}

Result<BlockHeader> FileBlockSource::header_at(std::uint64_t offset) {
  BLOOMERY_RETURN_IF_ERROR(check_bounds(offset, kBlockHeaderBytes, "block header"));
  std::array<std::byte, kBlockHeaderBytes> bytes;
  BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(offset, bytes));
  return parse_block_header(bytes, offset);
}

Result<BlockPointer> FileBlockSource::read_at(std::uint64_t offset) {
  BLOOMERY_ASSIGN_OR_RETURN(const BlockHeader header, header_at(offset));
  return read({.kind = header.kind, .offset = offset, .on_disk_bytes = header.on_disk_bytes});
}

}  // namespace bloomery::hfile
