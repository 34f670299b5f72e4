#include "bloomery/table/bulk_load.h"

#include <utility>

#include "hfile/write_plan.h"
#include "table/bulk_load_directory.h"
#include "table/bulk_load_writer.h"

namespace bloomery {

BulkLoadDirectory::BulkLoadDirectory(std::unique_ptr<table::LoadDirectory> state)
    : state_(std::move(state)) {}
BulkLoadDirectory::BulkLoadDirectory(BulkLoadDirectory&&) noexcept = default;
BulkLoadDirectory& BulkLoadDirectory::operator=(BulkLoadDirectory&&) noexcept = default;
BulkLoadDirectory::~BulkLoadDirectory() = default;

Result<BulkLoadDirectory> BulkLoadDirectory::create(const std::string& path, FamilyFiles existing) {
  BLOOMERY_ASSIGN_OR_RETURN(auto state, table::LoadDirectory::create(path, existing));
  return BulkLoadDirectory(std::move(state));
}

Status BulkLoadDirectory::commit() {
  return state_->commit();
}

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
