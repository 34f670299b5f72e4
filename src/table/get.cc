#include "bloomery/table/get.h"

#include <optional>
#include <utility>

#include "base/memory_budget.h"
#include "base/message.h"
#include "hfile/recognition.h"
#include "table/file_question.h"
#include "table/recording_source.h"
#include "table/row_cells.h"

namespace bloomery {
namespace table {

// One of the files, and the results of the get in it.
struct AskedFile {
  explicit AskedFile(std::string name) : path(std::move(name)) {}

  std::string path;
  BlockLog log = {};
  hfile::OpenFilePointer file = {};  // null if it was skipped
  FileAnswer answer = {};
  std::optional<RowCells> cells = {};
  bool has_cell = false;
  std::uint64_t given = 0;
};

namespace {

Status advance(AskedFile& asked) {
  BLOOMERY_ASSIGN_OR_RETURN(asked.has_cell, asked.cells->next());
  return {};
}

FileOfGet report_of(const AskedFile& asked) {
  FileOfGet report{.path = asked.path,
                   .skipped_by = asked.answer.skipped_by,
                   .reason = asked.answer.reason,
                   .cells = asked.given};
  for (const hfile::BlockAddress& block : asked.log) {
    report.blocks.push_back({hfile::block_kind_name(block.kind), block.offset, block.on_disk_bytes});
  }
  if (asked.file != nullptr) {
    report.filter_status = asked.file->filter_status();
    report.damaged_bloom_answers = asked.file->counters().damaged_bloom_answers;
  }
  return report;
}

}  // namespace

// Checks the files one after the other, then merges the cells of the files that are not skipped.
class FilesOfGet {
 public:
  FilesOfGet(std::string_view row, const CellChoice& cells) : row_(row), cells_(cells) {}

  Status ask(const std::string& path, ExplainSkips explain, const FileMemory& memory);
  Result<bool> next();
  const AskedFile& at() const { return *files_[*at_]; }
  std::size_t index() const { return *at_; }
  const std::vector<std::unique_ptr<AskedFile>>& files() const { return files_; }

 private:
  std::string row_;
  CellChoice cells_;
  std::vector<std::unique_ptr<AskedFile>> files_;  // by pointer: readers keep the addresses of the logs
  std::optional<std::size_t> at_;                  // the file of the current cell
};

// Opens and checks a file. If it may hold the row, reads on to its first wanted cell.
Status FilesOfGet::ask(const std::string& path, ExplainSkips explain, const FileMemory& memory) {
  AskedFile& asked = *files_.emplace_back(std::make_unique<AskedFile>(path));
  BLOOMERY_ASSIGN_OR_RETURN(asked.file,
                            hfile::open_hfile(path, RecordingSource::surroundings(asked.log), memory));
  asked.answer = ask_file(*asked.file, row_, cells_, explain);
  if (asked.answer.skipped_by != SkippedBy::kNothing) {
    asked.file.reset();  // closed at once, so that few of many files are open
    return {};
  }
  asked.cells.emplace(asked.file, row_, cells_);
  return advance(asked);
}

// Moves to the file whose cell comes next. If several have the same key, the file that was named first comes
// first.
Result<bool> FilesOfGet::next() {
  if (at_) {
    ++files_[*at_]->given;
    BLOOMERY_RETURN_IF_ERROR(advance(*files_[*at_]));
    at_.reset();
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const AskedFile& asked = *files_[i];
    if (asked.has_cell && (!at_ || asked.cells->cell().key < at().cells->cell().key)) {
      at_ = i;
    }
  }
  return at_.has_value();
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
  std::vector<FileOfGet> reports;
  for (const auto& asked : files_->files()) {
    reports.push_back(table::report_of(*asked));
  }
  return reports;
}

}  // namespace bloomery
