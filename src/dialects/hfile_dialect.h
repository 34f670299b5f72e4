// The dialect `hbase`: the general Bloom filter of an HFile, asked for rows where it lies.
//
// The filter's chunks stand between the blocks of cells. So a filter is built with its file (`hfile write`)
// and takes no keys later. Opening reads all chunks, and a damaged one is an error.
//
// Keys are rows:
//
//   ROW                       the row itself
//   ROWPREFIX_FIXED_LENGTH    the filter looks at the row's first bytes
//   ROWCOL                    refused, because it knows no rows; `hfile filter` asks it for columns
//
// The dialect is here and not in codec, because codec knows nothing of hfile.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect hfile_dialect();

}  // namespace bloomery
