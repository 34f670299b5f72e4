#include "cli/hfile/cell_text.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "bloomery/hfile/tag.h"
#include "hfile/key_text.h"

namespace bloomery::cli {
namespace {

void append_cell_line(std::string& out, const Cell& cell) {
  for (const std::string_view part : {cell.key.row, cell.key.family, cell.key.qualifier}) {
    append_escaped(out, part);
    out += '\t';
  }
  fmt::format_to(std::back_inserter(out), "{}\t{}\t", cell.key.timestamp, cell_type_name(cell.key.type));
  append_escaped(out, cell.value);
  out += '\t';
  std::string_view left = cell.tags;
  bool first = true;
  for (auto tag = read_tag(left); tag; tag = read_tag(left)) {
    fmt::format_to(std::back_inserter(out), "{}{}:", first ? "" : ",", tag->type);
    append_escaped(out, tag->bytes, ',');
    first = false;
  }
  fmt::format_to(std::back_inserter(out), "\t{}\n", cell.mvcc);
}

void append_cell_json(std::string& out, const Cell& cell) {
  nlohmann::ordered_json tags = nlohmann::ordered_json::array();
  std::string_view left = cell.tags;
  for (auto tag = read_tag(left); tag; tag = read_tag(left)) {
    tags.push_back({{"type", tag->type}, {"bytes", escape_bytes(tag->bytes, ',')}});
  }
  const nlohmann::ordered_json object = {{"row", escape_bytes(cell.key.row)},
                                         {"family", escape_bytes(cell.key.family)},
                                         {"qualifier", escape_bytes(cell.key.qualifier)},
                                         {"timestamp", cell.key.timestamp},
                                         {"type", cell_type_name(cell.key.type)},
                                         {"value", escape_bytes(cell.value)},
                                         {"tags", tags},
                                         {"mvcc", cell.mvcc}};
  out += object.dump();
  out += '\n';
}

}  // namespace

Status append_cell(std::string& out, const Cell& cell, CellForm form) {
  if (!has_whole_tags(cell.tags)) {
    return Error(ErrorCode::kCorruption,
                 hfile::show_column(cell.key.row, cell.key.family, cell.key.qualifier),
                 "expected whole tags, found other bytes");
  }
  (form == CellForm::kJson ? append_cell_json : append_cell_line)(out, cell);
  return {};
}

}  // namespace bloomery::cli
