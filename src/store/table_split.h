// Splits regions of a store's table.
//
// The table is made anew in .tmp with more regions, while writers go on. A file that has rows of one new
// region becomes a link. One that has rows of several is written anew for each. Then writers stop, and what
// they have written meanwhile follows. The new table takes the place of the old one by two renames. A crash
// between these leaves the old one (table/layout/table_directory.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "store/store_state.h"

namespace bloomery::store {

Status split_table(StoreState& state, std::string_view name, std::span<const std::string> rows);

}  // namespace bloomery::store
