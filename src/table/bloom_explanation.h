// Explains why an HFile's Bloom filter answered no.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hfile/open_file.h"

namespace bloomery::table {

// Returns the reason for a no to the row, or to these columns of it, such as ": r1 is not in chunk 0 at byte
// 487: of its 128 bits, these of the key are 0: 72, 28". A filter of columns answered no to each column, and
// HBase's ROWCOL filter also to the empty qualifier of the family's markers. Reads the chunks again.
// Precondition: file.bloom().
std::string explain_no(const hfile::OpenFile& file, std::string_view row,
                       const std::vector<std::string>& columns);

}  // namespace bloomery::table
