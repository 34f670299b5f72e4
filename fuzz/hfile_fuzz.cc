// Any bytes as an HFile, and as each of its parts: an error or an answer, never a crash, a hang or an
// allocation that the bytes do not back. Checksums would stop every input at once, so those of a whole file
// are made good first.
//
// An input whose first byte is below 16 is a part: that byte says which, the second how it is laid out.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/block_index.h"
#include "hfile/bloom/bloom_meta.h"
#include "hfile/data_block_cursor.h"
#include "hfile/file_info.h"
#include "hfile/trailer.h"
#include "tests/hfile/memory_files.h"
#include "tests/hfile/opened.h"
#include "tests/hfile/seal.h"

namespace {

using namespace bloomery;

constexpr std::uint64_t kMaxBlockBytes = std::uint64_t{1} << 20;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

hfile::BlockPointer block_of(hfile::BlockKind kind, std::span<const std::byte> payload) {
  const hfile::BlockHeader header{.kind = kind,
                                  .uncompressed_bytes = static_cast<std::uint32_t>(payload.size())};
  return hfile::Block::make(header, 0, hfile::BlockMemory::copy_of(payload), 0);
}

void try_data_block(hfile::DataEncoding encoding, unsigned flags, std::span<const std::byte> payload) {
  const hfile::CellLayout layout{(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
  const auto block = block_of(hfile::BlockKind::kEncodedData, payload);
  hfile::DataBlockCursor cursor;
  if (!cursor.start(block, encoding, layout)) {
    return;
  }
  std::size_t count = 0;
  Result<bool> found = cursor.next();
  for (; found && *found; found = cursor.next()) {
    ++count;
  }
  if (!found) {
    return;
  }
  // What can be read forward can be read backward, and every cell can be sought.
  std::size_t back = 0;
  for (found = cursor.last(); found && *found; found = cursor.previous()) {
    ++back;
  }
  require(found && back == count);
  if (cursor.last().value_or(false)) {
    const FlatKey key(cursor.cell().key);
    require(cursor.seek(key.key()).has_value() || encoding == hfile::DataEncoding::kRowIndexV1);
    require(cursor.seek_before(key.key()).has_value());
  }
}

void try_index_block(std::span<const std::byte> payload) {
  const auto block = block_of(hfile::BlockKind::kLeafIndex, payload);
  const auto view = hfile::IndexBlockView::over(*block);
  for (std::size_t i = 0; view && i < view->size(); ++i) {
    (void)view->entry(i);
  }
}

void try_root_index(unsigned flags, std::span<const std::byte> payload) {
  const auto middle = (flags & 1) != 0 ? hfile::MiddleLeaf::kPresent : hfile::MiddleLeaf::kAbsent;
  auto root = hfile::parse_root_index(payload, flags >> 1, middle, 0);
  if (root) {
    (void)hfile::BlockIndex::make(*std::move(root), 1, hfile::BlockKind::kData, 0);
  }
}

void try_bloom_meta(std::span<const std::byte> payload) {
  const auto meta = hbase::parse_bloom_meta(payload, 0);
  if (!meta) {
    return;
  }
  for (std::size_t i = 0; i < meta->chunks.size(); ++i) {
    require(hbase::chunk_of(*meta, meta->chunks[i].first_key) == i);
  }
  std::string written;
  hbase::append_bloom_meta(written, *meta);
  require(hbase::parse_bloom_meta(std::as_bytes(std::span(written)), 0).has_value());
}

void try_part(unsigned part, unsigned flags, std::span<const std::byte> bytes) {
  constexpr hfile::Compression kCompressions[] = {hfile::Compression::kGz, hfile::Compression::kSnappy,
                                                  hfile::Compression::kLz4, hfile::Compression::kZstd};
  switch (part) {
    case 0: {
      std::vector<std::byte> out(flags * 16);
      if (!bytes.empty()) {
        (void)hfile::decompress_payload(kCompressions[flags % 4], bytes, out);
      }
      return;
    }
    case 1:
      return try_data_block(hfile::DataEncoding::kNone, flags, bytes);
    case 2:
      return try_data_block(hfile::DataEncoding::kPrefix, flags, bytes);
    case 3:
      return try_data_block(hfile::DataEncoding::kDiff, flags, bytes);
    case 4:
      return try_data_block(hfile::DataEncoding::kFastDiff, flags, bytes);
    case 5:
      return try_data_block(hfile::DataEncoding::kRowIndexV1, flags, bytes);
    case 6:
      return try_index_block(bytes);
    case 7:
      return try_root_index(flags, bytes);
    case 8:
      (void)hfile::FileInfo::parse(bytes, 0);
      return;
    case 9:
      return try_bloom_meta(bytes);
    case 10: {
      // A trailer is mostly zeros: they are put there.
      std::vector<std::byte> tail(hfile::kMaxTrailerBytes);
      const auto fields = bytes.first(std::min<std::size_t>(bytes.size(), hfile::kMaxTrailerBytes - 4));
      std::ranges::copy(fields, tail.begin());
      tail[tail.size() - 4] = tail[tail.size() - 1] = std::byte{3};
      (void)hfile::parse_trailer(tail, tail.size() + 100000);
      return;
    }
    default:
      return;
  }
}

std::size_t count_of(Result<bool> found, HFileScanner& scanner, Result<bool> (HFileScanner::*step)()) {
  std::size_t count = 0;
  while (found && *found) {
    ++count;
    found = (scanner.*step)();
  }
  return count;
}

void try_file(std::string file) {
  for (std::size_t at = 0; at < file.size();) {
    const std::uint64_t size = seal_block(file, at);
    at += size == 0 ? 1 : size;
  }
  MemoryFiles files(file);
  const auto reader = open_in(files, "fuzz", {.max_block_bytes = kMaxBlockBytes});
  if (!reader) {
    return;
  }
  HFileScanner scanner = reader->scan();
  (void)count_of(scanner.seek_to_first(), scanner, &HFileScanner::next);
  (void)count_of(scanner.seek_to_last(), scanner, &HFileScanner::previous);
  if (scanner.seek(first_on_row("row-00005")).value_or(false)) {
    const FlatKey key(scanner.cell().key);
    (void)scanner.seek_before(key.key());
  }
  (void)reader->mid_key();
  (void)reader->may_contain_column("row-00005", "q00");
  (void)reader->may_contain_delete_family("row-00005");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  if (size >= 2 && data[0] < 16) {
    try_part(data[0], data[1], bytes.subspan(2));
  } else {
    try_file({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}
