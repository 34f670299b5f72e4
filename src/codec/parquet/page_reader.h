// Reads the pages of a column chunk one after the other: header, checksum, decompression.
//
//   chunk   (header, page)*     no byte is between them, before the first one or after the last one
//   v1      the codec's bytes of: repetition levels, definition levels, values
//   v2      repetition levels, definition levels, the codec's bytes of the values
//
// A page of at most kMostPageBytes is decompressed, into memory that is charged and used again for the next
// page. Bytes that are not compressed are a view of the file. Source: docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/parquet/page_header.h"

namespace bloomery::parquet {

inline constexpr std::uint64_t kMostPageBytes = std::uint64_t{256} << 20;

struct Page {
  PageHeader header;
  std::uint64_t offset = 0;           // of the page in the file, after its header
  std::span<const std::byte> levels;  // of v2: both kinds
  std::span<const std::byte> values;  // of v1 with the levels
};

// Memory for a decompressed page.
class PageBuffer {
 public:
  explicit PageBuffer(std::shared_ptr<MemoryBudget> memory) : memory_(std::move(memory)) {}
  // Returns memory whose earlier content is lost. Errors: kCapacity.
  Result<std::span<std::byte>> room(std::size_t size);

 private:
  MemoryShare memory_;
  std::vector<std::byte> bytes_;
};

class PageReader {
 public:
  // `chunk` is all pages of a chunk, at `offset` of the file. `codec` is the number of a CompressionCodec.
  PageReader(std::span<const std::byte> chunk, std::uint64_t offset, std::int32_t codec)
      : left_(chunk), offset_(offset), codec_(codec) {}

  // Reads the next header; nothing at the end of the chunk. Errors: kCorruption, kUnsupported.
  Result<std::optional<PageHeader>> next_header();
  // Checks and decompresses the page of that header. The page is a view of the file or of `buffer`. Errors:
  // kCorruption; kUnsupported for a codec that is not read; kCapacity.
  Result<Page> read_page(const PageHeader& header, PageBuffer& buffer);
  // Skips the page of that header.
  void skip_page(const PageHeader& header);

 private:
  std::span<const std::byte> left_;
  std::uint64_t offset_;  // of left_
  std::int32_t codec_;
};

}  // namespace bloomery::parquet
