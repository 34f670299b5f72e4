// Makes the index key of a data block: a short key that sorts after every cell before the block and not after
// any cell in it. Let `before` be the last cell before the block and `first` its first cell.
//
//   they differ in      separator
//   the row             the common prefix of their rows and one byte, as the first key of that row
//   the qualifier       the common prefix of their qualifiers and one byte, as the first key of that column
//   neither             the key of `first`
//
// The byte is one more than the byte of `before` at this position, or zero where the row or qualifier of
// `before` ends.
//
// Source: HBase's HFileWriterImpl.getMidpoint(), 2.5 and later; docs/formats/hfile.md.
#pragma once

#include <string>

#include "bloomery/hfile/cell.h"

namespace bloomery::hfile {

// Appends the separator as a flat key. Precondition: before <= first.
void append_separator_key(std::string& out, const CellKey& before, const CellKey& first);

}  // namespace bloomery::hfile
