#include "store/live_table.h"

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "table/table_access.h"
#include "table/table_source.h"

namespace bloomery::store {
namespace {

table::TableLayout layout_of(const StoreState& state, const StoreTableState& table,
                             const TableSchema& schema) {
  table::TableLayout layout{
      .schema = schema, .name = table.regions.front()->info().table, .root = state.files().directory()};
  for (const auto& region : table.regions) {
    layout.regions.push_back({.info = region->info(), .name = region->name()});
  }
  return layout;
}

class LiveTable : public table::TableSource {
 public:
  LiveTable(std::shared_ptr<StoreState> state, StoreTablePointer table, const TableSchema& schema,
            const TableOptions& options)
      : TableSource(layout_of(*state, *table, schema), options),
        state_(std::move(state)),
        table_(std::move(table)) {}

  std::int64_t now() const override { return state_->environment().clock->now_ms(); }
  Result<table::StorePointer> store(std::size_t region, const std::string& family) const override {
    BLOOMERY_RETURN_IF_ERROR(state_->check_open());
    auto store = table_->regions[region]->view()->store_of(family);
    if (store == nullptr) {
      return Error::invalid_argument("family",
                                     message("expected one that the table still has, found '", family, "'"));
    }
    return store;
  }
  bool is_live() const override { return true; }
  std::uint64_t version(std::size_t region) const override { return table_->regions[region]->version(); }
  std::uint64_t read_point() const override { return state_->read_point(); }

 private:
  std::shared_ptr<StoreState> state_;
  StoreTablePointer table_;
};

}  // namespace

std::shared_ptr<const Table> live_table(std::shared_ptr<StoreState> state, StoreTablePointer table) {
  const auto schema = table->schema.load();
  TableOptions options{.cache = state->options().cache, .memory = state->options().memory};
  options.files = state->environment().files;
  return std::make_shared<const Table>(table::TableAccess::table_of(
      std::make_shared<LiveTable>(std::move(state), std::move(table), *schema, options)));
}

}  // namespace bloomery::store
