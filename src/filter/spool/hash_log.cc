#include "filter/spool/hash_log.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/crc32c.h"
#include "base/nameless_file.h"

namespace bloomery {

HashLog::HashLog(FileSystem& files, const HashLogOptions& options)
    : files_(&files),
      options_(options),
      memory_blocks_max_(std::max<std::uint64_t>(options.memory_bytes / block_bytes(), 2) - 1) {}

HashLog HashLog::create(FileSystem& files, const HashLogOptions& options) {
  assert(options.block_hashes > 0);
  return HashLog(files, options);
}

Status HashLog::append(std::span<const Hash128> hashes) {
  while (status_ && !hashes.empty()) {
    if (blocks_.empty() || blocks_.back().size() == options_.block_hashes) {
      status_ = make_room();
      continue;
    }
    std::vector<Hash128>& last = blocks_.back();
    const std::size_t count = std::min(hashes.size(), options_.block_hashes - last.size());
    last.insert(last.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(count));
    size_ += count;
    hashes = hashes.subspan(count);
  }
  return status_;
}

Result<HashBatch> HashLog::next() {
  BLOOMERY_RETURN_IF_ERROR(status_);
  if (position_ == size_) {
    return HashBatch{.first = position_, .hashes = {}};
  }
  const Result<std::span<const Hash128>> found = block(position_ / options_.block_hashes);
  if (!found) {
    status_ = found.error();
    return found.error();
  }
  // The batch begins inside the last block if hashes were appended to it after it had been returned.
  const HashBatch batch = {.first = position_, .hashes = found->subspan(position_ % options_.block_hashes)};
  position_ += batch.hashes.size();
  return batch;
}

// Makes sure that the last of blocks_ is not full.
Status HashLog::make_room() {
  if (blocks_.size() == memory_blocks_max_) {
    return write_last_block();
  }
  blocks_.emplace_back().reserve(options_.block_hashes);
  return {};
}

Status HashLog::write_last_block() {
  if (checksums_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(file_, create_nameless_file(*files_, options_.directory, ".bloomery-log"));
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(blocks_.back()));
  BLOOMERY_RETURN_IF_ERROR(file_.write_all_at(disk_bytes(), bytes));
  checksums_.push_back(crc32c(bytes));
  blocks_.back().clear();
  return {};
}

Result<std::span<const Hash128>> HashLog::block(std::uint64_t index) {
  const std::uint64_t before_file = blocks_.size() - 1;
  if (index < before_file) {
    return std::span<const Hash128>(blocks_[index]);
  }
  if (index - before_file == checksums_.size()) {
    return std::span<const Hash128>(blocks_.back());
  }
  BLOOMERY_RETURN_IF_ERROR(read_block(index - before_file));
  return std::span<const Hash128>(buffer_);
}

Status HashLog::read_block(std::size_t index_in_file) {
  buffer_.resize(options_.block_hashes);
  const std::uint64_t offset = block_bytes() * index_in_file;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(buffer_));
  BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(offset, bytes));
  const std::uint32_t checksum = crc32c(bytes);
  if (checksum != checksums_[index_in_file]) {
    return Error::corruption(file_.path(), offset,
                             "hash log: block checksum: expected " +
                                 std::to_string(checksums_[index_in_file]) + ", found " +
                                 std::to_string(checksum));
  }
  return {};
}

}  // namespace bloomery
