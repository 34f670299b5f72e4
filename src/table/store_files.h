// Finds the HFiles below a directory, as HBase lays them out: .../REGION/FAMILY/FILE, FAMILY/FILE, or FILE
// alone.
//
// HBase also keeps small files that stand for others (layout/store_file_name.h):
//
//   link         a whole file of another region or table. The file that it names is found in the root directory and
//                belongs to the store of the link
//   reference    a half of another file, after a split or a merge. It is listed as a file that is not counted
//
// The parents of splits and merges stay on disk for a while, with all their files. HBase no longer asks them, so
// their stores are left out and listed. Not here: the lists of a store-file tracker, and what is in the files.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/result.h"
#include "bloomery/table/uncounted_file.h"

namespace bloomery::table {

struct StoreDirectory {
  std::string path = {};
  std::vector<std::string> files = {};  // HFiles, sorted; those of links are elsewhere
};

struct FoundFiles {
  std::vector<StoreDirectory> stores = {};    // sorted
  std::vector<std::string> others = {};       // files that are no HFiles
  std::vector<UncountedFile> uncounted = {};  // references, and links that lead nowhere
  std::vector<std::string> replaced = {};     // regions that others have replaced
  std::vector<Error> errors = {};             // of files that could not be read
};

// Directories whose names begin with a dot are HBase's own (.tmp) and are passed over. Errors: kNotFound, kIo
// and kInvalidArgument for `path` itself.
Result<FoundFiles> find_hfiles(const std::string& path);

}  // namespace bloomery::table
