// Tables of LevelDB and RocksDB that tests make block by block, with right checksums around wrong contents.
//
//   TableCrafter table(sstable::TableMagic::kLevelDb);
//   const auto filter = table.append(...);  // one block behind the other
//   const std::string file = table.finished(metaindex, index);
//
// Blocks are as they are given. LevelDB's have CRC-32C, RocksDB's (format version 5) no checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/endian.h"
#include "base/varint.h"
#include "codec/sstable/block_checksum.h"
#include "codec/sstable/block_handle.h"
#include "codec/sstable/footer.h"
#include "tests/base/test_bytes.h"

namespace bloomery {

inline std::string varint_of(std::uint64_t value) {
  std::string bytes(kMaxVarintBytes, '\0');
  bytes.resize(write_varint(reinterpret_cast<std::byte*>(bytes.data()), value));
  return bytes;
}

inline std::string handle_bytes(const sstable::BlockHandle& handle) {
  return varint_of(handle.offset) + varint_of(handle.size);
}

// An entry whose key shares its first `shared` bytes with the one before; `rest` is what follows them.
inline std::string entry_bytes(std::size_t shared, const std::string& rest, const std::string& value) {
  return varint_of(shared) + varint_of(rest.size()) + varint_of(value.size()) + rest + value;
}

// A block of these entries, with one restart.
inline std::string block_bytes(const std::string& entries) {
  return entries + std::string("\0\0\0\0\1\0\0\0", 8);
}

// A user key as it stands in an index: with eight bytes of sequence number and type behind it.
inline std::string internal_key(const std::string& user_key) {
  return user_key + std::string("\1\0\0\0\0\0\0\0", 8);
}

class TableCrafter {
 public:
  explicit TableCrafter(sstable::TableMagic magic) : magic_(magic) {}

  // `compression` is the number behind the block: of what `contents` are compressed with.
  sstable::BlockHandle append(const std::string& contents, char compression = '\0') {
    const sstable::BlockHandle handle{.offset = file_.size(), .size = contents.size()};
    const std::string stored = contents + compression;
    std::string checksum(4, '\0');
    store_little(reinterpret_cast<std::byte*>(checksum.data()),
                 sstable::block_checksum(checksum_kind(), bytes_of(stored)));
    file_ += stored + checksum;
    return handle;
  }

  // The file, with its footer.
  std::string finished(const sstable::BlockHandle& metaindex, const sstable::BlockHandle& index) const {
    std::string handles = handle_bytes(metaindex) + handle_bytes(index);
    handles.resize(40);
    if (magic_ == sstable::TableMagic::kLevelDb) {
      return file_ + handles + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
    }
    return file_ + '\0' + handles + std::string("\5\0\0\0", 4) + "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";
  }

 private:
  sstable::ChecksumKind checksum_kind() const {
    return magic_ == sstable::TableMagic::kLevelDb ? sstable::ChecksumKind::kCrc32c
                                                   : sstable::ChecksumKind::kNone;
  }

  sstable::TableMagic magic_;
  std::string file_;
};

}  // namespace bloomery
