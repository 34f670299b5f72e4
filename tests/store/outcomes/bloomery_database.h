// Bloomery's store with the calls of a key-value store, for tests/wal/outcomes/peer.cc: a key is a row of one column.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/store/store.h"

class BloomeryDatabase {
 public:
  using Each = std::function<void(std::string_view key, std::string_view value)>;

  bool open(const std::string& folder, bool is_new, bool is_small) {
    bloomery::StoreOptions options;
    options.flush_bytes = is_small ? 64 << 10 : options.flush_bytes;
    auto opened = is_new ? bloomery::Store::create(folder, options) : bloomery::Store::open(folder, options);
    if (!opened) {
      return false;
    }
    store_.emplace(std::move(*opened));
    auto schema = bloomery::TableSchema::of_table("t");
    auto table = is_new && schema->add_family("f") ? store_->create_table(*schema) : store_->table("t");
    if (!table) {
      return false;
    }
    table_.emplace(std::move(*table));
    return true;
  }
  bool put(const std::string& key, const std::string& value, bool is_synced) {
    using bloomery::Durability;
    const auto durability = is_synced ? Durability::kFsyncWal : Durability::kSyncWal;
    return table_->put(key, "f", "q", value, {.durability = durability}).has_value();
  }
  bool flush() { return table_->flush().has_value(); }

  // Calls `each` for all entries in their order. Returns false at an error.
  bool scan(const Each& each) const {
    auto scanner = table_->reader().scan({});
    while (scanner) {
      const auto found = scanner->next();
      if (!found || !*found) {
        return found.has_value();
      }
      each(scanner->result().row(), scanner->result().cells().front().cell().value);
    }
    return false;
  }
  // Calls `each` if the key is there. Returns false at an error.
  bool get(const std::string& key, const Each& each) const {
    bloomery::GetRequest request;
    request.row = key;
    const auto row = table_->reader().get(request);
    if (row && !row->empty()) {
      each(key, row->cells().front().cell().value);
    }
    return row.has_value();
  }

 private:
  std::optional<bloomery::Store> store_ = {};
  std::optional<bloomery::StoreTable> table_ = {};
};
