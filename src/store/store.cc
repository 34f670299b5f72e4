#include "bloomery/store/store.h"

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "store/no_memory.h"
#include "store/recovery.h"
#include "store/store_state.h"
#include "store/table_changes.h"
#include "store/table_copies.h"
#include "store/table_split.h"

namespace bloomery {

Result<Store> Store::create(const std::string& root, const StoreOptions& options) {
  return store::or_no_memory([&]() -> Result<Store> {
    const store::Environment environment = store::Environment::real();
    BLOOMERY_ASSIGN_OR_RETURN(auto state, store::make_store(environment, root, options));
    return Store(std::move(state));
  });
}

Result<Store> Store::open(const std::string& root, const StoreOptions& options) {
  return store::or_no_memory([&]() -> Result<Store> {
    const store::Environment environment = store::Environment::real();
    BLOOMERY_ASSIGN_OR_RETURN(auto state, store::open_store(environment, root, options));
    return Store(std::move(state));
  });
}

Store& Store::operator=(Store&& other) noexcept {
  if (this != &other) {
    if (state_ != nullptr) {
      (void)close();
    }
    state_ = std::move(other.state_);
  }
  return *this;
}

Store::~Store() {
  if (state_ != nullptr) {
    (void)state_->close();  // close() reports errors
  }
}

Status Store::close() {
  return state_->close();
}

Result<StoreTable> Store::table(std::string_view name) const {
  return store::or_no_memory([&]() -> Result<StoreTable> {
    BLOOMERY_ASSIGN_OR_RETURN(const table::TableName parsed, table::TableName::parse(name));
    auto found = state_->table(parsed.text());
    if (found == nullptr) {
      return table::none_at(message(state_->files().root(), ": ", name), "table", state_->tables());
    }
    return StoreTable(parsed.text(), state_, std::move(found));
  });
}

std::vector<std::string> Store::tables() const {
  return state_->tables();
}

Result<StoreTable> Store::create_table(const TableSchema& schema, const SplitKeys& splits) {
  return store::or_no_memory([&]() -> Result<StoreTable> {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string name, store::create_table(*state_, schema, splits));
    return table(name);
  });
}

Status Store::alter_table(const TableSchema& schema) {
  return store::or_no_memory([&] { return store::alter_table(*state_, schema); });
}

Status Store::drop_table(std::string_view name) {
  return store::or_no_memory([&] { return store::drop_table(*state_, name); });
}

Status Store::truncate_table(std::string_view name) {
  return store::or_no_memory([&] { return store::truncate_table(*state_, name); });
}

Status Store::split_table(std::string_view name, std::span<const std::string> rows) {
  return store::or_no_memory([&] { return store::split_table(*state_, name, rows); });
}

Status Store::snapshot(std::string_view table, std::string_view name) {
  return store::or_no_memory([&] { return store::snapshot_table(*state_, table, name); });
}

Result<std::vector<SnapshotInfo>> Store::snapshots() const {
  return store::or_no_memory([&] { return store::list_snapshots(state_->files().directory()); });
}

Status Store::delete_snapshot(std::string_view name) {
  return store::or_no_memory([&] { return store::delete_snapshot(*state_, name); });
}

Result<StoreTable> Store::clone(const CloneSource& source, std::string_view new_name) {
  return store::or_no_memory([&]() -> Result<StoreTable> {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string name, store::clone_table(*state_, source, new_name));
    return table(name);
  });
}

StoreCounters Store::counters() const {
  return state_->counters();
}

Status Store::health() const {
  return store::or_no_memory([&] { return state_->health(); });
}

Status Store::compaction_health() const {
  return state_->compactor().health();
}

}  // namespace bloomery
