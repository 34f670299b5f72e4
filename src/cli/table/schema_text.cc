#include "cli/table/schema_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/byte_text.h"

namespace bloomery::cli {
namespace {

struct NamedValue {
  std::string_view name;
  std::string_view value;
};

Result<NamedValue> named_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Error::invalid_argument("", fmt::format("expected ATTRIBUTE=VALUE, found '{}'", text));
  }
  return NamedValue{text.substr(0, equals), text.substr(equals + 1)};
}

Status set_family_of(TableSchema& schema, std::string_view text, FamilyIs is) {
  std::size_t comma = text.find(',');
  const std::string_view name = text.substr(0, comma);
  if (is == FamilyIs::kNew || schema.find(name) == nullptr) {
    BLOOMERY_RETURN_IF_ERROR(schema.add_family(name));
  }
  while (comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
    comma = text.find(',');
    BLOOMERY_ASSIGN_OR_RETURN(const NamedValue attribute, named_value(text.substr(0, comma)));
    BLOOMERY_RETURN_IF_ERROR(schema.set(name, attribute.name, attribute.value));
  }
  return {};
}

}  // namespace

Status set_family(TableSchema& schema, const std::string& text, FamilyIs is) {
  const Status set = set_family_of(schema, text, is);
  return set ? set : Status(set.error().in_file(printable_text(text)));
}

Status set_table_attribute(TableSchema& schema, const std::string& text) {
  const auto set = [&]() -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(const NamedValue attribute, named_value(text));
    return schema.set(attribute.name, attribute.value);
  }();
  return set ? set : Status(set.error().in_file("--set"));
}

Result<SplitKeys> split_keys_of(const std::vector<std::string>& texts) {
  std::vector<std::string> rows;
  rows.reserve(texts.size());
  for (const std::string& text : texts) {
    rows.push_back(unescape_bytes(text));
  }
  std::ranges::sort(rows);
  SplitKeys splits;
  for (const std::string& row : rows) {
    if (const Status appended = splits.append(row); !appended) {
      return appended.error().in_file("--split");
    }
  }
  return splits;
}

}  // namespace bloomery::cli
