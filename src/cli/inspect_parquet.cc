#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "base/file.h"
#include "base/memory_budget.h"
#include "cli/inspected_files.h"
#include "codec/parquet/column_list.h"
#include "codec/parquet/file_metadata.h"

namespace bloomery::cli {
namespace {

nlohmann::ordered_json describe_column(const parquet::ListedColumn& column) {
  nlohmann::ordered_json object = {{"column", column.path},
                                   {"physical_type", parquet::physical_name(column.type)}};
  if (const std::string logical = parquet::logical_name(column.type.logical); !logical.empty()) {
    object["logical_type"] = logical;
  }
  object["filters"] = column.filters;
  // Omitted if neither the footer nor a filter records it.
  if (column.filters == 0 || column.filter_bytes != 0) {
    object["filter_bytes"] = column.filter_bytes;
  }
  if (column.ranges > 0) {
    object["ranges"] = column.ranges;
  }
  if (column.encrypted > 0) {
    object["encrypted"] = column.encrypted;
  }
  return object;
}

nlohmann::ordered_json describe_list(const parquet::ColumnList& list, std::uint64_t file_bytes) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const parquet::ListedColumn& column : list.columns) {
    columns.push_back(describe_column(column));
  }
  return {{"type", "parquet file"},   {"row_groups", list.row_groups}, {"rows", list.rows},
          {"file_bytes", file_bytes}, {"integrity", "none"},           {"columns", std::move(columns)}};
}

std::string shown_type(const nlohmann::ordered_json& column) {
  const auto physical = column["physical_type"].get<std::string>();
  return column.contains("logical_type") ? column["logical_type"].get<std::string>() + " of " + physical
                                         : physical;
}

std::string shown_filters(const nlohmann::ordered_json& column, std::uint64_t row_groups) {
  const auto filters = column["filters"].get<std::uint64_t>();
  std::string text = filters == 0 ? "none" : fmt::format("in {} of {} row groups", filters, row_groups);
  if (filters != 0 && column.contains("filter_bytes")) {
    text += fmt::format(", {} bytes", column["filter_bytes"].get<std::uint64_t>());
  }
  if (column.contains("ranges")) {
    text += fmt::format("; least and greatest value in {}{}", column["ranges"].get<std::uint64_t>(),
                        filters == 0 ? fmt::format(" of {} row groups", row_groups) : " more");
  }
  return column.contains("encrypted") ? text + ", encrypted" : text;
}

}  // namespace

Result<std::optional<nlohmann::ordered_json>> describe_parquet_file(const std::string& path,
                                                                    const FileMemory& memory) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes == 0) {
    return std::optional<nlohmann::ordered_json>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const MappedFile mapping,
                            files.map(file, facts.size_bytes, MapAccess::kReadOnly));
  const std::span<const std::byte> bytes = mapping.bytes();
  if (!parquet::looks_like_file(bytes)) {
    return std::optional<nlohmann::ordered_json>();
  }
  const Result<parquet::ColumnList> list = within_memory(
      path, [&] { return parquet::list_columns(bytes, MemoryBudget::of_file(memory, bytes.size())); });
  // Bytes of a file that was truncated meanwhile are read as zeros.
  BLOOMERY_RETURN_IF_ERROR(in_file(mapping.status(), path));
  if (!list) {
    return list.error().in_file(path);
  }
  return std::optional(describe_list(*list, facts.size_bytes));
}

std::string show_parquet_columns(const nlohmann::ordered_json& columns, std::uint64_t row_groups) {
  constexpr std::size_t kWidest = 50;
  std::size_t name_width = 6;
  std::size_t type_width = 4;
  for (const nlohmann::ordered_json& column : columns) {
    name_width = std::max(name_width, printable_text(column["column"].get<std::string>()).size());
    type_width = std::max(type_width, shown_type(column).size());
  }
  name_width = std::min(name_width, kWidest);
  type_width = std::min(type_width, kWidest);
  std::string text = fmt::format("{:<{}}  {:<{}}  filters\n", "column", name_width, "type", type_width);
  for (const nlohmann::ordered_json& column : columns) {
    text += fmt::format("{:<{}}  {:<{}}  {}\n", printable_text(column["column"].get<std::string>()),
                        name_width, shown_type(column), type_width, shown_filters(column, row_groups));
  }
  return text;
}

}  // namespace bloomery::cli
