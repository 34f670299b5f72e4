// Gets as `bloomery hfile get` makes them, and the data blocks that each reads of a file.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "cli/hfile/cell_text.h"
#include "table/file_question.h"
#include "table/open_hfile.h"
#include "table/row_cells.h"

namespace bloomery {

// A get of a whole row, or of the column f:QUALIFIER.
struct AskedGet {
  std::string row;
  std::optional<std::string> qualifier = {};
};

inline void choose_column(cli::CellChoice& choice, const AskedGet& get) {
  CLI::App app;
  choice.add_to(app);
  if (get.qualifier) {
    app.parse("--column='f:" + cli::escape_bytes(*get.qualifier) + "'");
  }
  EXPECT_TRUE(choice.parse());
}

class CountedFile {
 public:
  explicit CountedFile(const std::string& path) {
    auto file = cli::open_hfile(path, cli::RecordingSource::options(*log_));
    EXPECT_TRUE(file) << file.error().to_string();
    file_ = *file;
  }

  const cli::OpenHFile& file() const { return file_; }

  struct Reads {
    bool is_read = false;      // not skipped
    std::uint64_t blocks = 0;  // of data, each once
    std::uint64_t cells = 0;   // found
  };
  Reads get(const AskedGet& get, const cli::CellChoice& choice) {
    log_->clear();
    Reads reads{.is_read = cli::ask_file(*file_, get.row, choice, cli::Explain::kNo).may_contain};
    if (reads.is_read) {
      cli::RowCells cells(file_, get.row, choice);
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
  std::unique_ptr<cli::BlockLog> log_ = std::make_unique<cli::BlockLog>();
  cli::OpenHFile file_;
};

}  // namespace bloomery
