#include "bloomery/table/placement.h"

#include "base/byte_text.h"
#include "base/message.h"

namespace bloomery {

std::vector<std::string> misplacements(const VerifiedHFile& verified, const TableRegion& region,
                                       const TableFile& file) {
  std::vector<std::string> faults;
  if (verified.cells == 0) {
    return faults;
  }
  if (verified.family != file.family) {
    faults.push_back(message("expected cells of the family ", escape_bytes(file.family), ", found ",
                             escape_bytes(verified.family)));
  }
  if (file.is_half) {
    return faults;
  }
  if (verified.first_row < region.start) {
    faults.push_back(message("expected no row before ", escape_bytes(region.start),
                             ", where its region begins, found ", escape_bytes(verified.first_row)));
  }
  if (!region.end.empty() && verified.last_row >= region.end) {
    faults.push_back(message("expected all rows before ", escape_bytes(region.end),
                             ", where its region ends, found ", escape_bytes(verified.last_row)));
  }
  return faults;
}

}  // namespace bloomery
