#include "hfile/key_text.h"

#include "base/byte_text.h"

namespace bloomery::hfile {

std::string show_column(std::string_view row, std::string_view family, std::string_view qualifier) {
  return "row " + escape_bytes(row) + ", column " + escape_bytes(family) + ":" + escape_bytes(qualifier);
}

std::string show_key(const CellKey& key) {
  return show_column(key.row, key.family, key.qualifier) + ", " + std::to_string(key.timestamp) + ", " +
         cell_type_name(key.type);
}

}  // namespace bloomery::hfile
