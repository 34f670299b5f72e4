// The Thrift struct PageHeader, which precedes every page of a column chunk.
//
//   field 1  i32     type: 0 data page, 1 index page, 2 dictionary page, 3 data page v2
//   field 2  i32     bytes of the page when decompressed
//   field 3  i32     bytes of the page in the file
//   field 4  i32     CRC-32 of the page in the file (optional)
//   field 5  struct  of type 0: values, encoding, and the encodings of definition and of repetition levels
//   field 7  struct  of type 2: values, encoding
//   field 8  struct  of type 3: values, nulls, rows, encoding, the bytes of definition and of repetition
//                    levels, is_compressed
//
// All other fields are skipped. Source: docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

enum class PageType : std::int32_t { kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3 };

// Numbered as in Parquet's enum Encoding.
enum class Encoding : std::int32_t {
  kPlain = 0,
  kPlainDictionary = 2,  // an older name of kRleDictionary; of a dictionary page, the same as kPlain
  kRle = 3,
  kBitPacked = 4,
  kDeltaBinaryPacked = 5,
  kDeltaLengthByteArray = 6,
  kDeltaByteArray = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};

// Returns the name in Parquet, such as "PLAIN", or the number of an encoding that is not listed.
std::string encoding_name(Encoding encoding);

struct PageHeader {
  PageType type = PageType::kData;
  std::uint64_t header_bytes = 0;
  std::uint64_t page_bytes = 0;          // in the file
  std::uint64_t decompressed_bytes = 0;  // at most 2^31 - 1
  std::optional<std::uint32_t> crc;
  // An index page has none of the following.
  std::uint64_t values = 0;  // at most 2^31 - 1; of data pages, with nulls
  Encoding encoding = Encoding::kPlain;
  Encoding definition_encoding = Encoding::kRle;  // of v1
  Encoding repetition_encoding = Encoding::kRle;
  std::uint64_t nulls = 0;  // of v2, like all below
  std::uint64_t definition_bytes = 0;
  std::uint64_t repetition_bytes = 0;
  bool is_compressed = true;
};

// Reads the header at the beginning of `bytes`, which begin at `offset` of their file. The page may be longer
// than the bytes that follow. Errors: kCorruption; kUnsupported for a page of another type.
Result<PageHeader> read_page_header(std::span<const std::byte> bytes, std::uint64_t offset);

}  // namespace bloomery::parquet
