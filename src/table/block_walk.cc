#include "table/block_walk.h"

#include <array>

namespace bloomery::cli {

Status walk_block_headers(File& file, std::uint64_t end,
                          const std::function<Status(const hfile::BlockHeader&, std::uint64_t)>& see) {
  std::array<std::byte, hfile::kBlockHeaderBytes> bytes = {};
  for (std::uint64_t offset = 0; offset < end;) {
    BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(offset, bytes));
    BLOOMERY_ASSIGN_OR_RETURN(const hfile::BlockHeader header, hfile::parse_block_header(bytes, offset));
    if (header.on_disk_bytes > end - offset) {
      return Error::corruption(hfile::block_kind_name(header.kind), offset,
                               "expected an end at or before " + std::to_string(end) + ", found one of " +
                                   std::to_string(header.on_disk_bytes) + " bytes");
    }
    BLOOMERY_RETURN_IF_ERROR(see(header, offset));
    offset += header.on_disk_bytes;
  }
  return {};
}

const char* block_kind_key(hfile::BlockKind kind) {
  switch (kind) {
    case hfile::BlockKind::kData:
      return "data";
    case hfile::BlockKind::kEncodedData:
      return "encoded_data";
    case hfile::BlockKind::kLeafIndex:
      return "leaf_index";
    case hfile::BlockKind::kBloomChunk:
      return "bloom_chunk";
    case hfile::BlockKind::kMeta:
      return "meta";
    case hfile::BlockKind::kIntermediateIndex:
      return "intermediate_index";
    case hfile::BlockKind::kRootIndex:
      return "root_index";
    case hfile::BlockKind::kFileInfo:
      return "file_info";
    case hfile::BlockKind::kGeneralBloomMeta:
      return "bloom_meta";
    case hfile::BlockKind::kDeleteFamilyBloomMeta:
      return "delete_family_bloom_meta";
  }
  return "unknown";
}

}  // namespace bloomery::cli
