#include "bloomery/table/family_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/byte_text.h"
#include "base/message.h"
#include "table/layout/attributes.h"
#include "table/layout/family_settings.h"

namespace bloomery {
namespace {

constexpr std::array<std::string_view, 7> kSettings = {
    "VERSIONS", "MIN_VERSIONS", "TTL", "KEEP_DELETED_CELLS", "NEW_VERSION_BEHAVIOR", "BLOOMFILTER", "IS_MOB"};

Error refused_text(std::string_view text, const std::string& expected) {
  return Error::invalid_argument("family",
                                 message("expected ", expected, ", found '", escape_bytes(text), "'"));
}

Status add_setting(FamilySchema& family, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (equals == std::string_view::npos || equals + 1 == word.size()) {
    return refused_text(word, "NAME=VALUE");
  }
  if (std::ranges::find(kSettings, name) == kSettings.end()) {
    return refused_text(
        name, "VERSIONS, MIN_VERSIONS, TTL, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, BLOOMFILTER or IS_MOB");
  }
  const std::string_view value = word.substr(equals + 1);
  const bool is_forever = name == "TTL" && value == "FOREVER";
  if (!family.settings.emplace(name, is_forever ? "-1" : value).second) {
    return refused_text(name, "each setting once");
  }
  return {};
}

struct NamedValue {
  std::string_view name;
  std::string_view value;
};

Result<NamedValue> named_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Error::invalid_argument("", message("expected ATTRIBUTE=VALUE, found '", text, "'"));
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

Result<FamilySchema> parse_family_schema(std::string_view text) {
  const std::size_t colon = text.find(':');
  FamilySchema family{.name = std::string(text.substr(0, colon))};
  if (family.name.empty()) {
    return refused_text(text, "the name of a family, perhaps with :SETTING=VALUE,...");
  }
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    BLOOMERY_RETURN_IF_ERROR(add_setting(family, rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (const Status read = table::read_family_settings(family, {}, 0); !read) {
    return Error::invalid_argument("family", read.error().detail());
  }
  return family;
}

Status set_family(TableSchema& schema, std::string_view text, FamilyIs is) {
  const Status set = set_family_of(schema, text, is);
  return set ? set : Status(set.error().in_file(printable_text(text)));
}

Status set_table_attribute(TableSchema& schema, std::string_view text) {
  const Result<NamedValue> attribute = named_value(text);
  const Status set = attribute ? schema.set(attribute->name, attribute->value) : Status(attribute.error());
  return set ? set : Status(set.error().in_file(printable_text(text)));
}

std::vector<std::string> family_attribute_names() {
  return table::names_of_family_attributes();
}

std::vector<std::string> table_attribute_names() {
  return table::names_of_table_attributes();
}

}  // namespace bloomery
