// Finds the HFiles below a directory in HBase's layout: .../REGION/FAMILY/FILE, FAMILY/FILE, or FILE alone.
//
// HBase also has small files that refer to others (layout/store_file_name.h):
//
//   link         a complete file of another region or table. Its target is found in the root directory and
//                belongs to the store of the link
//   reference    a half of another file, after a split or a merge. It is listed as a file that is not counted
//
// The parents of splits and merges stay on disk for a while, with all their files. HBase no longer reads
// them, so their stores are left out and listed. The lists of store-file trackers and the contents of files
// are not read here.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/result.h"
#include "bloomery/table/uncounted_file.h"

namespace bloomery::table {

struct StoreDirectory {
  std::string path = {};
  std::vector<std::string> files = {};  // HFiles, sorted; the targets of links are elsewhere
};

struct FoundFiles {
  std::vector<StoreDirectory> stores = {};    // sorted
  std::vector<std::string> others = {};       // files that are not HFiles
  std::vector<UncountedFile> uncounted = {};  // references, and broken links
  std::vector<std::string> replaced = {};     // regions that a split or a merge replaced
  std::vector<Error> errors = {};             // of files that could not be read
};

// Directories whose names begin with a dot are HBase's own (.tmp) and are skipped. Errors: kNotFound, kIo and
// kInvalidArgument for `path` itself.
Result<FoundFiles> find_hfiles(const std::string& path);

}  // namespace bloomery::table
