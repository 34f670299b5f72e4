#include "store/table_changes.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/message.h"
#include "store/recovery.h"
#include "table/layout/attributes.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/table_directory.h"

namespace bloomery::store {
namespace {

table::TableName name_of(const TableSchema& schema) {
  return {.name_space = schema.name_space.empty() ? "default" : schema.name_space, .name = schema.name};
}

// Returns the schema as its descriptor has it: with a namespace, and always with the FILE tracker. Without
// that, readers would count every file in a family's folder, also one that a compaction has replaced.
TableSchema whole_schema(const TableSchema& schema) {
  TableSchema whole = schema;
  whole.name_space = name_of(schema).name_space;
  for (const auto& [name, value] : table::default_table_attributes()) {
    whole.settings.try_emplace(name, value);
  }
  return whole;
}

}  // namespace

Error no_table(const StoreState& state, std::string_view name) {
  return table::none_at(message(state.files().root(), ": ", name), "table", state.tables());
}

Status open_new(StoreState& state, const table::TableName& name) {
  BLOOMERY_ASSIGN_OR_RETURN(
      auto table, open_table(state.files(), name, state.options(), state.environment().clock->now_ms()));
  state.add_table(name.text(), std::move(table));
  return {};
}

Status open_instead(StoreState& state, const table::TableName& name) {
  const Status opened = open_new(state, name);
  if (!opened) {
    state.remove_table(name.text());
  }
  return opened;
}

Status make_namespace(const StoreFiles& files, const std::string& name) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto names, table::list_namespaces(files.file_system(), files.root()));
  return std::ranges::find(names, name) == names.end()
             ? table::create_namespace(files.file_system(), files.root(), name)
             : Status();
}

Result<std::string> create_table(StoreState& state, const TableSchema& schema, const SplitKeys& splits) {
  const table::TableName name = name_of(schema);
  const TableSchema named = whole_schema(schema);
  BLOOMERY_RETURN_IF_ERROR(named.check());
  BLOOMERY_RETURN_IF_ERROR(state.change_tables([&](std::uint64_t) -> Status {
    if (state.table(name.text()) != nullptr) {
      return Error::invalid_argument(name.text(), "expected a new table, found one").with_errno(EEXIST);
    }
    BLOOMERY_RETURN_IF_ERROR(make_namespace(state.files(), name.name_space));
    const std::string descriptor = table::write_table_schema_file(named);
    BLOOMERY_RETURN_IF_ERROR(state.files().add_descriptor(name, descriptor));
    BLOOMERY_RETURN_IF_ERROR(table::create_table(state.files().file_system(), state.files().root(), named,
                                                 splits, state.new_region_id(name, splits)));
    return open_new(state, name);
  }));
  return name.text();
}

Status drop_table(StoreState& state, std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
  return state.change_tables([&](std::uint64_t) -> Status {
    const auto table = state.table(name.text());
    if (table == nullptr) {
      return no_table(state, text);
    }
    for (const auto& region : table->regions) {
      state.drop(*region);
    }
    state.remove_table(name.text());
    BLOOMERY_RETURN_IF_ERROR(table::drop_table(state.files().file_system(), state.files().root(), name));
    return state.files().keep_descriptor(name, {});
  });
}

Status truncate_table(StoreState& state, std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
  return state.change_tables([&](std::uint64_t) -> Status {
    const auto table = state.table(name.text());
    if (table == nullptr) {
      return no_table(state, text);
    }
    SplitKeys splits;
    for (const auto& region : table->regions) {
      if (!region->info().start.empty()) {
        BLOOMERY_RETURN_IF_ERROR(splits.append(region->info().start));
      }
    }
    for (const auto& region : table->regions) {
      state.drop(*region);
    }
    const auto schema = table->schema.load();
    Status truncated = state.files().add_descriptor(name, table::write_table_schema_file(*schema));
    if (truncated) {
      truncated = table::truncate_table(state.files().file_system(), state.files().root(), *schema, splits,
                                        state.new_region_id(name, splits));
    }
    if (!truncated) {
      state.remove_table(name.text());
      return truncated;
    }
    return open_instead(state, name);
  });
}

// What is written to a removed family after the flush is forgotten.
Status alter_table(StoreState& state, const TableSchema& schema) {
  const table::TableName name = name_of(schema);
  const TableSchema named = whole_schema(schema);
  BLOOMERY_RETURN_IF_ERROR(named.check());
  const auto table = state.table(name.text());
  if (table == nullptr) {
    return no_table(state, name.text());
  }
  for (const auto& region : table->regions) {
    BLOOMERY_RETURN_IF_ERROR(state.flush(region));
  }
  const Status altered = state.change_tables([&](std::uint64_t sequence) -> Status {
    std::vector<std::string> regions;
    for (const auto& region : table->regions) {
      regions.push_back(region->name());
    }
    const std::string descriptor = table::write_table_schema_file(named);
    BLOOMERY_RETURN_IF_ERROR(state.files().add_descriptor(name, descriptor));
    BLOOMERY_RETURN_IF_ERROR(
        table::alter_table(state.files().file_system(), state.files().root(), named, regions));
    BLOOMERY_RETURN_IF_ERROR(state.files().keep_descriptor(name, descriptor));
    return reopen_families(state.files(), *table, named, state.options(), state.environment().clock->now_ms(),
                           sequence);
  });
  state.compactor().wake();  // a major compaction may be due now
  return altered;
}

}  // namespace bloomery::store
