// Parquet files of one column, made of pages that a test chooses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/parquet/filter_header.h"
#include "codec/parquet/page_header.h"
#include "codec/parquet/split_blocks.h"
#include "hash/xxh.h"
#include "tests/codec/golden.h"
#include "tests/codec/thrift_bytes.h"

namespace bloomery {

// The bytes of a struct in Thrift's compact protocol. Fields are added in the order of their ids.
class ThriftStruct {
 public:
  ThriftStruct& i32(int id, std::int64_t value) { return field(id, 5, zigzag(value)); }
  ThriftStruct& i64(int id, std::int64_t value) { return field(id, 6, zigzag(value)); }
  ThriftStruct& flag(int id, bool value) { return field(id, value ? 1 : 2, ""); }
  ThriftStruct& binary(int id, std::string_view value) {
    return field(id, 8, static_cast<char>(value.size()) + std::string(value));
  }
  ThriftStruct& of(int id, const ThriftStruct& value) { return field(id, 12, value.bytes()); }
  // A list of fewer than 15 structs.
  ThriftStruct& list(int id, const std::vector<ThriftStruct>& values) {
    std::string bytes(1, static_cast<char>(values.size() << 4 | 12));
    for (const ThriftStruct& value : values) {
      bytes += value.bytes();
    }
    return field(id, 9, bytes);
  }
  ThriftStruct& texts(int id, std::string_view only) {
    return field(id, 9, std::string("\x18") + static_cast<char>(only.size()) + std::string(only));
  }
  std::string bytes() const { return fields_ + '\0'; }

 private:
  ThriftStruct& field(int id, int type, const std::string& value) {
    fields_ += static_cast<char>((id - last_) << 4 | type);
    fields_ += value;
    last_ = id;
    return *this;
  }

  std::string fields_;
  int last_ = 0;
};

struct TestPage {
  parquet::PageType type = parquet::PageType::kData;
  parquet::Encoding encoding = parquet::Encoding::kPlain;
  std::int64_t values = 0;
  std::string body = {};              // of v2: levels and values; as it is in the file
  std::int64_t decompressed = -1;     // -1: the bytes of the body
  std::int64_t definition_bytes = 0;  // of v2
  std::int64_t nulls = 0;             // of v2
  std::int64_t level_encoding = 3;    // of v1
  bool is_compressed = true;          // of v2

  std::string bytes() const {
    const auto size = static_cast<std::int64_t>(body.size());
    ThriftStruct header;
    header.i32(1, static_cast<int>(type)).i32(2, decompressed < 0 ? size : decompressed).i32(3, size);
    ThriftStruct about;
    about.i32(1, values);
    switch (type) {
      case parquet::PageType::kData:
        about.i32(2, static_cast<int>(encoding)).i32(3, level_encoding).i32(4, level_encoding);
        header.of(5, about);
        break;
      case parquet::PageType::kDictionary:
        about.i32(2, static_cast<int>(encoding));
        header.of(7, about);
        break;
      case parquet::PageType::kDataV2:
        about.i32(2, nulls)
            .i32(3, values)
            .i32(4, static_cast<int>(encoding))
            .i32(5, definition_bytes)
            .i32(6, 0);
        about.flag(7, is_compressed);
        header.of(8, about);
        break;
      case parquet::PageType::kIndex:
        header.of(6, ThriftStruct());
        break;
    }
    return header.bytes() + body;
  }
};

struct TestChunk {
  std::int64_t type = 6;  // BYTE_ARRAY
  std::int64_t type_length = 0;
  std::int64_t repetition = 0;  // required
  std::int64_t codec = 0;       // none
  std::int64_t values = 0;
  std::vector<TestPage> pages = {};
  std::vector<std::string> keys = {};  // in the filter
  std::int64_t page_bytes = -1;        // -1: as they are
  bool encrypted = false;

  std::string page_bytes_of_all() const {
    std::string bytes;
    for (const TestPage& page : pages) {
      bytes += page.bytes();
    }
    return bytes;
  }
  // A filter of one block.
  std::string filter() const {
    std::string bitset(parquet::kBlockBytes, '\0');
    for (const std::string& key : keys) {
      parquet::set_bits_of(xxh64(key), reinterpret_cast<std::byte*>(bitset.data()));
    }
    return parquet::filter_header_bytes(bitset.size()) + bitset;
  }
};

// A file whose row groups are `chunks`, each of the column "k" alone. The schema is that of the first.
inline std::string parquet_file(const std::vector<TestChunk>& chunks) {
  std::string file = "PAR1";
  std::vector<ThriftStruct> row_groups;
  for (const TestChunk& chunk : chunks) {
    const std::string pages = chunk.page_bytes_of_all();
    ThriftStruct metadata;
    metadata.i32(1, chunk.type).texts(3, "k").i32(4, chunk.codec).i64(5, chunk.values);
    metadata.i64(7, chunk.page_bytes < 0 ? static_cast<std::int64_t>(pages.size()) : chunk.page_bytes);
    metadata.i64(9, static_cast<std::int64_t>(file.size()));
    file += pages;
    metadata.i64(14, static_cast<std::int64_t>(file.size()));
    file += chunk.filter();
    ThriftStruct column;
    column.of(3, metadata);
    if (chunk.encrypted) {
      column.of(8, ThriftStruct());
    }
    row_groups.push_back(ThriftStruct().list(1, {column}).i64(3, chunk.values));
  }
  ThriftStruct root;
  root.binary(4, "root").i32(5, 1);
  ThriftStruct leaf;
  leaf.i32(1, chunks.front().type)
      .i32(2, chunks.front().type_length)
      .i32(3, chunks.front().repetition)
      .binary(4, "k");
  ThriftStruct footer;
  std::int64_t rows = 0;
  for (const TestChunk& chunk : chunks) {
    rows += chunk.values;
  }
  footer.list(2, {root, leaf}).i64(3, rows).list(4, row_groups);
  const std::string bytes = footer.bytes();
  return file + bytes + little_endian(static_cast<std::uint32_t>(bytes.size())) + "PAR1";
}

// The plain encoding of BYTE_ARRAY.
inline std::string plain_arrays(const std::vector<std::string>& values) {
  std::string bytes;
  for (const std::string& value : values) {
    bytes += little_endian(static_cast<std::uint32_t>(value.size())) + value;
  }
  return bytes;
}

}  // namespace bloomery
