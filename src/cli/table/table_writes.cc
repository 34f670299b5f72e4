#include "cli/table/table_writes.h"

#include <algorithm>

#include "base/byte_text.h"

namespace bloomery::cli {
namespace {

CellType marker_type(bool has_qualifier, bool is_one_version) {
  if (has_qualifier) {
    return is_one_version ? CellType::kDelete : CellType::kDeleteColumn;
  }
  return is_one_version ? CellType::kDeleteFamilyVersion : CellType::kDeleteFamily;
}

}  // namespace

Result<SplitKeys> split_keys_of(const std::vector<std::string>& texts) {
  std::vector<std::string> rows;
  rows.reserve(texts.size());
  for (const std::string& text : texts) {
    rows.push_back(unescape_bytes(text));
  }
  std::ranges::sort(rows);
  SplitKeys splits;
  for (const std::string& row : rows) {
    BLOOMERY_RETURN_IF_ERROR(splits.append(row));
  }
  return splits;
}

Status delete_cells(StoreTable& table, const Deletion& deletion, const bloomery::WriteOptions& options) {
  const Mutation mutation{.row = deletion.row,
                          .family = deletion.family.value_or(""),
                          .qualifier = deletion.qualifier.value_or(""),
                          .timestamp = deletion.timestamp,
                          .type = marker_type(deletion.qualifier.has_value(), deletion.is_one_version)};
  if (deletion.family) {
    return table.mutate({&mutation, 1}, options);
  }
  const TableSchema schema = table.schema();
  std::vector<Mutation> mutations(schema.families.size(), mutation);
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    mutations[i].family = schema.families[i].name;
  }
  return table.mutate(mutations, options);
}

}  // namespace bloomery::cli
