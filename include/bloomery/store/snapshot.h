// What Store::snapshots() (store.h) lists, and what Store::clone() takes.
//
// Example:
//    auto store = Store::create("root");
//    TableSchema schema;
//    schema.name = "orders";
//    schema.families.push_back({.name = "d"});
//    auto orders = store->create_table(schema);
//    Status taken = store->snapshot("orders", "monday");
//    auto restored = store->clone_snapshot("monday", "orders-of-monday");
//    auto copied = store->clone({.table = "orders", .copies = true}, "shop:orders");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery {

struct SnapshotInfo {
  std::string name = {};
  std::string table = {};  // "namespace:table", or "table"
  std::int64_t created_ms = 0;
};

// A table or a snapshot: one of both is given.
struct CloneSource {
  // A root of HBase or of a store, also an exported snapshot's. Empty: the store that makes the clone.
  std::string root = {};
  std::string table = {};
  std::string snapshot = {};
  // Copies the files where hard links would do.
  bool copies = false;
  // Is told what was left out, unless it is null.
  std::vector<std::string>* warnings = nullptr;
};

}  // namespace bloomery
