// The examples of public headers and pages run, and the program of README.md runs twice in one directory.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace {

// Runs a program in `directory`. Returns what std::system() does: 0 if the program ended with status 0.
int run_in(const std::filesystem::path& directory, const std::string& program) {
  const std::string command = "cd '" + directory.string() + "' && '" + program + "' > output.txt";
  return std::system(command.c_str());  // NOLINT(cert-env33-c, concurrency-mt-unsafe)
}

class Examples : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "bloomery_examples_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(Examples, OfHeadersAndPagesRun) {
  EXPECT_EQ(run_in(directory_, BLOOMERY_EXAMPLES), 0);
}

TEST_F(Examples, TheProgramOfTheReadmeRunsTwice) {
  EXPECT_EQ(run_in(directory_, BLOOMERY_README_PROGRAM), 0);
  EXPECT_EQ(run_in(directory_, BLOOMERY_README_PROGRAM), 0);
}

#if defined(BLOOMERY_LEVELDB_EXAMPLES)
TEST_F(Examples, OfTheAdapterForLevelDbRun) {
  EXPECT_EQ(run_in(directory_, BLOOMERY_LEVELDB_EXAMPLES), 0);
}
#endif

}  // namespace
