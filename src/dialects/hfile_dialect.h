// The dialect `hbase`: the general Bloom filter of an HFile, queried in place for rows.
//
// The filter's chunks are stored between the blocks of cells. So a filter is built together with its file
// (`hfile write`) and accepts no later inserts. Opening reads all chunks, and a damaged chunk is an error.
//
// Keys are rows:
//
//   ROW                       the row itself
//   ROWPREFIX_FIXED_LENGTH    the filter contains the row's first bytes
//   ROWCOL                    refused, because it contains no rows; `hfile filter` queries it for columns
//
// The dialect is here and not in codec, because codec may not include hfile.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect hfile_dialect();

}  // namespace bloomery
