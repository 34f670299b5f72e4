// Finds the HFiles below a directory, as HBase lays them out: .../REGION/FAMILY/FILE, FAMILY/FILE, or FILE
// alone.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::table {

struct StoreDirectory {
  std::string path = {};
  std::vector<std::string> files = {};  // HFiles, sorted
};

struct FoundFiles {
  std::vector<StoreDirectory> stores = {};  // sorted
  std::vector<std::string> others = {};     // files that are no HFiles
  std::vector<Error> errors = {};           // of files that could not be read
};

// Directories whose names begin with a dot are HBase's own (.tmp) and are passed over. Errors: kNotFound, kIo
// and kInvalidArgument for `path` itself.
Result<FoundFiles> find_hfiles(const std::string& path);

}  // namespace bloomery::table
