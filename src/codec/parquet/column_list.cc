#include "codec/parquet/column_list.h"

#include <utility>

#include "base/message.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/filter_header.h"
#include "codec/parquet/schema.h"
#include "codec/parquet/value_range.h"

namespace bloomery::parquet {
namespace {

Error misplaced(const Footer& footer, const ColumnChunk& chunk, const std::string& expected) {
  return Error::corruption(kFileSubject, footer.offset,
                           message("row group ", chunk.row_group, ", chunk ", chunk.index, ": expected ",
                                   expected, ", found ", chunk.path));
}

// Returns the size of the chunk's filter according to the footer or else the filter's own header; 0 if
// neither tells.
std::uint64_t filter_bytes(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer) {
  if (chunk.filter_length && *chunk.filter_length > 0) {
    return static_cast<std::uint64_t>(*chunk.filter_length);
  }
  const auto begin = static_cast<std::uint64_t>(chunk.filter_offset.value_or(0));
  if (begin == 0 || begin >= footer.offset || chunk.encrypted || chunk.in_other_file) {
    return 0;
  }
  const auto header = read_filter_header(file.subspan(begin, footer.offset - begin), begin);
  return header ? header->size_bytes() : 0;
}

// Returns true if the chunk has no filter, but a range that rejects keys.
bool answers_by_range(const ColumnChunk& chunk, const ColumnType& type, ColumnOrder order) {
  return !chunk.filter_offset && !chunk.encrypted && !chunk.in_other_file &&
         chunk.value_count.value_or(0) > 0 && certain_range(type, chunk.statistics, order).has_value();
}

}  // namespace

Result<ColumnList> list_columns(std::span<const std::byte> file, std::shared_ptr<MemoryBudget> memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const Footer footer, read_footer(file));
  MemoryShare share(std::move(memory));
  ColumnList list;
  BLOOMERY_ASSIGN_OR_RETURN(
      const bool has_schema, for_each_column(footer, [&](const SchemaColumn& column) -> Status {
        BLOOMERY_RETURN_IF_ERROR(share.add("list of columns", 2 * sizeof(ListedColumn) + column.path.size()));
        list.columns.push_back({.path = column.path, .type = column.type});
        return {};
      }));
  if (!has_schema) {
    return Error::corruption(kFileSubject, footer.offset, "a schema", "none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<ColumnOrder> orders, column_orders(footer));
  const auto order_of_chunk = [&](const ColumnChunk& chunk) {
    return orders.size() == list.columns.size() ? orders[chunk.index] : ColumnOrder::kUnknown;
  };
  const auto visit = [&](const ColumnChunk& chunk) -> Status {
    if (chunk.index >= list.columns.size()) {
      return misplaced(footer, chunk, message("no more than ", list.columns.size(), " columns"));
    }
    ListedColumn& column = list.columns[chunk.index];
    const bool hidden = chunk.encrypted && chunk.path.empty();
    if (!hidden && (chunk.path != column.path || chunk.type != column.type.physical)) {
      return misplaced(footer, chunk, message(physical_type_name(column.type.physical), " ", column.path));
    }
    column.encrypted += std::uint64_t{chunk.encrypted};
    column.filters += std::uint64_t{chunk.filter_offset.has_value()};
    column.ranges += std::uint64_t{answers_by_range(chunk, column.type, order_of_chunk(chunk))};
    column.filter_bytes += filter_bytes(chunk, file, footer);
    return {};
  };
  const auto leave = [&](const RowGroup& row_group) -> Status {
    ++list.row_groups;
    list.rows += static_cast<std::uint64_t>(row_group.rows);
    if (row_group.chunks == list.columns.size()) {
      return {};
    }
    return Error::corruption(kFileSubject, footer.offset,
                             message("row group ", row_group.number, ": expected ", list.columns.size(),
                                     " columns, found ", row_group.chunks));
  };
  BLOOMERY_RETURN_IF_ERROR(for_each_column_chunk(footer, visit, leave));
  return list;
}

}  // namespace bloomery::parquet
