#include "hfile/block_walk.h"

#include <array>

namespace bloomery::hfile {

Status walk_block_headers(File& file, std::uint64_t end,
                          const std::function<Status(const BlockHeader&, std::uint64_t)>& see) {
  std::array<std::byte, kBlockHeaderBytes> bytes = {};
  for (std::uint64_t offset = 0; offset < end;) {
    BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(offset, bytes));
    BLOOMERY_ASSIGN_OR_RETURN(const BlockHeader header, parse_block_header(bytes, offset));
    if (header.on_disk_bytes > end - offset) {
      return Error::corruption(block_kind_name(header.kind), offset,
                               "expected an end at or before " + std::to_string(end) + ", found one of " +
                                   std::to_string(header.on_disk_bytes) + " bytes");
    }
    BLOOMERY_RETURN_IF_ERROR(see(header, offset));
    offset += header.on_disk_bytes;
  }
  return {};
}

const char* block_kind_key(BlockKind kind) {
  switch (kind) {
    case BlockKind::kData:
      return "data";
    case BlockKind::kEncodedData:
      return "encoded_data";
    case BlockKind::kLeafIndex:
      return "leaf_index";
    case BlockKind::kBloomChunk:
      return "bloom_chunk";
    case BlockKind::kMeta:
      return "meta";
    case BlockKind::kIntermediateIndex:
      return "intermediate_index";
    case BlockKind::kRootIndex:
      return "root_index";
    case BlockKind::kFileInfo:
      return "file_info";
    case BlockKind::kGeneralBloomMeta:
      return "bloom_meta";
    case BlockKind::kDeleteFamilyBloomMeta:
      return "delete_family_bloom_meta";
  }
  return "unknown";
}

}  // namespace bloomery::hfile
