// Formats keys of cells for messages; their bytes are escaped (base/byte_text.h).
#pragma once

#include <string>
#include <string_view>

#include "bloomery/hfile/cell.h"

namespace bloomery::hfile {

// "row r1, column f:q"
std::string show_column(std::string_view row, std::string_view family, std::string_view qualifier);

// "row r1, column f:q, 1700000000000, Put"
std::string show_key(const CellKey& key);

}  // namespace bloomery::hfile
