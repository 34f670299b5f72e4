#include "bloomery/table/table_schema.h"

#include <algorithm>

namespace bloomery {

const FamilySchema* TableSchema::find(std::string_view family) const {
  const auto found = std::ranges::find(families, family, &FamilySchema::name);
  return found == families.end() ? nullptr : &*found;
}

}  // namespace bloomery
