#include "table/bulk_load_writer.h"

#include "base/byte_text.h"
#include "base/file.h"
#include "base/message.h"
#include "hfile/write_plan.h"

namespace bloomery {
namespace table {
namespace {

Error refused_row(std::string detail) {
  return Error::invalid_argument("", std::move(detail));
}

std::string shown(std::string_view row) {
  constexpr std::size_t kMostShown = 60;
  return escape_bytes(row.substr(0, kMostShown)) + (row.size() > kMostShown ? "..." : "");
}

// Returns the size of a cell as HBase counts it: two lengths, key and value, and the tags with their length
// if there are any.
std::uint64_t serialized_bytes(const Cell& cell) {
  const CellKey& key = cell.key;
  const std::uint64_t key_bytes = 12 + key.row.size() + key.family.size() + key.qualifier.size();
  return 8 + key_bytes + cell.value.size() + (cell.tags.empty() ? 0 : 2 + cell.tags.size());
}

}  // namespace

// Checks that rows ascend. At a region boundary it finishes all open files, so that no file has rows of two
// regions.
Status LoadWriter::begin_row(std::string_view row) {
  if (row.empty()) {
    return refused_row("row: expected at least one byte, found none");
  }
  if (counts_.rows > 0 && row < row_) {
    return refused_row(
        message("row: expected rows in order, found '", shown(row), "' behind '", shown(row_), "'"));
  }
  const std::size_t region = plan_.splits.region_of(row, counts_.rows > 0 ? region_ : 0);
  if (expected_region_ && region != *expected_region_) {
    return refused_row(message("row: expected rows in order, found '", shown(row), "' out of place"));
  }
  if (region != region_) {
    BLOOMERY_RETURN_IF_ERROR(finish());
    region_ = region;
  }
  row_ = row;
  ++counts_.rows;
  return {};
}

// Returns the file of a family. It remembers the last family, since neighbouring cells mostly share one.
LoadWriter::FamilyFile& LoadWriter::file_of(std::string_view family) {
  if (last_family_ == nullptr || last_family_->first != family) {
    auto found = families_.find(family);
    if (found == families_.end()) {
      found = families_.try_emplace(std::string(family)).first;
    }
    last_family_ = &*found;
  }
  return last_family_->second;
}

Status LoadWriter::begin_file(const std::string& family, FamilyFile& file) {
  BLOOMERY_ASSIGN_OR_RETURN(file.path, directory_.new_file(family));
  BLOOMERY_ASSIGN_OR_RETURN(file.writer, HFileWriter::create(file.path, plan_.file));
  file.cell_bytes = 0;
  return {};
}

Status LoadWriter::append(const Cell& cell) {
  if (counts_.rows == 0 || cell.key.row != row_) {
    BLOOMERY_RETURN_IF_ERROR(begin_row(cell.key.row));
  }
  FamilyFile& file = file_of(cell.key.family);
  const std::uint64_t bytes = serialized_bytes(cell);
  if (file.writer && file.cell_bytes + bytes >= plan_.max_file_bytes && file.last_row != row_) {
    BLOOMERY_RETURN_IF_ERROR(end_file(file));
  }
  if (!file.writer) {
    BLOOMERY_RETURN_IF_ERROR(begin_file(last_family_->first, file));
  }
  const Status appended = file.writer->append(cell);
  if (!appended) {
    const bool is_refused = appended.error().code() == ErrorCode::kInvalidArgument ||
                            appended.error().code() == ErrorCode::kCapacity;
    return is_refused ? Error(appended.error().code(), "", appended.error().detail()) : appended;
  }
  if (file.last_row != row_) {
    file.last_row = row_;
  }
  file.cell_bytes += bytes;
  ++counts_.cells;
  return {};
}

// Finishes the file and counts it. The family's next cell starts another file.
Status LoadWriter::end_file(FamilyFile& file) {
  BLOOMERY_RETURN_IF_ERROR(file.writer->finish());
  file.writer.reset();
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, FileSystem::real().facts(file.path));
  ++counts_.files;
  counts_.file_bytes += facts.size_bytes;
  return {};
}

Status LoadWriter::finish() {
  for (auto& [family, file] : families_) {
    if (file.writer) {
      BLOOMERY_RETURN_IF_ERROR(end_file(file));
    }
  }
  return {};
}

}  // namespace table

Status BulkLoadPlan::check() const {
  BLOOMERY_RETURN_IF_ERROR(hfile::plan_of(file));
  return {};
}

BulkLoadCounts& BulkLoadCounts::operator+=(const BulkLoadCounts& other) {
  cells += other.cells;
  rows += other.rows;
  files += other.files;
  file_bytes += other.file_bytes;
  return *this;
}

BulkLoadWriter::BulkLoadWriter(BulkLoadDirectory& directory, const BulkLoadPlan& plan)
    : state_(std::make_unique<table::LoadWriter>(*directory.state_, plan)) {}
BulkLoadWriter::BulkLoadWriter(BulkLoadWriter&&) noexcept = default;
BulkLoadWriter& BulkLoadWriter::operator=(BulkLoadWriter&&) noexcept = default;
BulkLoadWriter::~BulkLoadWriter() = default;

void BulkLoadWriter::expect_region(std::size_t region) {
  state_->expect_region(region);
}

Status BulkLoadWriter::append(const Cell& cell) {
  return state_->append(cell);
}

Status BulkLoadWriter::finish() {
  return state_->finish();
}

const BulkLoadCounts& BulkLoadWriter::counts() const {
  return state_->counts();
}

}  // namespace bloomery
