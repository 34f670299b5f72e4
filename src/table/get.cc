#include "bloomery/table/get.h"

#include <optional>
#include <utility>

#include "base/memory_budget.h"
#include "base/message.h"
#include "hfile/read_log.h"
#include "hfile/recognition.h"
#include "table/file_notes.h"
#include "table/row_cells.h"

namespace bloomery {
namespace table {

// One of the files, and the results of the get in it.
struct AskedFile {
  FileOfGet facts = {};
  hfile::OpenFilePointer file = {};  // null if it was skipped
  std::optional<RowCells> cells = {};
  bool has_cell = false;
};

namespace {

Status advance(AskedFile& asked) {
  const hfile::ReadLog log;
  const Result<bool> found = asked.cells->next();
  add_blocks(asked.facts.blocks, *asked.file, log);
  if (!found) {
    return found.error();
  }
  asked.has_cell = *found;
  return {};
}

}  // namespace

// Checks the files one after the other, then merges the cells of the files that are not skipped.
class FilesOfGet {
 public:
  FilesOfGet(std::string_view row, const CellChoice& cells) : row_(row), cells_(cells) {}

  Status ask(const std::string& path, ExplainSkips explain, const FileMemory& memory);
  Result<bool> next();
  const AskedFile& at() const { return files_[*at_]; }
  std::size_t index() const { return *at_; }
  std::vector<FileOfGet> facts() const;

 private:
  std::string row_;
  CellChoice cells_;
  std::vector<AskedFile> files_;
  std::optional<std::size_t> at_;  // the file of the current cell
};

// Opens and checks a file. If it may hold the row, reads on to its first wanted cell.
Status FilesOfGet::ask(const std::string& path, ExplainSkips explain, const FileMemory& memory) {
  AskedFile& asked = files_.emplace_back(AskedFile{.facts = {.path = path}});
  BLOOMERY_ASSIGN_OR_RETURN(asked.file, hfile::open_hfile(path, {}, memory));
  asked.cells.emplace(asked.file, row_, cells_);
  const hfile::ReadLog log;
  const SkippedBy by = asked.facts.skipped_by = asked.cells->skipped_by();
  add_blocks(asked.facts.blocks, *asked.file, log);
  if (by == SkippedBy::kNothing) {
    return advance(asked);
  }
  if (by != SkippedBy::kBloomFilter || explain == ExplainSkips::kYes) {
    asked.facts.reason = asked.cells->reason_of(by);
  }
  asked.cells.reset();
  asked.file.reset();  // closed at once, so that few of many files are open
  return {};
}

// Moves to the file whose cell comes next. If several have the same key, the file that was named first comes
// first.
Result<bool> FilesOfGet::next() {
  if (at_) {
    ++files_[*at_].facts.cells;
    BLOOMERY_RETURN_IF_ERROR(advance(files_[*at_]));
    at_.reset();
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const AskedFile& asked = files_[i];
    if (asked.has_cell && (!at_ || asked.cells->cell().key < at().cells->cell().key)) {
      at_ = i;
    }
  }
  return at_.has_value();
}

std::vector<FileOfGet> FilesOfGet::facts() const {
  std::vector<FileOfGet> all;
  for (const AskedFile& asked : files_) {
    FileOfGet& facts = all.emplace_back(asked.facts);
    if (asked.file != nullptr) {
      facts.filter_status = asked.file->filter_status();
      facts.damaged_bloom_answers = asked.file->counters().damaged_bloom_answers;
    }
  }
  return all;
}

}  // namespace table

RowGet::RowGet(std::unique_ptr<table::FilesOfGet> files) : files_(std::move(files)) {}
RowGet::RowGet(RowGet&&) noexcept = default;
RowGet& RowGet::operator=(RowGet&&) noexcept = default;
RowGet::~RowGet() = default;

Result<RowGet> RowGet::open(const std::vector<std::string>& paths, std::string_view row,
                            const CellChoice& cells, ExplainSkips explain, const FileMemory& memory) {
  if (row.size() > kLongestRow) {
    return Error::invalid_argument("row",
                                   message("expected at most ", kLongestRow, " bytes, found ", row.size()));
  }
  auto files = std::make_unique<table::FilesOfGet>(row, cells);
  for (const std::string& path : paths) {
    BLOOMERY_RETURN_IF_ERROR(within_memory(path, [&] { return files->ask(path, explain, memory); }));
  }
  return RowGet(std::move(files));
}

Result<bool> RowGet::next() {
  return files_->next();
}

const Cell& RowGet::cell() const {
  return files_->at().cells->cell();
}

std::size_t RowGet::file() const {
  return files_->index();
}

std::vector<FileOfGet> RowGet::files() const {
  return files_->facts();
}

}  // namespace bloomery
