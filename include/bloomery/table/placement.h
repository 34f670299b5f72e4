// Checks whether a file of a table is in the right region and family.
//
// HBase reads a region only for its own rows, and a family's files only for that family. So a misplaced cell
// is lost to it, though its file is intact. Files get misplaced by hand: copied between regions, or loaded
// without the bulk load.
//
// Example:
//    auto table = Table::open("to-load", {.lists_faults = true});
//    for (const TableRegion& region : table ? table->regions() : std::vector<TableRegion>()) {
//      for (const TableFile& file : region.files) {
//        auto verified = verify_hfile(file.path);
//        for (const std::string& fault : misplacements(*verified, region, file)) {
//          std::cerr << file.path << ": " << fault << "\n";
//        }
//      }
//    }
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "bloomery/table/table.h"
#include "bloomery/table/verify.h"

namespace bloomery {

// Returns a sentence for each fault: cells before the region, cells after it, cells of another family. For a
// half only the family is checked, since its other rows belong to another region. A file without cells is
// right everywhere.
std::vector<std::string> misplacements(const VerifiedHFile& verified, const TableRegion& region,
                                       const TableFile& file);

}  // namespace bloomery
