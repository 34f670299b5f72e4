#include "table/layout/legal_names.h"

#include <algorithm>
#include <string>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/hfile/cell.h"
#include "hash/ascii_text.h"

namespace bloomery::table {
namespace {

constexpr std::size_t kLongestFolder = 255;  // bytes of a directory's name on common file systems

bool is_word_character(char c) {
  return is_ascii_digit(c) || c == '_' || (lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z');
}

Error refused_name(const char* subject, std::string_view name, const std::string& expected) {
  return Error::invalid_argument(
      subject, message("expected ", expected, ", found '", escape_bytes(name.substr(0, 140)), "'"));
}

Error refused_family(std::string_view family, const std::string& expected) {
  return Error::invalid_argument(
      "", message("family: expected ", expected, ", found '", escape_bytes(family.substr(0, 140)), "'"));
}

Status check_qualifier(const char* subject, std::string_view name) {
  const bool is_legal =
      std::ranges::all_of(name, [](char c) { return is_word_character(c) || c == '-' || c == '.'; });
  const bool is_refused =
      !is_legal || name.empty() || name.size() > kLongestFolder || name.front() == '-' || name.front() == '.';
  return is_refused ? refused_name(subject, name,
                                   "letters, digits, underscores, hyphens and periods, none of the last two "
                                   "in front")
                    : Status();
}

}  // namespace

Status check_namespace_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestFolder || !std::ranges::all_of(name, is_word_character)) {
    return refused_name("namespace", name, "letters, digits and underscores");
  }
  return name == "hbase" ? refused_name("namespace", name, "another name than HBase's own") : Status();
}

Status check_table_name(const TableName& table) {
  BLOOMERY_RETURN_IF_ERROR(check_namespace_name(table.name_space));
  BLOOMERY_RETURN_IF_ERROR(check_qualifier("table", table.name));
  return table.name == "zookeeper" ? refused_name("table", table.name, "another name than HBase's own")
                                   : Status();
}

Status check_snapshot_name(std::string_view name) {
  return check_qualifier("snapshot", name);
}

Status check_family_name(std::string_view family) {
  const auto is_forbidden = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f || c == ':' || c == '/' || c == '\\';
  };
  if (family.empty() || family.size() > kLongestFamily) {
    return refused_family(family, message("a name of 1 to ", kLongestFamily, " bytes"));
  }
  if (family.front() == '.') {
    return refused_family(family, "no period in front of the name");
  }
  if (std::ranges::any_of(family, is_forbidden)) {
    return refused_family(family, "a name without control characters, colons, slashes and backslashes");
  }
  return family == "recovered.edits" ? refused_family(family, "another name than HBase's own") : Status();
}

}  // namespace bloomery::table
