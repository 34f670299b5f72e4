// Makes good the checksums of blocks whose bytes a test has changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/endian.h"
#include "hfile/block_checksum.h"

namespace bloomery {

// Of the block at `offset`; returns its size on disk, 0 when there is none that ends within the file.
inline std::uint64_t seal_block(std::string& file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < hfile::kBlockHeaderBytes) {
    return 0;
  }
  auto* const block = reinterpret_cast<std::byte*>(file.data()) + offset;
  const auto header = hfile::parse_block_header(
      std::span<const std::byte, hfile::kBlockHeaderBytes>(block, hfile::kBlockHeaderBytes),
      ~std::uint64_t{0} >> 1);
  if (!header || header->on_disk_bytes > file.size() - offset) {
    return 0;
  }
  std::byte* stored = block + header->checked_bytes;
  for (std::size_t at = 0; at < header->checked_bytes; at += header->bytes_per_checksum, stored += 4) {
    const std::size_t size = std::min<std::size_t>(header->bytes_per_checksum, header->checked_bytes - at);
    store_big(stored, hfile::block_checksum(header->checksum, {block + at, size}));
  }
  return header->on_disk_bytes;
}

}  // namespace bloomery
