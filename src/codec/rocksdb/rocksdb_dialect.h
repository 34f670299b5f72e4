// The dialect of RocksDB's full filters (fastlocal, ribbon and legacy), alone or in a table (.sst).
// Layouts and deviations: docs/formats/rocksdb.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect rocksdb_dialect();

}  // namespace bloomery
