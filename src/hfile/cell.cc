#include "bloomery/hfile/cell.h"

namespace bloomery {
const char* cell_type_name(CellType type) {
  switch (type) {
    case CellType::kMinimum:
      return "Minimum";
    case CellType::kPut:
      return "Put";
    case CellType::kDelete:
      return "Delete";
    case CellType::kDeleteFamilyVersion:
      return "DeleteFamilyVersion";
    case CellType::kDeleteColumn:
      return "DeleteColumn";
    case CellType::kDeleteFamily:
      return "DeleteFamily";
    case CellType::kMaximum:
      return "Maximum";
  }
  return "unknown";
}

}  // namespace bloomery
