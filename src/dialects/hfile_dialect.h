// The dialect `hbase`: the general Bloom filter of an HFile, asked for rows where it lies.
//
// Its chunks stand between the blocks of cells, so that a filter is made with its file (`hfile write`) and
// takes no keys later. Keys are rows, also of ROWPREFIX_FIXED_LENGTH, which asks for their first bytes; a
// ROWCOL filter knows no rows and is refused: `hfile filter` asks it for columns. All chunks are read when it
// is opened, and damage of one is an error. Here and not in codec, which knows nothing of hfile.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect hfile_dialect();

}  // namespace bloomery
