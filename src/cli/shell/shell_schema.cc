#include "cli/shell/shell_schema.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/shell/shell_arguments.h"
#include "cli/shell/shell_text.h"
#include "cli/table/table_writes.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

// Calls `use` with each argument. A list among them is its values, as in HBase.
Status for_each_part(std::span<const ShellValue> arguments,
                     const std::function<Status(const ShellValue&)>& use) {
  for (const ShellValue& argument : arguments) {
    if (const auto* const list = argument.get_if<ShellList>()) {
      BLOOMERY_RETURN_IF_ERROR(for_each_part(*list, use));
    } else {
      BLOOMERY_RETURN_IF_ERROR(use(argument));
    }
  }
  return {};
}

const ShellValue* value_of(const ShellHash& hash, std::string_view name) {
  const auto found = std::ranges::find(hash, name, &ShellHash::value_type::first);
  return found == hash.end() ? nullptr : &found->second;
}

// Sets attributes of a family, or of the table without one.
Status set_attributes(TableSchema& schema, const std::optional<std::string>& family, const ShellHash& hash) {
  for (const auto& [name, value] : hash) {
    if (name == "NAME" || name == "METHOD" || name == "SPLITS" || name == "SPLITS_FILE") {
      continue;
    }
    const auto* const more = value.get_if<ShellHash>();
    if (more != nullptr && (name == "CONFIGURATION" || name == "METADATA")) {
      BLOOMERY_RETURN_IF_ERROR(set_attributes(schema, family, *more));
      continue;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::string text, text_argument(name, value));
    BLOOMERY_RETURN_IF_ERROR(family ? schema.set(*family, name, text) : schema.set(name, text));
  }
  return {};
}

Result<SplitKeys> read_split_keys(const ShellHash& hash) {
  std::vector<std::string> keys;
  if (const ShellValue* const given = value_of(hash, "SPLITS")) {
    BLOOMERY_ASSIGN_OR_RETURN(keys, texts_argument("SPLITS", *given));
  }
  if (const ShellValue* const file = value_of(hash, "SPLITS_FILE")) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string path, text_argument("SPLITS_FILE", *file));
    InputFiles input({path}, '\n');
    LineBatch batch;
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool more, in_file(input.next(batch), "SPLITS_FILE"));
      if (!more) {
        break;
      }
      keys.insert(keys.end(), batch.lines.begin(), batch.lines.end());
    }
  }
  return in_file(split_keys_of(keys), "SPLITS");
}

Status alter_family(TableSchema& schema, const ShellHash& hash, const ShellValue& name) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string family, text_argument("NAME", name));
  if (schema.find(family) == nullptr) {
    BLOOMERY_RETURN_IF_ERROR(schema.add_family(family));
  }
  return set_attributes(schema, family, hash);
}

Status unset_attributes(TableSchema& schema, const ShellValue& given) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto names, texts_argument("NAME", given));
  BLOOMERY_ASSIGN_OR_RETURN(const TableSchema of_each, TableSchema::of_table(schema.name));
  for (const std::string& name : names) {
    if (of_each.settings.contains(name)) {
      return Error::invalid_argument(
          "NAME", fmt::format("expected an attribute that a table can lack, found {}", name));
    }
    if (schema.settings.erase(name) + schema.configuration.erase(name) == 0) {
      return Error::invalid_argument(
          "NAME", fmt::format("expected an attribute that the table has, found {}", printable_text(name)));
    }
  }
  return {};
}

Status alter_part(TableSchema& schema, const ShellValue& part) {
  const auto* const hash = part.get_if<ShellHash>();
  if (hash == nullptr) {
    return alter_family(schema, {}, part);
  }
  const ShellValue* const name = value_of(*hash, "NAME");
  const ShellValue* const method = value_of(*hash, "METHOD");
  if (const ShellValue* const deleted = value_of(*hash, "delete")) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string family, text_argument("delete", *deleted));
    return schema.remove_family(family);
  }
  if (method == nullptr) {
    return name != nullptr ? alter_family(schema, *hash, *name) : set_attributes(schema, std::nullopt, *hash);
  }
  const std::string text = method->get_if<std::string>() == nullptr ? "" : text_of(*method);
  if (text == "table_att") {
    return set_attributes(schema, std::nullopt, *hash);
  }
  if (text != "delete" && text != "table_att_unset" && text != "table_conf_unset") {
    return Error::invalid_argument(
        "METHOD", fmt::format("expected delete, table_att, table_att_unset or table_conf_unset, found '{}'",
                              printable_text(text)));
  }
  if (name == nullptr) {
    return Error::invalid_argument("METHOD", fmt::format("expected NAME too with {}, found none", text));
  }
  if (text != "delete") {
    return unset_attributes(schema, *name);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string family, text_argument("NAME", *name));
  return schema.remove_family(family);
}

std::string in_quotes(std::string_view text) {
  return fmt::format("'{}'", string_binary(text));
}

}  // namespace

Result<ShellCreate> parse_create(std::span<const ShellValue> arguments) {
  if (arguments.size() < 2) {
    return Error::invalid_argument("create", "expected a table and its families, found fewer");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, text_argument("table", arguments[0]));
  ShellCreate create;
  BLOOMERY_ASSIGN_OR_RETURN(create.schema, TableSchema::of_table(name));
  BLOOMERY_RETURN_IF_ERROR(for_each_part(arguments.subspan(1), [&](const ShellValue& part) -> Status {
    const auto* const hash = part.get_if<ShellHash>();
    const ShellValue* const family = hash == nullptr ? &part : value_of(*hash, "NAME");
    if (family != nullptr) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string text, text_argument("family", *family));
      BLOOMERY_RETURN_IF_ERROR(create.schema.add_family(text));
      return hash == nullptr ? Status() : set_attributes(create.schema, text, *hash);
    }
    if (value_of(*hash, "SPLITS") != nullptr || value_of(*hash, "SPLITS_FILE") != nullptr) {
      BLOOMERY_ASSIGN_OR_RETURN(create.splits, read_split_keys(*hash));
    }
    return set_attributes(create.schema, std::nullopt, *hash);
  }));
  return create;
}

Status apply_alter(std::span<const ShellValue> arguments, TableSchema& schema) {
  if (arguments.empty()) {
    return Error::invalid_argument("alter", "expected a table and a change, found no change");
  }
  return for_each_part(arguments, [&](const ShellValue& part) { return alter_part(schema, part); });
}

std::string describe_attributes(const TableSchema& schema) {
  std::string attributes;
  std::string metadata;
  const auto append = [](std::string& to, const std::string& text) { to += (to.empty() ? "" : ", ") + text; };
  for (const SettingMap* const settings : {&schema.settings, &schema.configuration}) {
    for (const auto& [name, value] : *settings) {
      if (name == "IS_META") {
        continue;
      }
      const bool is_word =
          std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
      append(is_word ? attributes : metadata,
             fmt::format("{} => {}", is_word ? string_binary(name) : in_quotes(name), in_quotes(value)));
    }
  }
  if (!metadata.empty()) {
    append(attributes, fmt::format("METADATA => {{{}}}", metadata));
  }
  return attributes.empty() ? "" : fmt::format(", {{TABLE_ATTRIBUTES => {{{}}}}}", attributes);
}

std::string describe_family(const FamilySchema& family) {
  std::string text = fmt::format("{{NAME => {}", in_quotes(family.name));
  for (const auto& [name, value] : family.settings) {
    const bool is_forever = name == "TTL" && value == "2147483647";
    text += fmt::format(", {} => {}", string_binary(name), in_quotes(is_forever ? "FOREVER" : value));
  }
  std::string configuration;
  for (const auto& [name, value] : family.configuration) {
    configuration +=
        fmt::format("{}{} => {}", configuration.empty() ? "" : ", ", in_quotes(name), in_quotes(value));
  }
  text += configuration.empty() ? "" : fmt::format(", CONFIGURATION => {{{}}}", configuration);
  return text + "}";
}

}  // namespace bloomery::cli
