// Writing HFiles in tests: a copy of a file's cells, and the bytes of what was written.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/hfile_writer.h"

namespace bloomery {

inline std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// A cell with bytes of its own.
struct OwnedCell {
  std::string row = {};
  std::string family = {};
  std::string qualifier = {};
  std::int64_t timestamp = 0;
  CellType type = CellType::kPut;
  std::string value = {};
  std::string tags = {};
  std::int64_t mvcc = 0;

  CellKey key() const { return {row, family, qualifier, timestamp, type}; }
  Cell cell() const { return {key(), value, tags, mvcc}; }

  bool operator==(const OwnedCell&) const = default;
};

inline OwnedCell owned(const Cell& cell) {
  return {.row = std::string(cell.key.row),
          .family = std::string(cell.key.family),
          .qualifier = std::string(cell.key.qualifier),
          .timestamp = cell.key.timestamp,
          .type = cell.key.type,
          .value = std::string(cell.value),
          .tags = std::string(cell.tags),
          .mvcc = cell.mvcc};
}

inline std::vector<OwnedCell> cells_of(const HFileReader& reader) {
  std::vector<OwnedCell> cells;
  HFileScanner scanner = reader.scan();
  Result<bool> found = scanner.seek_to_first();
  for (; found && *found; found = scanner.next()) {
    cells.push_back(owned(scanner.cell()));
  }
  EXPECT_TRUE(found) << found.error().to_string();
  return cells;
}

inline Status finish_with(HFileWriter writer, const std::vector<OwnedCell>& cells) {
  for (const OwnedCell& cell : cells) {
    BLOOMERY_RETURN_IF_ERROR(writer.append(cell.cell()));
  }
  return writer.finish();
}

inline Status write_cells(const std::string& path, const HFileWriteOptions& options,
                          const std::vector<OwnedCell>& cells) {
  BLOOMERY_ASSIGN_OR_RETURN(HFileWriter writer, HFileWriter::create(path, options));
  return finish_with(std::move(writer), cells);
}

}  // namespace bloomery
