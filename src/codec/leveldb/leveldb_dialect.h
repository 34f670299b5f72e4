// LevelDB's filters: one alone (raw), a table's filter block, and a table file. Layouts and deviations:
// docs/formats/leveldb.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect leveldb_dialect();

}  // namespace bloomery
