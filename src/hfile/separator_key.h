// The key that the index has for a data block: a short one, behind every cell before the block and not
// behind any in it.
//
//   rows differ         what they share, and a byte; as the first key of that row, without a family
//   qualifiers differ   the same of the qualifiers; as the first key of that column
//   else                the first key of the block
//
// The byte is the earlier one's next, or zero where the earlier one ends. Source: docs/formats/hfile.md.
#pragma once

#include <string>

#include "bloomery/hfile/cell.h"

namespace bloomery::hfile {

// Appends the separator, flat. Precondition: before <= first.
void append_separator_key(std::string& out, const CellKey& before, const CellKey& first);

}  // namespace bloomery::hfile
