#include "hfile/block_header.h"

#include <cstring>
#include <string>
#include <string_view>

#include "base/endian.h"

namespace bloomery::hfile {
namespace {

struct KindNames {
  std::string_view magic;
  const char* name;
};

// The magics and names, in the order of BlockKind.
constexpr KindNames kKinds[kBlockKinds] = {
    {"DATABLK*", "data block"},       {"DATABLKE", "encoded data block"},
    {"IDXLEAF2", "leaf index block"}, {"BLMFBLK2", "Bloom chunk"},
    {"METABLKc", "meta block"},       {"IDXINTE2", "intermediate index block"},
    {"IDXROOT2", "root index block"}, {"FILEINF2", "file info block"},
    {"BLMFMET2", "Bloom meta block"}, {"DFBLMET2", "delete-family Bloom meta block"}};

constexpr std::size_t kMagicBytes = 8;
constexpr const char* kHeaderSubject = "block header";

Result<BlockKind> kind_of(std::string_view magic, std::uint64_t offset) {
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    if (magic == kKinds[i].magic) {
      return static_cast<BlockKind>(i);
    }
  }
  return Error::corruption(kHeaderSubject, offset, "the magic of a block", "other bytes");
}

}  // namespace

const char* block_kind_name(BlockKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}

Result<BlockHeader> parse_block_header(std::span<const std::byte, kBlockHeaderBytes> bytes,
                                       std::uint64_t offset) {
  const std::byte* const at = bytes.data();
  BlockHeader header;
  BLOOMERY_ASSIGN_OR_RETURN(header.kind, kind_of({reinterpret_cast<const char*>(at), kMagicBytes}, offset));
  const std::uint64_t on_disk = std::uint64_t{load_big32(at + 8)} + kBlockHeaderBytes;
  header.uncompressed_bytes = load_big32(at + 12);
  header.previous_offset = static_cast<std::int64_t>(load_big64(at + 16));
  header.bytes_per_checksum = load_big32(at + 25);
  header.checked_bytes = load_big32(at + 29);
  const auto checksum = static_cast<unsigned>(at[24]);
  if (checksum > 2) {
    return Error::unsupported(block_kind_name(header.kind), offset + 24,
                              "expected a checksum type from 0 to 2, found " + std::to_string(checksum));
  }
  header.checksum = static_cast<ChecksumType>(checksum);
  if (header.bytes_per_checksum < kBlockHeaderBytes) {
    return Error::corruption(block_kind_name(header.kind), offset + 25, "at least 33 bytes per checksum",
                             header.bytes_per_checksum);
  }
  if (header.checked_bytes < kBlockHeaderBytes || on_disk > kMaxOnDiskBytes ||
      header.uncompressed_bytes > kMaxOnDiskBytes ||
      on_disk != header.checked_bytes + std::uint64_t{4} * header.checksum_count()) {
    return Error::corruption(block_kind_name(header.kind), offset, "sizes that agree",
                             std::to_string(on_disk) + " bytes on disk with " +
                                 std::to_string(header.checked_bytes) + " before the checksums");
  }
  if (header.previous_offset < -1 ||
      (header.previous_offset >= 0 && static_cast<std::uint64_t>(header.previous_offset) >= offset)) {
    return Error::corruption(block_kind_name(header.kind), offset + 16, "the previous block before this one",
                             "it at " + std::to_string(header.previous_offset));
  }
  header.on_disk_bytes = static_cast<std::uint32_t>(on_disk);
  return header;
}

void write_block_header(std::byte* out, const BlockHeader& header) {
  std::memcpy(out, kKinds[static_cast<std::size_t>(header.kind)].magic.data(), kMagicBytes);
  store_big(out + 8, static_cast<std::uint32_t>(header.on_disk_bytes - kBlockHeaderBytes));
  store_big(out + 12, header.uncompressed_bytes);
  store_big(out + 16, static_cast<std::uint64_t>(header.previous_offset));
  out[24] = static_cast<std::byte>(header.checksum);
  store_big(out + 25, header.bytes_per_checksum);
  store_big(out + 29, header.checked_bytes);
}

}  // namespace bloomery::hfile
