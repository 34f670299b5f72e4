// Makes, alters, truncates and drops tables of a store.
//
// The checksums of descriptors are stored before the descriptors appear (store_files.h). A table appears and
// disappears by one rename. Each of these waits for the writes before it, and stops those after it meanwhile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"
#include "store/store_state.h"

namespace bloomery::store {

Error no_table(const StoreState& state, std::string_view name);
// Makes the namespace if it is missing. In HBase it must exist.
Status make_namespace(const StoreFiles& files, const std::string& name);
// Of change_tables(): opens the directory of a new table, and gives it to the writers.
Status open_new(StoreState& state, const table::TableName& name);
// Opens the new table of a name in the place of the old one, so that nobody finds none meanwhile. After an
// error there is none.
Status open_instead(StoreState& state, const table::TableName& name);

// Returns the table's name.
Result<std::string> create_table(StoreState& state, const TableSchema& schema, const SplitKeys& splits);
Status alter_table(StoreState& state, const TableSchema& schema);
Status drop_table(StoreState& state, std::string_view name);
Status truncate_table(StoreState& state, std::string_view name);

}  // namespace bloomery::store
