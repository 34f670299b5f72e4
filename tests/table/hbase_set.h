// Parts of tests/golden/hbase-tables, unpacked into a temporary folder that a test may damage.
#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"

namespace bloomery {

// A region of it, below root, that was split.
inline constexpr const char* kSplitParent = "data/default/halves/fad3b82cb67a3742274c4a76b9ad1573";

class HBaseSet {
 public:
  // Unpacks these members of the archive, such as "root/data/default/halves".
  explicit HBaseSet(const std::string& members) {
    const std::string command = "zstd -dcq '" + std::string(BLOOMERY_SOURCE) +
                                "/tests/golden/hbase-tables/hbase.tar.zst' | tar -x -C '" + folder_.path("") +
                                "' -f - " + members;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }

  std::string root() const { return folder_.path("root"); }
  std::string exported() const { return folder_.path("exported"); }
  std::string path(const std::string& below_root) const { return root() + "/" + below_root; }

 private:
  TestFolder folder_;
};

}  // namespace bloomery
