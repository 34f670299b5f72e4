#include "codec/sstable/block_entries.h"

#include "base/endian.h"
#include "base/varint.h"
#include "codec/sstable/block_handle.h"

namespace bloomery::sstable {
namespace {

constexpr const char* kTableBlockSubject = "table block";
// RocksDB 11 sets this bit if the keys of an index are evenly spaced. It changes nothing else.
constexpr std::uint32_t kUniformKeys = std::uint32_t{1} << 29;
constexpr std::uint32_t kHasHashIndex = std::uint32_t{1} << 31;
constexpr std::size_t kMostHashIndexed = std::size_t{1} << 16;  // RocksDB has no hash index in a larger block

// Removes the buckets of a hash index, and their number, from the end of `bytes`. Returns no bytes if they
// do not fit.
std::span<const std::byte> without_hash_index(std::span<const std::byte> bytes) {
  const std::size_t tail = sizeof(std::uint16_t) + load_little16(bytes.data() + bytes.size() - 2);
  return tail > bytes.size() ? std::span<const std::byte>() : bytes.first(bytes.size() - tail);
}

}  // namespace

Result<BlockEntries> BlockEntries::open(std::span<const std::byte> contents, std::uint64_t offset,
                                        ValueSize value_size) {
  if (contents.size() < 8) {
    return Error::corruption(kTableBlockSubject, offset, "8 bytes or more", contents.size());
  }
  std::uint32_t restarts = load_little32(contents.data() + contents.size() - 4) & ~kUniformKeys;
  std::span<const std::byte> rest = contents.first(contents.size() - 4);
  if ((restarts & kHasHashIndex) != 0 && contents.size() <= kMostHashIndexed) {
    restarts &= ~kHasHashIndex;
    rest = without_hash_index(rest);
  }
  if (restarts == 0 || restarts > rest.size() / 4) {
    return Error::corruption(kTableBlockSubject, offset,
                             "from 1 to " + std::to_string(rest.size() / 4) + " restarts", restarts);
  }
  return BlockEntries(rest.first(rest.size() - std::size_t{4} * restarts), offset, value_size);
}

Result<bool> BlockEntries::next() {
  if (left_.empty()) {
    return false;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t shared, read_next_varint(left_, offset_));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t unshared, read_next_varint(left_, offset_));
  std::uint64_t value_bytes = 0;
  if (value_size_ == ValueSize::kStored) {
    BLOOMERY_ASSIGN_OR_RETURN(value_bytes, read_next_varint(left_, offset_));
  }
  if (shared > key_.size() || unshared > left_.size() || value_bytes > left_.size() - unshared) {
    return Error::corruption(kTableBlockSubject, offset_, "an entry that fits its block",
                             "one that shares " + std::to_string(shared) + " of " +
                                 std::to_string(key_.size()) + " bytes and has " + std::to_string(unshared) +
                                 " and " + std::to_string(value_bytes) + " more");
  }
  shares_ = shared > 0;
  key_.resize(shared);
  key_.append(reinterpret_cast<const char*>(left_.data()), unshared);
  left_ = left_.subspan(unshared);
  value_ = value_size_ == ValueSize::kStored ? left_.first(value_bytes) : left_;
  left_ = left_.subspan(value_bytes);
  return true;
}

}  // namespace bloomery::sstable
