#include <algorithm>
#include <utility>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/table/table_schema.h"
#include "table/layout/attributes.h"
#include "table/layout/family_settings.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/legal_names.h"

namespace bloomery {
namespace {

Error no_such_family(std::string_view family) {
  return Error::invalid_argument(
      "family", message("expected one of the table, found '", escape_bytes(family.substr(0, 140)), "'"));
}

template <typename Parse>
Status check_settings(const SettingMap& settings, const Parse& parse) {
  for (const auto& [name, value] : settings) {
    if (const auto parsed = parse(name, value); !parsed) {
      return Error(ErrorCode::kUnsupported, parsed.error().subject(), parsed.error().detail());
    } else if (parsed->name != name) {
      return Error(ErrorCode::kUnsupported, name,
                   message("expected ", value, " as ", parsed->name, ", found it as ", name));
    }
  }
  return {};
}

Status check_new_family(const FamilySchema& family) {
  BLOOMERY_RETURN_IF_ERROR(table::check_family_name(family.name));
  BLOOMERY_RETURN_IF_ERROR(check_settings(family.settings, table::parse_family_attribute));
  BLOOMERY_RETURN_IF_ERROR(check_settings(family.configuration, table::parse_family_attribute));
  const auto refuse = [&](const std::string& expected) {
    return Error::invalid_argument("family",
                                   message("expected of ", escape_bytes(family.name), " ", expected));
  };
  if (family.min_versions > family.versions) {
    return refuse(
        message("at most ", family.versions, " MIN_VERSIONS (VERSIONS), found ", family.min_versions));
  }
  if (table::attribute_text(family, "BLOOMFILTER") == "ROWPREFIX_FIXED_LENGTH" &&
      table::attribute_text(family, "RowPrefixBloomFilter.prefix_length").empty()) {
    return refuse("RowPrefixBloomFilter.prefix_length with ROWPREFIX_FIXED_LENGTH, found none");
  }
  return {};
}

}  // namespace

Result<TableSchema> TableSchema::of_table(std::string_view name) {
  BLOOMERY_ASSIGN_OR_RETURN(table::TableName parsed, table::TableName::parse(name));
  BLOOMERY_RETURN_IF_ERROR(table::check_table_name(parsed));
  TableSchema schema;
  schema.name_space = std::move(parsed.name_space);
  schema.name = std::move(parsed.name);
  schema.settings = table::default_table_attributes();
  return schema;
}

Status TableSchema::add_family(std::string_view family) {
  if (const Status legal = table::check_family_name(family); !legal) {
    return Error::invalid_argument("family", legal.error().detail());
  }
  const auto place = std::ranges::lower_bound(families, family, {}, &FamilySchema::name);
  if (place != families.end() && place->name == family) {
    return Error::invalid_argument(
        "family", message("expected each family once, found '", escape_bytes(family), "' twice"));
  }
  FamilySchema added{.name = std::string(family), .settings = table::default_family_attributes()};
  BLOOMERY_RETURN_IF_ERROR(table::read_family_settings(added, settings, 0));
  families.insert(place, std::move(added));
  return {};
}

Status TableSchema::remove_family(std::string_view family) {
  return std::erase_if(families, [&](const FamilySchema& each) { return each.name == family; }) == 0
             ? Status(no_such_family(family))
             : Status();
}

Status TableSchema::set(std::string_view family, std::string_view attribute, std::string_view value) {
  const auto found = std::ranges::find(families, family, &FamilySchema::name);
  if (found == families.end()) {
    return no_such_family(family);
  }
  BLOOMERY_ASSIGN_OR_RETURN(table::Attribute parsed, table::parse_family_attribute(attribute, value));
  if (parsed.name == table::kAutoFilter) {
    found->settings["BLOOMFILTER"] = "ROW";
  } else if (parsed.name == "BLOOMFILTER") {
    found->settings.erase(std::string(table::kAutoFilter));
  }
  SettingMap& target = parsed.is_configuration ? found->configuration : found->settings;
  target.insert_or_assign(std::move(parsed.name), std::move(parsed.value));
  return table::read_family_settings(*found, settings, 0);
}

Status TableSchema::set(std::string_view attribute, std::string_view value) {
  BLOOMERY_ASSIGN_OR_RETURN(table::Attribute parsed, table::parse_table_attribute(attribute, value));
  settings.insert_or_assign(std::move(parsed.name), std::move(parsed.value));
  return {};
}

Status TableSchema::check() const {
  BLOOMERY_RETURN_IF_ERROR(table::check_table_name({name_space, name}));
  BLOOMERY_RETURN_IF_ERROR(check_settings(settings, table::parse_table_attribute));
  BLOOMERY_RETURN_IF_ERROR(check_settings(configuration, table::parse_table_attribute));
  if (families.empty()) {
    return Error::invalid_argument("table", "expected at least one family, found none");
  }
  for (const FamilySchema& family : families) {
    BLOOMERY_RETURN_IF_ERROR(check_new_family(family));
  }
  return {};
}

}  // namespace bloomery
