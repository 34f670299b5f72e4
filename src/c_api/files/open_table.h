// The handle bloomery_table: a table that is only read, or one of a store. table_calls.cc reads both,
// store_calls.cc writes the latter.
#pragma once

#include <utility>
#include <variant>

#include "bloomery/store/store.h"
#include "bloomery/table/table.h"
#include "c_api/call.h"
#include "c_api/handle_pool.h"

namespace bloomery::c_api {

using OpenTable = std::variant<Table, StoreTable>;
using Tables = HandlePool<OpenTable, 0x8100f7ab1e>;

inline const Table& reader_of(const OpenTable& open) {
  const auto* written = std::get_if<StoreTable>(&open);
  return written != nullptr ? written->reader() : std::get<Table>(open);
}

// Opens a handle for the value. Returns the code of the call.
template <typename Pool, typename Value, typename Handle>
int give_handle(Value value, Handle** out) {
  void* handle = Pool::open(std::move(value));
  if (handle == nullptr) {
    return failed(BLOOMERY_CAPACITY, "memory", "expected room for a handle, found none");
  }
  *out = static_cast<Handle*>(handle);
  return BLOOMERY_OK;
}

}  // namespace bloomery::c_api
