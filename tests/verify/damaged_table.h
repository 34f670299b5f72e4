// Golden tables whose bytes are changed in a block, with the checksum made right again: what no checksum can tell.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/endian.h"
#include "codec/sstable/table_file.h"
#include "tests/codec/table_keys.h"

namespace bloomery {

inline std::vector<std::string> golden_tables() {
  std::vector<std::string> names;
  for (const auto& row : golden_table("leveldb/db_manifest.csv")) {
    names.push_back("leveldb/" + row.at("dir") + ".ldb");
  }
  for (const auto& row : golden_table("rocksdb/manifest.csv")) {
    names.push_back("rocksdb/" + row.at("file"));
  }
  names.emplace_back("rocksdb/tikv_fullbloom.sst");
  return names;
}

// The name of the table's only filter in the metaindex, and where it lies.
struct FilterPlace {
  std::string name;
  sstable::BlockHandle handle;
};

inline FilterPlace filter_of(const std::string& file) {
  FilterPlace place;
  const auto table = sstable::TableFile::open(bytes_of(file));
  EXPECT_TRUE(table && table->visit_meta([&](std::string_view name, const sstable::BlockHandle& handle) {
    if (name.find("filter.") != std::string_view::npos) {
      place = {.name = std::string(name), .handle = handle};
    }
  }));
  return place;
}

// Makes the checksum of the block right.
inline void sign_block(std::string& file, const sstable::BlockHandle& handle) {
  const auto footer = sstable::read_footer(bytes_of(file));
  ASSERT_TRUE(footer);
  const auto block = bytes_of(file).subspan(handle.offset, handle.size + 1);
  store_little(
      reinterpret_cast<std::byte*>(file.data()) + handle.offset + handle.size + 1,
      sstable::block_checksum(footer->checksum, block) + sstable::checksum_modifier(*footer, handle.offset));
}

}  // namespace bloomery
