#include "cli/key_log.h"

#include <cassert>
#include <cstring>

#include "base/crc32c.h"
#include "base/nameless_file.h"

namespace bloomery::cli {
namespace {

void append_to_block(std::string& block, std::string_view key) {
  const std::uint64_t length = key.size();
  char bytes[sizeof length];
  std::memcpy(bytes, &length, sizeof length);
  block.append(bytes, sizeof length);
  block.append(key);
}

// Splits a block into its keys. Precondition: append_to_block() wrote the block, and a checksum guarantees
// its bytes unless they never left memory.
void split_keys(std::string_view block, std::vector<std::string_view>& keys) {
  keys.clear();
  while (!block.empty()) {
    std::uint64_t length = 0;
    assert(block.size() >= sizeof length);
    std::memcpy(&length, block.data(), sizeof length);
    assert(block.size() - sizeof length >= length);
    keys.push_back(block.substr(sizeof length, length));
    block.remove_prefix(sizeof length + length);
  }
}

}  // namespace

Status KeyLog::append(std::span<const std::string_view> keys) {
  assert(next_block_ == 0);
  for (const std::string_view key : keys) {
    if (last_.size() >= kBlockBytes) {
      BLOOMERY_RETURN_IF_ERROR(write_block());
    }
    append_to_block(last_, key);
    ++size_;
  }
  return {};
}

Result<bool> KeyLog::next(std::vector<std::string_view>& keys) {
  if (next_block_ > blocks_.size()) {
    keys.clear();
    return false;
  }
  const std::size_t block = next_block_++;
  if (block < blocks_.size()) {
    BLOOMERY_RETURN_IF_ERROR(read_block(blocks_[block]));
    split_keys(read_, keys);
  } else {
    split_keys(last_, keys);
  }
  return !keys.empty();
}

Status KeyLog::write_block() {
  if (blocks_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(file_, create_nameless_file(*files_, directory_, ".bloomery-keys"));
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(last_));
  BLOOMERY_RETURN_IF_ERROR(file_.write_all_at(disk_bytes_, bytes));
  blocks_.push_back({.bytes = bytes.size(), .checksum = crc32c(bytes)});
  disk_bytes_ += bytes.size();
  last_.clear();
  return {};
}

Status KeyLog::read_block(const Block& block) {
  read_.resize(block.bytes);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(read_));
  BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(next_offset_, bytes));
  if (const std::uint32_t checksum = crc32c(bytes); checksum != block.checksum) {
    return Error::corruption(file_.path(), next_offset_,
                             "key log: block checksum: expected " + std::to_string(block.checksum) +
                                 ", found " + std::to_string(checksum));
  }
  next_offset_ += block.bytes;
  return {};
}

}  // namespace bloomery::cli
