#include "codec/sstable/block_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/varint.h"
#include "codec/sstable/block_entries.h"
#include "compress/block_decompress.h"

namespace bloomery::sstable {
namespace {

// Limits a block's size, because Zstandard can claim 32 KiB for every byte. An index or properties are far
// smaller.
constexpr std::uint64_t kMostUnpackedBytes = std::uint64_t{256} << 20;

// The meaning of a compression byte.
struct StoredAs {
  BlockCodec codec;
  bool size_in_front;
};

// A zstd frame begins with these bytes, which no zlib header has.
bool begins_zstd(std::span<const std::byte> stored) {
  constexpr std::uint32_t kZstdMagic = 0xfd2fb528;
  return stored.size() >= 4 && load_little32(stored.data()) == kZstdMagic;
}

// In tables without RocksDB's magic, compression 2 is LevelDB's zstd, or zlib in Mojang's LevelDB
// (Minecraft), in which 4 is raw deflate.
Result<StoredAs> stored_as(const Footer& footer, unsigned compression, std::span<const std::byte> stored) {
  const bool rocksdb = footer.magic == TableMagic::kRocksDb;
  if (compression == 1) {
    return StoredAs{BlockCodec::kSnappy, false};
  }
  if (!rocksdb && compression == 2) {
    return StoredAs{begins_zstd(stored) ? BlockCodec::kZstd : BlockCodec::kZlib, false};
  }
  if (!rocksdb && compression == 4) {
    return StoredAs{BlockCodec::kRawDeflate, false};
  }
  const bool sized = rocksdb && footer.format_version >= 2;
  if (sized && compression == 2) {
    return StoredAs{BlockCodec::kRawDeflate, true};
  }
  if (sized && (compression == 4 || compression == 5)) {
    return StoredAs{BlockCodec::kLz4, true};
  }
  if (sized && compression == 7) {
    return StoredAs{BlockCodec::kZstd, true};
  }
  return Error(ErrorCode::kUnsupported, "table block",
               "expected a known compression, found number " + std::to_string(compression) +
                   " in a table of format version " + std::to_string(footer.format_version));
}

Result<Block> decompressed_block(const Footer& footer, unsigned compression,
                                 std::span<const std::byte> stored, std::uint64_t offset, const char* name,
                                 MemoryShare memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const StoredAs as, stored_as(footer, compression, stored));
  std::uint64_t size = 0;
  if (as.size_in_front) {
    BLOOMERY_ASSIGN_OR_RETURN(size, read_next_varint(stored, offset));
  } else if (as.codec == BlockCodec::kRawDeflate || as.codec == BlockCodec::kZlib) {
    BLOOMERY_ASSIGN_OR_RETURN(size, inflated_size(as.codec, stored, kMostUnpackedBytes));
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(size, stated_size(as.codec, stored));
  }
  if (size > kMostUnpackedBytes) {
    return Error::capacity("table block", "expected at most 256 MiB when it is decompressed, found " +
                                              std::to_string(size) + " bytes");
  }
  BLOOMERY_RETURN_IF_ERROR(memory.add(name, std::min(size, largest_size(as.codec, stored.size()))));
  BLOOMERY_ASSIGN_OR_RETURN(std::vector<std::byte> contents, decompress_block(as.codec, stored, size));
  return Block(std::move(contents), std::move(memory));
}

std::uint32_t checksum_at(const Footer& footer, std::span<const std::byte> block, std::uint64_t offset) {
  return block_checksum(footer.checksum, block) + checksum_modifier(footer, offset);
}

// When RocksDB ingests a table, it may write a sequence number into the properties, where the writer of the
// table put eight zeros. The checksum stays that of the zeros. Returns the bytes of the number; there are
// none in any other block.
std::span<const std::byte> ingested_sequence(std::span<const std::byte> contents, std::uint64_t offset) {
  Result<BlockEntries> entries = BlockEntries::open(contents, offset);
  while (entries && entries->next().value_or(false)) {
    if (entries->key() == "rocksdb.external_sst_file.global_seqno" &&
        entries->value().size() == sizeof(std::uint64_t)) {
      return entries->value();
    }
  }
  return {};
}

// Returns true if `found` is the checksum of a block of properties before its table was ingested. `block` is
// the contents and the type byte.
bool is_checksum_before_ingestion(const Footer& footer, std::span<const std::byte> block,
                                  std::uint64_t offset, std::uint32_t found) {
  const auto contents = block.first(block.size() - 1);
  const auto sequence =
      block.back() == std::byte{0} ? ingested_sequence(contents, offset) : std::span<const std::byte>();
  if (sequence.empty()) {
    return false;
  }
  std::vector<std::byte> before(block.begin(), block.end());
  std::fill_n(before.begin() + (sequence.data() - block.data()), sequence.size(), std::byte{0});
  return checksum_at(footer, before, offset) == found;
}

}  // namespace

Result<Block> read_block(std::span<const std::byte> file, const Footer& footer, const BlockHandle& handle,
                         const char* name, MemoryShare memory) {
  const std::uint64_t end = footer.offset;
  if (handle.offset > end || end - handle.offset < kBlockTrailerBytes ||
      handle.size > end - handle.offset - kBlockTrailerBytes) {
    return Error::corruption(name, handle.offset,
                             "a block that ends before the footer at " + std::to_string(end),
                             "one of " + std::to_string(handle.size) + " bytes");
  }
  const auto stored = file.subspan(handle.offset, handle.size + kBlockTrailerBytes);
  const std::uint32_t found = load_little32(stored.data() + handle.size + 1);
  const auto block = stored.first(handle.size + 1);
  const std::uint32_t expected = checksum_at(footer, block, handle.offset);
  if (footer.checksum != ChecksumKind::kNone && found != expected &&
      !is_checksum_before_ingestion(footer, block, handle.offset, found)) {
    return Error::corruption(
        name, handle.offset,
        std::string("the ") + checksum_name(footer.checksum) + " " + std::to_string(expected), found);
  }
  const auto compression = static_cast<unsigned>(stored[handle.size]);
  if (compression == 0) {
    return Block(stored.first(handle.size));
  }
  return decompressed_block(footer, compression, stored.first(handle.size), handle.offset, name,
                            std::move(memory));
}

}  // namespace bloomery::sstable
