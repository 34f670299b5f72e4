// The tables of kernels: each ends with the definition, each obeys BLOOMERY_KERNEL, and nothing chooses a
// kernel past them. That the rows of a table answer alike is for the test of that table.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/bit_count.h"
#include "base/crc32c.h"
#include "base/kernel_choice.h"
#include "codec/cassandra/cassandra_kernel.h"
#include "codec/guava/mitz64_kernel.h"
#include "codec/spark/spark_kernel.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/fuse/fuse_kernel.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "filter/ribbon/ribbon_solver.h"
#include "hash/low_words_kernel.h"
#include "tests/layers/source_tree.h"

namespace bloomery {
namespace {

// Calls `check(table name, rows)` for every table of the house. A new table is added here, or the test of the
// sources below fails.
template <typename Check>
void for_each_table(const Check& check) {
  check("crc32c_kernels", crc32c_kernels());
  check("bit_count_kernels", bit_count_kernels());
  check("low_words_kernels", short_key_mix::low_words_kernels());
  check("blocked_kernels", blocked_kernels());
  check("fuse_kernels", fuse_kernels());
  check("ribbon_kernels", ribbon_kernels());
  check("band_solver_kernels", band_solver_kernels());
  check("quotient_kernels", quotient_kernels());
  check("mitz64_kernels", mitz64_kernels());
  check("spark_v1_kernels", spark_v1_kernels());
  check("spark_v2_kernels", spark_v2_kernels());
  check("cassandra_kernels", cassandra_kernels());
}

// Sets BLOOMERY_KERNEL as long as it lives.
class Forced {
 public:
  explicit Forced(const char* name) {
    if (const char* const had = std::getenv("BLOOMERY_KERNEL")) {
      had_ = had;
      is_set_ = true;
    }
    ::setenv("BLOOMERY_KERNEL", name, 1);
  }
  ~Forced() { is_set_ ? ::setenv("BLOOMERY_KERNEL", had_.c_str(), 1) : ::unsetenv("BLOOMERY_KERNEL"); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  std::string had_;
  bool is_set_ = false;
};

TEST(KernelTables, EndWithTheDefinitionWhichEveryMachineRuns) {
  for_each_table([](const char* table, auto kernels) {
    ASSERT_FALSE(kernels.empty()) << table;
    EXPECT_STREQ(kernels.back().name, "scalar") << table;
    EXPECT_TRUE(kernels.back().available()) << table;
    std::set<std::string_view> names;
    for (const auto& kernel : kernels) {
      EXPECT_TRUE(names.insert(kernel.name).second) << table << " has two rows " << kernel.name;
    }
  });
}

TEST(KernelTables, GiveTheRowThatIsAskedFor) {
  for_each_table([](const char* table, auto kernels) {
    for (const auto& kernel : kernels) {
      const Forced forced(kernel.name);
      if (kernel.available()) {
        EXPECT_EQ(&chosen_of(kernels), &kernel) << table << ", " << kernel.name;
      }
    }
  });
}

TEST(KernelTables, GiveTheFirstThatRunsWhereTheNameIsNotTheirs) {
  const Forced forced("no such kernel");
  for_each_table([](const char* table, auto kernels) {
    for (const auto& kernel : kernels) {
      if (kernel.available()) {
        EXPECT_EQ(&chosen_of(kernels), &kernel) << table << ", " << kernel.name;
        break;
      }
    }
  });
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Check>
void for_each_source(const Check& check) {
  std::size_t count = 0;
  for (const char* const root : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / root)) {
      if (entry.path().extension() == ".cc" || entry.path().extension() == ".h") {
        check(entry.path(), text_of(entry.path()));
        ++count;
      }
    }
  }
  EXPECT_GT(count, 100u) << "nothing read below " << kSourceTree;
}

// An instruction that not every machine has is asked for in the file of its row only.
TEST(KernelTables, OnlyARowsOwnFileKnowsItsProcessor) {
  static const std::regex pattern(
      "__builtin_cpu_supports|target\\(\"|[a-z]mmintrin\\.h|x86intrin\\.h|__x86_64__");
  static const std::regex own_file("(avx2|avx512|sse42|popcnt|bmi2)$");
  for_each_source([](const fs::path& path, const std::string& text) {
    if (std::regex_search(text, pattern)) {
      EXPECT_TRUE(std::regex_search(path.stem().string(), own_file)) << path;
    }
  });
}

TEST(KernelTables, OnlyKernelChoiceReadsTheVariable) {
  for_each_source([](const fs::path& path, const std::string& text) {
    if (text.find("getenv(\"BLOOMERY_KERNEL\")") != std::string::npos) {
      EXPECT_EQ(path, kSourceTree / "src" / "base" / "kernel_choice.h");
    }
  });
}

// Every function that returns rows stands in the list above.
TEST(KernelTables, AreAllListedHere) {
  static const std::regex pattern("std::span<const [A-Za-z0-9]+> ([a-z0-9_]+_kernels)\\(\\);");
  std::set<std::string> listed;
  for_each_table([&](const char* table, auto) { listed.insert(table); });
  std::set<std::string> found;
  for_each_source([&](const fs::path&, const std::string& text) {
    for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator();
         ++at) {
      found.insert((*at)[1]);
    }
  });
  EXPECT_EQ(found, listed);
}

}  // namespace
}  // namespace bloomery
