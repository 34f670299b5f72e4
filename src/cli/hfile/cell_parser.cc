#include "cli/hfile/cell_parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "cli/numbers.h"
#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kMostTabs = 7;  // in a line printed by `hfile cat`
constexpr std::size_t kMostTagBytes = std::numeric_limits<std::uint16_t>::max();

Error wrong(std::string_view part, std::string_view expected, std::string_view found) {
  constexpr std::size_t kMostShown = 60;
  std::string shown = escape_bytes(found.substr(0, kMostShown));
  if (found.size() > kMostShown) {
    shown += "...";
  }
  return Error::invalid_argument("", fmt::format("{}: expected {}, found '{}'", part, expected, shown));
}

// Parses "\xHH" or "\\" at the start of `text` into `byte`. Returns its length, or 0 if the text starts with
// neither.
std::size_t parse_escape(std::string_view text, char& byte) {
  if (text.starts_with("\\\\")) {
    byte = '\\';
    return 2;
  }
  if (!text.starts_with("\\x") || text.size() < 4) {
    return 0;
  }
  const int high = hex_digit(text[2]);
  const int low = hex_digit(text[3]);
  if (high < 0 || low < 0) {
    return 0;
  }
  byte = static_cast<char>(high << 4 | low);
  return 4;
}

// Allocates `size` bytes, at least 1.
char* memory_of(std::pmr::memory_resource& arena, std::size_t size) {
  return static_cast<char*>(arena.allocate(std::max<std::size_t>(size, 1), 1));
}

Result<std::int64_t> parse_integer(std::string_view text, const char* part) {
  const auto value = number_from_text<std::int64_t>(text);
  return value ? Result<std::int64_t>(*value) : wrong(part, "a whole number from -2^63 to 2^63 - 1", text);
}

Result<CellType> parse_type(std::string_view name) {
  for (const CellType type : {CellType::kPut, CellType::kDelete, CellType::kDeleteFamilyVersion,
                              CellType::kDeleteColumn, CellType::kDeleteFamily}) {
    if (name == cell_type_name(type)) {
      return type;
    }
  }
  return wrong("type", "Put, Delete, DeleteFamilyVersion, DeleteColumn or DeleteFamily", name);
}

// Encodes the tags of a cell consecutively, as in a file (bloomery/hfile/tag.h).
class TagBytes {
 public:
  // Allocates memory for `tags` tags that are parsed from `text_bytes` bytes of text. This suffices, because
  // an escaped byte is never shorter than the byte.
  TagBytes(std::size_t text_bytes, std::size_t tags, std::pmr::memory_resource& arena)
      : begin_(memory_of(arena, text_bytes + 3 * tags)), end_(begin_) {}

  Status add(std::uint64_t type, std::string_view bytes) {
    if (type > 255) {
      return wrong("tags", "a type from 0 to 255", std::to_string(type));
    }
    const std::size_t size = bytes.size() + 1;
    if (size > kMostTagBytes) {
      return wrong("tags", "at most 65,534 bytes in a tag", std::to_string(bytes.size()));
    }
    *end_++ = static_cast<char>(size >> 8);
    *end_++ = static_cast<char>(size & 0xff);
    *end_++ = static_cast<char>(type);
    end_ = std::ranges::copy(bytes, end_).out;
    return {};
  }

  std::string_view view() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }

 private:
  char* begin_;
  char* end_;
};

// Parses tags: TYPE:BYTES, separated by commas.
Result<std::string_view> parse_tags(std::string_view text, std::pmr::memory_resource& arena) {
  if (text.empty()) {
    return std::string_view();
  }
  TagBytes tags(text.size(), static_cast<std::size_t>(std::ranges::count(text, ',')) + 1, arena);
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view tag = text.substr(0, comma);
    const std::size_t colon = tag.find(':');
    const auto type = number_from_text<std::uint64_t>(tag.substr(0, colon));
    if (colon == std::string_view::npos || !type) {
      return wrong("tags", "TYPE:BYTES, with commas between", tag);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes,
                              parse_escaped(tag.substr(colon + 1), "tags", arena));
    BLOOMERY_RETURN_IF_ERROR(tags.add(*type, bytes));
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return tags.view();
}

using CellJson = nlohmann::json;

// Returns the text of an unexpected value for a message. The contents of an object or array are not shown,
// because they may be deeply nested.
std::string shown(const CellJson& value) {
  return value.is_structured() ? value.type_name()
                               : value.dump(-1, ' ', false, CellJson::error_handler_t::replace);
}

std::string_view copied(std::string_view text, std::pmr::memory_resource& arena) {
  char* const copy = memory_of(arena, text.size());
  std::ranges::copy(text, copy);
  return {copy, text.size()};
}

Result<std::string_view> json_bytes(const CellJson& value, const char* part,
                                    std::pmr::memory_resource& arena) {
  if (!value.is_string()) {
    return wrong(part, "a string", shown(value));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes,
                            parse_escaped(value.get_ref<const std::string&>(), part, arena));
  return copied(bytes, arena);
}

Result<std::int64_t> json_integer(const CellJson& value, const char* part) {
  const bool fits =
      value.is_number_unsigned()
          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
          : value.is_number_integer();
  if (!fits) {
    return wrong(part, "a whole number from -2^63 to 2^63 - 1", shown(value));
  }
  return value.get<std::int64_t>();
}

Result<std::string_view> json_tags(const CellJson& list, std::pmr::memory_resource& arena) {
  const auto refused = [&] {
    return wrong("tags", R"(a list of {"type": NUMBER, "bytes": TEXT})", shown(list));
  };
  if (!list.is_array()) {
    return refused();
  }
  std::size_t text_bytes = 0;
  for (const CellJson& tag : list) {
    if (!tag.is_object() || tag.size() != 2 || !tag.contains("type") || !tag.contains("bytes") ||
        !tag["type"].is_number_unsigned() || !tag["bytes"].is_string()) {
      return refused();
    }
    text_bytes += tag["bytes"].get_ref<const std::string&>().size();
  }
  TagBytes tags(text_bytes, list.size(), arena);
  for (const CellJson& tag : list) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes, json_bytes(tag["bytes"], "tags", arena));
    BLOOMERY_RETURN_IF_ERROR(tags.add(tag["type"].get<std::uint64_t>(), bytes));
  }
  return tags.view();
}

Status read_field(Cell& cell, const std::string& name, const CellJson& value,
                  std::pmr::memory_resource& arena) {
  CellKey& key = cell.key;
  if (name == "row") {
    BLOOMERY_ASSIGN_OR_RETURN(key.row, json_bytes(value, "row", arena));
  } else if (name == "family") {
    BLOOMERY_ASSIGN_OR_RETURN(key.family, json_bytes(value, "family", arena));
  } else if (name == "qualifier") {
    BLOOMERY_ASSIGN_OR_RETURN(key.qualifier, json_bytes(value, "qualifier", arena));
  } else if (name == "value") {
    BLOOMERY_ASSIGN_OR_RETURN(cell.value, json_bytes(value, "value", arena));
  } else if (name == "timestamp") {
    BLOOMERY_ASSIGN_OR_RETURN(key.timestamp, json_integer(value, "timestamp"));
  } else if (name == "mvcc") {
    BLOOMERY_ASSIGN_OR_RETURN(cell.mvcc, json_integer(value, "mvcc"));
  } else if (name == "type") {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view type, json_bytes(value, "type", arena));
    BLOOMERY_ASSIGN_OR_RETURN(key.type, parse_type(type));
  } else if (name == "tags") {
    BLOOMERY_ASSIGN_OR_RETURN(cell.tags, json_tags(value, arena));
  } else {
    return wrong("JSON", "row, family, qualifier, timestamp, type, value, tags or mvcc as a field", name);
  }
  return {};
}

}  // namespace

Result<std::string_view> parse_escaped(std::string_view text, const char* part,
                                       std::pmr::memory_resource& arena) {
  std::size_t at = text.find('\\');
  if (at == std::string_view::npos) {
    return text;
  }
  char* const begin = memory_of(arena, text.size());
  char* end = std::ranges::copy(text.substr(0, at), begin).out;
  while (at < text.size()) {
    const std::size_t size = parse_escape(text.substr(at), *end);
    if (size == 0) {
      return wrong(part, R"(\xHH or \\)", text.substr(at, 4));
    }
    ++end;
    const std::size_t plain = at + size;
    at = std::min(text.find('\\', plain), text.size());
    end = std::ranges::copy(text.substr(plain, at - plain), end).out;
  }
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

Result<Cell> CellParser::parse(std::string_view line, std::pmr::memory_resource& arena) const {
  return form_ == CellForm::kJson ? parse_json(line, arena) : parse_tabs(line, arena);
}

Result<Cell> CellParser::parse_tabs(std::string_view line, std::pmr::memory_resource& arena) const {
  std::array<std::string_view, kMostTabs + 1> fields;
  std::size_t tabs = 0;
  std::string_view left = line;
  for (std::size_t tab = left.find('\t'); tab != std::string_view::npos; tab = left.find('\t')) {
    if (tabs == kMostTabs) {
      ++tabs;
      break;
    }
    fields[tabs++] = left.substr(0, tab);
    left.remove_prefix(tab + 1);
  }
  if (tabs != 2 && tabs != 3 && tabs != kMostTabs) {
    return wrong("line",
                 "ROW, FAMILY:QUALIFIER, VALUE and perhaps TIMESTAMP with tabs between, or what cat prints",
                 line);
  }
  fields[tabs] = left;
  const auto bytes = [&arena](std::string_view text, const char* part) {
    return parse_escaped(text, part, arena);
  };
  const bool is_full = tabs == kMostTabs;
  Cell cell{.key = {.timestamp = timestamp_, .type = CellType::kPut}};
  CellKey& key = cell.key;
  BLOOMERY_ASSIGN_OR_RETURN(key.row, bytes(fields[0], "row"));
  if (is_full) {
    BLOOMERY_ASSIGN_OR_RETURN(key.family, bytes(fields[1], "family"));
    BLOOMERY_ASSIGN_OR_RETURN(key.qualifier, bytes(fields[2], "qualifier"));
    BLOOMERY_ASSIGN_OR_RETURN(key.type, parse_type(fields[4]));
    BLOOMERY_ASSIGN_OR_RETURN(cell.tags, parse_tags(fields[6], arena));
    BLOOMERY_ASSIGN_OR_RETURN(cell.mvcc, parse_integer(fields[7], "mvcc"));
  } else {
    const std::size_t colon = fields[1].find(':');
    if (colon == std::string_view::npos) {
      return wrong("column", "FAMILY:QUALIFIER", fields[1]);
    }
    BLOOMERY_ASSIGN_OR_RETURN(key.family, bytes(fields[1].substr(0, colon), "family"));
    BLOOMERY_ASSIGN_OR_RETURN(key.qualifier, bytes(fields[1].substr(colon + 1), "qualifier"));
  }
  if (tabs >= 3) {
    BLOOMERY_ASSIGN_OR_RETURN(key.timestamp, parse_integer(fields[3], "timestamp"));
  }
  BLOOMERY_ASSIGN_OR_RETURN(cell.value, bytes(fields[is_full ? 5 : 2], "value"));
  return cell;
}

Result<Cell> CellParser::parse_json(std::string_view line, std::pmr::memory_resource& arena) const {
  std::vector<std::string> names;
  bool has_twice = false;
  bool has_many = false;
  // The parser drops a value for which this function returns false. So a line beyond the limits costs neither
  // time nor memory. What remains of a value that was too deep is still deeper than any valid field.
  const auto see = [&](int depth, CellJson::parse_event_t event, CellJson& parsed) {
    if (event == CellJson::parse_event_t::key && depth == 1) {
      has_many = has_many || names.size() == kMostJsonFields;
      if (!has_many) {
        const auto& name = parsed.get_ref<const std::string&>();
        has_twice = has_twice || std::ranges::find(names, name) != names.end();
        names.push_back(name);
      }
    }
    return !has_many && depth < kMostJsonDepth;
  };
  const CellJson object = CellJson::parse(line, see, false);
  if (has_many) {
    return wrong("JSON", fmt::format("at most {} fields in a line", kMostJsonFields), line);
  }
  if (!object.is_object()) {
    return wrong("JSON", "one object", line);
  }
  if (has_twice) {
    return wrong("JSON", "each field once", line);
  }
  Cell cell{.key = {.timestamp = timestamp_, .type = CellType::kPut}};
  for (const auto& [name, value] : object.items()) {
    BLOOMERY_RETURN_IF_ERROR(read_field(cell, name, value, arena));
  }
  for (const char* const name : {"row", "family", "qualifier", "value"}) {
    const bool is_needed = cell.key.type == CellType::kPut || std::string_view(name) != "value";
    if (is_needed && !object.contains(name)) {
      return wrong("JSON", std::string(name) + " as a field", line);
    }
  }
  return cell;
}

}  // namespace bloomery::cli
