#include "cli/hfile/cell_text.h"

#include <array>

#include <fmt/format.h>

#include "bloomery/hfile/tag.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void append_escaped(std::string& out, std::string_view bytes, char also) {
  for (const char c : bytes) {
    if (c > 0x20 && c < 0x7f && c != '\\' && c != also) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
}

std::optional<unsigned> digit_of(char c) {
  const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
  const std::size_t digit = kDigits.find(lower);
  return digit == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(digit));
}

void append_cell_line(std::string& out, const Cell& cell) {
  for (const std::string_view part : {cell.key.row, cell.key.family, cell.key.qualifier}) {
    append_escaped(out, part, '\\');
    out += '\t';
  }
  fmt::format_to(std::back_inserter(out), "{}\t{}\t", cell.key.timestamp, cell_type_name(cell.key.type));
  append_escaped(out, cell.value, '\\');
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

std::string escape_bytes(std::string_view bytes, char also) {
  std::string text;
  append_escaped(text, bytes, also);
  return text;
}

std::string unescape_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      const auto high = digit_of(text[i + 2]);
      const auto low = digit_of(text[i + 3]);
      if (high && low) {
        bytes += static_cast<char>(*high << 4 | *low);
        i += 3;
        continue;
      }
    }
    if (text.substr(i, 2) == "\\\\") {
      ++i;
    }
    bytes += text[i];
  }
  return bytes;
}

std::string show_column(std::string_view row, std::string_view family, std::string_view qualifier) {
  return fmt::format("row {}, column {}:{}", escape_bytes(row), escape_bytes(family),
                     escape_bytes(qualifier));
}

Status append_cell(std::string& out, const Cell& cell, CellForm form) {
  if (!has_whole_tags(cell.tags)) {
    return Error(ErrorCode::kCorruption, show_column(cell.key.row, cell.key.family, cell.key.qualifier),
                 "expected whole tags, found other bytes");
  }
  (form == CellForm::kJson ? append_cell_json : append_cell_line)(out, cell);
  return {};
}

}  // namespace bloomery::cli
