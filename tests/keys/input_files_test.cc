// The FILE arguments: one after the other, packed or not, and read twice when asked. How a stop ends them is
// in input_files_stop_test.cc.
#include "keys/input_files.h"

#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/base/test_folder.h"
#include "tests/compress/packed.h"

namespace bloomery {
namespace {

// Every line as "file:number:line", the file by its last name.
Names placed_lines(InputFiles& files) {
  Names read;
  LineBatch batch;
  for (;;) {
    const Result<bool> found = files.next(batch);
    EXPECT_TRUE(found) << found.error().to_string();
    if (!found || !*found) {
      return read;
    }
    const std::string& name = files.current_name();
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      read.push_back(name.substr(name.rfind('/') + 1) + ":" + std::to_string(files.first_line() + i) + ":" +
                     std::string(batch.lines[i]));
    }
  }
}

// The error that ends the input, after any lines before it.
Error error_of(InputFiles& files) {
  LineBatch batch;
  for (;;) {
    const Result<bool> found = files.next(batch);
    if (!found) {
      return found.error();
    }
    if (!*found) {
      return Error::invalid_argument("none", "it was read to the end");
    }
  }
}

class InputFilesTest : public testing::Test {
 protected:
  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& bytes) {
    folder_.write(name, bytes);
    return folder_.path(name);
  }

  TestFolder folder_;
};

TEST_F(InputFilesTest, FilesInTurnWithLinesCountedInEach) {
  InputFiles files({file("a", "1\n2\n"), file("b", "3"), file("empty", ""), file("c", "4\n\n5\n")}, '\n');
  EXPECT_EQ(placed_lines(files), (Names{"a:1:1", "a:2:2", "b:1:3", "c:1:4", "c:2:", "c:3:5"}));
  EXPECT_EQ(files.lines_read(), 6u);
}

// The last line of one file and the first of the next are two lines, also without a delimiter between.
TEST_F(InputFilesTest, ALineDoesNotRunIntoTheNextFile) {
  InputFiles files({file("a", "no end"), file("b", "another\n")}, '\n');
  EXPECT_EQ(placed_lines(files), (Names{"a:1:no end", "b:1:another"}));
}

TEST_F(InputFilesTest, LinesAreCountedAcrossBatches) {
  std::string text;
  for (int i = 1; i <= 100'000; ++i) {
    text += std::to_string(i) + "\n";
  }
  InputFiles files({file("a", text), file("b", "x\n")}, '\n');
  const Names read = placed_lines(files);
  ASSERT_EQ(read.size(), 100'001u);
  EXPECT_EQ(read[99'998], "a:99999:99999");
  EXPECT_EQ(read[100'000], "b:1:x");
}

TEST_F(InputFilesTest, TheDelimiterIsTheOneGiven) {
  InputFiles files({file("a", std::string("x\ny\0z", 5))}, '\0');
  EXPECT_EQ(placed_lines(files), (Names{"a:1:x\ny", "a:2:z"}));
}

// By their first bytes, whatever they are called.
TEST_F(InputFilesTest, PackedFilesAreUnpacked) {
  InputFiles files(
      {file("a.gz", gzip_of("1\n") + gzip_of("2\n")), file("plain.gz", "3\n"), file("b.txt", zstd_of("4\n"))},
      '\n');
  EXPECT_EQ(placed_lines(files), (Names{"a.gz:1:1", "a.gz:2:2", "plain.gz:1:3", "b.txt:1:4"}));
}

TEST_F(InputFilesTest, ADamagedFileIsNamedOnce) {
  const std::string path = file("cut.gz", gzip_of("some text\n").substr(0, 20));
  InputFiles files({file("a", "1\n"), path}, '\n');
  const Error error = error_of(files);
  EXPECT_EQ(error.code(), ErrorCode::kCorruption);
  EXPECT_EQ(error.to_string(), path + ": at byte 20: gzip: expected more data, found the end (corruption)");
}

TEST_F(InputFilesTest, AMissingFileIsNamed) {
  InputFiles files({file("a", "1\n"), folder_.path("none")}, '\n');
  const Error error = error_of(files);
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_EQ(error.to_string(), folder_.path("none") + ": open: No such file or directory (not found)");
  EXPECT_EQ(files.lines_read(), 1u);
}

TEST_F(InputFilesTest, ADirectoryIsNoFile) {
  InputFiles files({folder_.path(".")}, '\n');
  EXPECT_EQ(error_of(files).to_string(), folder_.path(".") + ": read: Is a directory (I/O error)");
}

// Whoever goes on behind an error gets the next file, and the bad one is closed.
TEST_F(InputFilesTest, GoesOnBehindAFileThatCannotBeRead) {
  const int before = ::dup(STDIN_FILENO);
  ::close(before);
  {
    InputFiles files({folder_.path("."), folder_.path("."), folder_.path("none"), file("a", "1\n")}, '\n');
    for (int bad = 0; bad < 3; ++bad) {
      EXPECT_NE(error_of(files).code(), ErrorCode::kInvalidArgument);
    }
    EXPECT_EQ(placed_lines(files), Names{"a:1:1"});
  }
  const int after = ::dup(STDIN_FILENO);
  ::close(after);
  EXPECT_EQ(after, before) << "the lowest free descriptor is the one it was";
}

TEST_F(InputFilesTest, RewindReadsTheSameAgain) {
  InputFiles files({file("a", "1\n2\n"), file("b.gz", gzip_of("3\n")), file("c.zst", zstd_of("4\n"))}, '\n');
  ASSERT_TRUE(files.can_rewind());
  const Names once = placed_lines(files);
  ASSERT_TRUE(files.rewind());
  EXPECT_EQ(files.lines_read(), 0u);
  EXPECT_EQ(placed_lines(files), once);
  EXPECT_EQ(files.lines_read(), 4u);
}

TEST_F(InputFilesTest, RewindLeavesAFileInItsMiddle) {
  constexpr std::size_t kLines = 400'000;  // more than one batch
  InputFiles files({file("a", std::string(kLines, '\n'))}, '\n');
  LineBatch batch;
  ASSERT_TRUE(*files.next(batch));
  ASSERT_LT(batch.lines.size(), kLines);
  ASSERT_TRUE(files.rewind());
  EXPECT_EQ(files.bytes_read(), 0u);
  EXPECT_EQ(placed_lines(files).size(), kLines);
}

TEST_F(InputFilesTest, ProgressIsInBytesOnDisk) {
  const std::string packed = gzip_of(std::string(10'000, 'x') + "\n");
  InputFiles files({file("a", "1\n2\n"), file("b.gz", packed)}, '\n');
  EXPECT_EQ(files.total_bytes(), 4 + packed.size());
  EXPECT_EQ(files.bytes_read(), 0u);
  LineBatch batch;
  ASSERT_TRUE(*files.next(batch));
  EXPECT_EQ(files.bytes_read(), 4u);
  placed_lines(files);
  EXPECT_EQ(files.bytes_read(), 4 + packed.size());
  ASSERT_TRUE(files.rewind());
  EXPECT_EQ(files.bytes_read(), 0u);
}

TEST_F(InputFilesTest, APipeHasNoSizeAndIsNotReadTwice) {
  ASSERT_EQ(::mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  const InputFiles with_pipe({file("a", "1\n"), folder_.path("fifo")}, '\n');
  EXPECT_EQ(with_pipe.total_bytes(), std::nullopt);
  EXPECT_FALSE(with_pipe.can_rewind());
  EXPECT_FALSE(InputFiles({folder_.path("none")}, '\n').can_rewind());
}

// Standard input is the file for as long as the object lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
    ::close(file);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST_F(InputFilesTest, NoNameOrADashIsStandardInput) {
  for (const Names& names : {Names{}, Names{"-"}}) {
    const StandardInput input(file("a", "1\n2\n"));
    InputFiles files(names, '\n');
    const Names expected = {"standard input:1:1", "standard input:2:2"};
    EXPECT_EQ(placed_lines(files), expected);
    ASSERT_TRUE(files.can_rewind());
    ASSERT_TRUE(files.rewind());
    EXPECT_EQ(placed_lines(files), expected);
  }
}

// (read -r first; bloomery ... ) < file: what somebody else has read before is not ours, the second time
// neither.
TEST_F(InputFilesTest, StandardInputBeginsWhereItStood) {
  const StandardInput input(file("a", "header\n1\n"));
  ASSERT_EQ(::lseek(STDIN_FILENO, 7, SEEK_SET), 7);
  InputFiles files({file("b", "0\n"), "-"}, '\n');
  const Names expected = {"b:1:0", "standard input:1:1"};
  EXPECT_EQ(placed_lines(files), expected);
  ASSERT_TRUE(files.rewind());
  EXPECT_EQ(placed_lines(files), expected);
  EXPECT_NE(::fcntl(STDIN_FILENO, F_GETFD), -1) << "standard input is not ours to close";
}

}  // namespace
}  // namespace bloomery
