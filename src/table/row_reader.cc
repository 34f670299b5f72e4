#include "bloomery/table/row_reader.h"

#include <utility>

#include "table/row_gets.h"

namespace bloomery {

RowReader::RowReader(std::unique_ptr<table::RowGets> gets) : gets_(std::move(gets)) {}
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;
RowReader::~RowReader() = default;

Result<RowReader> RowReader::make(const Table& table, const CellRequest& request) {
  BLOOMERY_ASSIGN_OR_RETURN(auto gets, table::RowGets::make(table.files_, request));
  return RowReader(std::move(gets));
}

Result<bool> RowReader::get(std::string_view row, RowResult& result) {
  return gets_->get(row, result);
}

Status RowReader::get(std::span<const std::string_view> rows, std::vector<RowResult>& results) {
  return gets_->get(rows, results);
}

void RowReader::note_files() {
  gets_->note_files();
}

const std::vector<FileOfScan>& RowReader::files() const {
  return gets_->noted();
}

}  // namespace bloomery
