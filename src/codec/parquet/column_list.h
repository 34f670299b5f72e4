// Lists the columns of a Parquet file with their types, and counts the row groups with
// filters, for `inspect`.
//
// Every chunk must have the same index as its column in the schema. Otherwise the file is damaged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/parquet/column_type.h"

namespace bloomery::parquet {

struct ListedColumn {
  std::string path;
  ColumnType type;
  std::uint64_t filters = 0;       // row groups that name a filter
  std::uint64_t ranges = 0;        // row groups without a filter and with a trusted range of values
  std::uint64_t encrypted = 0;     // row groups in which the column is encrypted
  std::uint64_t filter_bytes = 0;  // of the filters, as far as the footer or their headers tell
};

struct ColumnList {
  std::uint64_t row_groups = 0;
  std::uint64_t rows = 0;
  std::vector<ListedColumn> columns;
};

// Reads the footer. The memory of the list is charged to `memory` while the list is built. Errors:
// kCorruption; kUnsupported for an encrypted footer; kCapacity.
Result<ColumnList> list_columns(std::span<const std::byte> file, std::shared_ptr<MemoryBudget> memory = {});

}  // namespace bloomery::parquet
