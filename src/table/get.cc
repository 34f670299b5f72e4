#include "bloomery/table/get.h"

#include <optional>
#include <utility>

#include "base/memory_budget.h"
#include "base/message.h"
#include "bloomery/hfile/hfile_reader.h"
#include "hfile/read_log.h"
#include "hfile/reader_access.h"
#include "hfile/recognition.h"
#include "table/bloom_explanation.h"
#include "table/file_notes.h"
#include "table/read/file_choice.h"

namespace bloomery {
namespace table {
namespace {

// Returns the question of a family with HBase's defaults, which decides what a file is skipped by. A choice
// that has an entire family names no column.
FamilyQuestion question_of(const CellChoice& cells) {
  static const FamilySchema family;
  FamilyQuestion question{.family = &family,
                          .times = {.from = cells.times().since, .to = cells.times().until}};
  for (const ChosenColumn& column : cells.columns()) {
    if (!column.qualifier) {
      question.columns.clear();
      break;
    }
    question.columns.push_back(*column.qualifier);
  }
  return question;
}

}  // namespace

// The wanted cells of one row in one file, in order. A seek skips columns that are not wanted.
class RowCells {
 public:
  // `cells` must outlive the object.
  RowCells(hfile::OpenFilePointer file, std::string_view row, const CellChoice& cells)
      : file_(store_file_of(std::move(file))),
        question_(question_of(cells)),
        scanner_(hfile::ReaderAccess::reader_of(file_.file).scan()),
        row_(row),
        cells_(cells) {}

  const hfile::OpenFile& file() const { return *file_.file; }
  // Returns why the file cannot hold the cells, or kNothing. It reads the chunks of the filter at most.
  SkippedBy skipped_by() const { return skip_for_row(file_, question_, row_); }
  // Returns the sentence with the bounds, and for kBloomFilter why the filter answered no.
  std::string reason_of(SkippedBy by) const {
    return table::reason_of(by, file_, question_) +
           (by == SkippedBy::kBloomFilter ? explain_no(file(), row_, question_.columns) : std::string());
  }

  // Moves to the first wanted cell, or the next one. Returns false at the end. Errors: those of HFileScanner.
  Result<bool> next();
  // Precondition: the last next() found a cell.
  const Cell& cell() const { return scanner_.cell(); }

 private:
  Result<bool> step();

  StoreFile file_;
  FamilyQuestion question_;
  HFileScanner scanner_;
  std::string row_;
  const CellChoice& cells_;
  bool started_ = false;
};

// Moves to the next cell that may be wanted.
Result<bool> RowCells::step() {
  if (!started_) {
    started_ = true;
    return scanner_.seek(first_on_row(row_));
  }
  const CellKey& at = scanner_.cell().key;
  // A seek must not skip cells with an empty qualifier: the delete markers of the family have one too, and
  // are sorted among these cells by timestamp.
  if (cells_.wants_column(at) || at.qualifier.empty()) {
    return scanner_.next();
  }
  const std::optional<CellKey> wanted = cells_.next_wanted(at);
  if (!wanted) {
    return false;
  }
  const FlatKey target(*wanted);  // a copy: the seek invalidates the cell's bytes
  return scanner_.seek(target.key());
}

Result<bool> RowCells::next() {
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, step());
    if (!found || scanner_.cell().key.row != row_) {
      return false;
    }
    if (cells_.wants(scanner_.cell().key)) {
      return true;
    }
  }
}

// One of the files, and the results of the get in it.
struct AskedFile {
  FileOfGet facts = {};
  std::optional<RowCells> cells = {};  // nothing if the file was skipped
  bool has_cell = false;
};

namespace {

Status advance(AskedFile& asked) {
  const hfile::ReadLog log;
  const Result<bool> found = asked.cells->next();
  add_blocks(asked.facts.blocks, asked.cells->file(), log);
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
  BLOOMERY_ASSIGN_OR_RETURN(hfile::OpenFilePointer file, hfile::open_hfile(path, {}, memory));
  asked.cells.emplace(std::move(file), row_, cells_);
  const hfile::ReadLog log;
  const SkippedBy by = asked.facts.skipped_by = asked.cells->skipped_by();
  add_blocks(asked.facts.blocks, asked.cells->file(), log);
  if (by == SkippedBy::kNothing) {
    return advance(asked);
  }
  if (by != SkippedBy::kBloomFilter || explain == ExplainSkips::kYes) {
    asked.facts.reason = asked.cells->reason_of(by);
  }
  asked.cells.reset();  // closes the file at once, so that few of many files are open
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
    if (asked.cells) {
      facts.filter_status = asked.cells->file().filter_status();
      facts.damaged_bloom_answers = asked.cells->file().counters().damaged_bloom_answers;
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
