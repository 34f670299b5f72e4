// Gets as `bloomery hfile get` makes them, and the data blocks that each reads of a file.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "bloomery/table/get.h"
#include "hfile/recognition.h"

namespace bloomery {

// A get of a whole row, or of the column f:QUALIFIER.
struct AskedGet {
  std::string row;
  std::optional<std::string> qualifier = {};
};

inline CellChoice choice_of(const AskedGet& get) {
  return get.qualifier ? CellChoice::of({{.family = "f", .qualifier = get.qualifier}}) : CellChoice();
}

class CountedFile {
 public:
  explicit CountedFile(const std::string& path) : path_(path) {
    auto file = hfile::open_hfile(path);
    EXPECT_TRUE(file) << file.error().to_string();
    file_ = *file;
  }

  const hfile::OpenFilePointer& file() const { return file_; }

  struct Reads {
    bool is_read = false;      // not skipped
    std::uint64_t blocks = 0;  // of data, each once
    std::uint64_t cells = 0;   // found
  };
  Reads get(const AskedGet& get, const CellChoice& choice) const {
    Result<RowGet> cells = RowGet::open({path_}, get.row, choice);
    EXPECT_TRUE(cells) << cells.error().to_string();
    Reads reads;
    Result<bool> found = cells->next();
    for (; found && *found; found = cells->next()) {
      ++reads.cells;
    }
    EXPECT_TRUE(found) << found.error().to_string();
    const FileOfGet facts = cells->files().front();
    reads.is_read = facts.skipped_by == SkippedBy::kNothing;
    std::set<std::uint64_t> blocks;
    for (const BlockOfScan& block : facts.blocks) {
      if (block.kind == hfile::block_kind_name(file_->index().data_kind)) {
        blocks.insert(block.offset);
      }
    }
    reads.blocks = blocks.size();
    return reads;
  }

 private:
  std::string path_;
  hfile::OpenFilePointer file_;
};

}  // namespace bloomery
