// The dialect of LevelDB's filters: a single one (raw), a table's filter block, or a table file.
// Layouts and deviations: docs/formats/leveldb.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect leveldb_dialect();

}  // namespace bloomery
