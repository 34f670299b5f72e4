#include "codec/sstable/footer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/endian.h"
#include "base/zero_bytes.h"

namespace bloomery::sstable {
namespace {

constexpr std::uint64_t kLevelDbMagic = 0xdb4775248b80fb57;
constexpr std::uint64_t kRocksDbMagic = 0x88e241b785f4cff7;
constexpr std::uint64_t kPebbleMagic = 0xb3aa9ff0b3aa9ff0;
constexpr std::size_t kTableMagicBytes = 8;
constexpr std::size_t kHandlesBytes = 40;
constexpr std::size_t kLevelDbFooterBytes = kHandlesBytes + kTableMagicBytes;
constexpr std::size_t kRocksDbFooterBytes = 1 + kHandlesBytes + 4 + kTableMagicBytes;
constexpr std::uint32_t kLastVersion = 7;
constexpr std::uint32_t kFirstChecksummedVersion = 6;
constexpr const char* kTableFooterSubject = "table footer";

std::uint64_t magic_of(std::span<const std::byte> file) {
  return file.size() < kTableMagicBytes ? 0 : load_little64(file.data() + file.size() - kTableMagicBytes);
}

int equal_bytes(std::uint64_t a, std::uint64_t b) {
  int equal = 0;
  for (std::uint64_t difference = a ^ b, i = 0; i < kTableMagicBytes; ++i, difference >>= 8) {
    equal += (difference & 0xff) == 0 ? 1 : 0;
  }
  return equal;
}

Status read_handles(std::span<const std::byte> bytes, Footer& footer) {
  BLOOMERY_ASSIGN_OR_RETURN(footer.metaindex, read_block_handle(bytes, footer.offset));
  BLOOMERY_ASSIGN_OR_RETURN(footer.index, read_block_handle(bytes, footer.offset));
  if (!all_zeros(bytes)) {
    return Error::corruption(kTableFooterSubject, footer.offset, "zeros behind two handles", "other bytes");
  }
  return {};
}

// Reads the fields of versions 6 and 7 between the checksum kind and the version.
Status read_checksummed_parts(std::span<const std::byte> footer_bytes, Footer& footer) {
  constexpr std::uint32_t kExtendedMagic = 0x007a003e;
  constexpr std::size_t kMagicAt = 1;
  constexpr std::size_t kChecksumAt = 5;
  constexpr std::size_t kBaseAt = 9;
  constexpr std::size_t kMetaindexAt = 13;
  constexpr std::size_t kReservedAt = 33;
  const std::byte* const bytes = footer_bytes.data();
  if (load_little32(bytes + kMagicAt) != kExtendedMagic) {
    return Error::corruption(kTableFooterSubject, footer.offset + kMagicAt, "3e 00 7a 00", "other bytes");
  }
  footer.base_checksum = load_little32(bytes + kBaseAt);
  std::array<std::byte, kRocksDbFooterBytes> cleared{};
  std::ranges::copy(footer_bytes, cleared.begin());
  std::fill_n(cleared.begin() + kChecksumAt, sizeof(std::uint32_t), std::byte{0});
  const std::uint32_t expected =
      block_checksum(footer.checksum, cleared) + checksum_modifier(footer, footer.offset);
  const std::uint32_t found = load_little32(bytes + kChecksumAt);
  if (found != expected) {
    return Error::corruption(
        kTableFooterSubject, footer.offset,
        std::string("the ") + checksum_name(footer.checksum) + " " + std::to_string(expected), found);
  }
  footer.metaindex.size = load_little32(bytes + kMetaindexAt);
  if (footer.offset < kBlockTrailerBytes || footer.metaindex.size > footer.offset - kBlockTrailerBytes) {
    return Error::corruption(kTableFooterSubject, footer.offset + kMetaindexAt,
                             "a metaindex of at most " + std::to_string(footer.offset) + " bytes",
                             footer.metaindex.size);
  }
  footer.metaindex.offset = footer.offset - kBlockTrailerBytes - footer.metaindex.size;
  if (load_little64(bytes + kReservedAt) != 0) {
    return Error::unsupported(kTableFooterSubject, footer.offset + kReservedAt,
                              "expected zeros, found the sign of a feature of a later release");
  }
  return {};
}

// All of Pebble's formats store their version before the magic.
Error pebble_table(std::span<const std::byte> file) {
  constexpr std::size_t kVersionBytes = 4;
  const std::uint64_t at = file.size() - std::min(file.size(), kTableMagicBytes + kVersionBytes);
  const std::string version = file.size() < kTableMagicBytes + kVersionBytes
                                  ? ""
                                  : " of format " + std::to_string(load_little32(file.data() + at));
  return Error::unsupported(kTableFooterSubject, at,
                            "expected a table of LevelDB or RocksDB, found one of Pebble" + version +
                                ", whose filters are not read here");
}

Result<Footer> read_rocksdb_footer(std::span<const std::byte> file) {
  Footer footer;
  footer.magic = TableMagic::kRocksDb;
  footer.offset = file.size() - kRocksDbFooterBytes;
  const std::span<const std::byte> bytes = file.last(kRocksDbFooterBytes);
  footer.format_version = load_little32(bytes.data() + 1 + kHandlesBytes);
  if (footer.format_version > kLastVersion) {
    return Error::unsupported(
        kTableFooterSubject, footer.offset,
        "expected a format version from 0 to 7, found " + std::to_string(footer.format_version));
  }
  const auto checksum = static_cast<std::uint8_t>(bytes[0]);
  if (checksum > kLastChecksumKind) {
    return Error::unsupported(kTableFooterSubject, footer.offset,
                              "expected a checksum kind from 0 to 4, found " + std::to_string(checksum));
  }
  footer.checksum = static_cast<ChecksumKind>(checksum);
  if (footer.format_version >= kFirstChecksummedVersion) {
    BLOOMERY_RETURN_IF_ERROR(read_checksummed_parts(bytes, footer));
    return footer;
  }
  BLOOMERY_RETURN_IF_ERROR(read_handles(bytes.subspan(1, kHandlesBytes), footer));
  return footer;
}

}  // namespace

std::uint32_t checksum_modifier(const Footer& footer, std::uint64_t offset) {
  if (footer.base_checksum == 0) {
    return 0;
  }
  return footer.base_checksum ^
         (static_cast<std::uint32_t>(offset) + static_cast<std::uint32_t>(offset >> 32));
}

std::optional<TableMagic> table_magic(std::span<const std::byte> file) {
  const std::uint64_t magic = magic_of(file);
  if (magic == kLevelDbMagic) {
    return TableMagic::kLevelDb;
  }
  if (magic == kPebbleMagic) {
    return TableMagic::kPebble;
  }
  return magic == kRocksDbMagic ? std::optional(TableMagic::kRocksDb) : std::nullopt;
}

bool ends_like_table(std::span<const std::byte> file) {
  constexpr int kEnough = 6;  // of eight; random bytes end like this once in 2^43
  const std::uint64_t magic = magic_of(file);
  return equal_bytes(magic, kLevelDbMagic) >= kEnough || equal_bytes(magic, kRocksDbMagic) >= kEnough ||
         equal_bytes(magic, kPebbleMagic) >= kEnough;
}

Result<Footer> read_footer(std::span<const std::byte> file) {
  const std::uint64_t magic = magic_of(file);
  if (magic == kRocksDbMagic && file.size() >= kRocksDbFooterBytes) {
    return read_rocksdb_footer(file);
  }
  if (magic == kLevelDbMagic && file.size() >= kLevelDbFooterBytes) {
    Footer footer;
    footer.offset = file.size() - kLevelDbFooterBytes;
    BLOOMERY_RETURN_IF_ERROR(read_handles(file.last(kLevelDbFooterBytes).first(kHandlesBytes), footer));
    return footer;
  }
  if (magic == kPebbleMagic) {
    return pebble_table(file);
  }
  return Error::corruption(
      kTableFooterSubject, file.size() - std::min(file.size(), kTableMagicBytes),
      "the magic of a LevelDB or RocksDB table (a filter by itself: leveldb:raw, rocksdb:fastlocal)",
      "other bytes");
}

}  // namespace bloomery::sstable
