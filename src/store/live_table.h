// A table of a store as the readers of src/table see it: its regions' views, and the read point.
#pragma once

#include <memory>
#include <string>

#include "bloomery/table/table.h"
#include "store/store_state.h"

namespace bloomery::store {

// Returns a table whose gets and scans see what is committed when they begin.
std::shared_ptr<const Table> live_table(std::shared_ptr<StoreState> state, StoreTablePointer table);

}  // namespace bloomery::store
