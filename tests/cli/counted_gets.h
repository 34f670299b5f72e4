// Gets as `bloomery hfile get` makes them, and the data blocks that each reads of a file.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "hfile/recognition.h"
#include "table/file_question.h"
#include "table/recording_source.h"
#include "table/row_cells.h"

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
  explicit CountedFile(const std::string& path) {
    auto file = hfile::open_hfile(path, table::RecordingSource::surroundings(*log_));
    EXPECT_TRUE(file) << file.error().to_string();
    file_ = *file;
  }

  const hfile::OpenFilePointer& file() const { return file_; }

  struct Reads {
    bool is_read = false;      // not skipped
    std::uint64_t blocks = 0;  // of data, each once
    std::uint64_t cells = 0;   // found
  };
  Reads get(const AskedGet& get, const CellChoice& choice) {
    log_->clear();
    Reads reads{.is_read = table::ask_file(*file_, get.row, choice, ExplainSkips::kNo).skipped_by ==
                           SkippedBy::kNothing};
    if (reads.is_read) {
      table::RowCells cells(file_, get.row, choice);
      Result<bool> found = cells.next();
      for (; found && *found; found = cells.next()) {
        ++reads.cells;
      }
      EXPECT_TRUE(found) << found.error().to_string();
    }
    std::set<std::uint64_t> blocks;
    for (const hfile::BlockAddress& block : *log_) {
      if (block.kind == file_->index().data_kind) {
        blocks.insert(block.offset);
      }
    }
    reads.blocks = blocks.size();
    return reads;
  }

 private:
  std::unique_ptr<table::BlockLog> log_ = std::make_unique<table::BlockLog>();
  hfile::OpenFilePointer file_;
};

}  // namespace bloomery
