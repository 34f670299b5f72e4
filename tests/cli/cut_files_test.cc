// Files that are no regular files, or are cut while a verb has them open: an error with a status, at once, and no answer.
#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "run_command.h"
#include "tests/codec/crafted_log.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

constexpr int kTimedOut = 124;

// A manifest of LevelDB that lists tables of so many bytes, with these numbers, on level 0.
std::string manifest_of_tables(std::uint64_t first, std::uint64_t last, std::uint64_t bytes) {
  std::string edit =
      varint_of(2) + varint_of(1) + varint_of(3) + varint_of(last + 1) + varint_of(4) + varint_of(9);
  for (std::uint64_t number = first; number <= last; ++number) {
    edit += varint_of(7) + varint_of(0) + varint_of(number) + varint_of(bytes) +
            sized_text(internal_key("")) + sized_text(internal_key("~"));
  }
  return log_piece(1, edit);
}

class NoRegularFile : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        shell.run("mkfifo pipe; mkdir folder; seq 100 > keys; bloomery build -o filter -n 100 -p 0.01 keys")
            .status,
        0);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = shell.folder().path("socket");
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    path.copy(static_cast<char*>(address.sun_path), path.size());
    ASSERT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  void TearDown() override { ::close(socket_); }

  Shell shell;

 private:
  int socket_ = -1;
};

TEST_F(NoRegularFile, IsRefusedByEveryVerbAtOnce) {
  // FILE is in the place of each.
  const std::array<const char*, 24> lines = {
      "bloomery query FILE keys",
      "bloomery query -f FILE filter keys",
      "bloomery query --dialect guava FILE keys",
      "bloomery query --dialect hbase FILE keys",
      "bloomery query --dialect redisbloom FILE keys",
      "bloomery add FILE keys",
      "bloomery add --strict FILE keys",
      "bloomery add --dialect guava FILE keys",
      "bloomery remove FILE keys",
      "bloomery except FILE keys",
      "bloomery report FILE key",
      "bloomery merge -o out FILE filter",
      "bloomery merge -o out filter FILE",
      "bloomery merge -o FILE --force filter filter",
      "bloomery build -o FILE --force -n 100 -p 0.01 keys",
      "bloomery build -o out --key-file FILE -n 100 -p 0.01 keys",
      "bloomery inspect FILE",
      "bloomery inspect --dialect guava FILE",
      "bloomery fpp FILE --absent keys",
      "bloomery dedup --state FILE keys",
      "bloomery hfile info FILE",
      "bloomery hfile cat FILE",
      "bloomery hfile get FILE --row r",
      "bloomery hfile filter FILE keys",
  };
  for (const std::string line : lines) {
    for (const std::string file : {"pipe", "folder", "socket", "/dev/zero"}) {
      std::string asked = line;
      asked.replace(asked.find("FILE"), 4, file);
      asked.replace(0, 8, "timeout 10 '" BLOOMERY_COMMAND "'");
      const Ran ran = shell.run(asked + " </dev/null");
      EXPECT_EQ(ran.status, 2) << asked << "\n" << ran.err << (ran.status == kTimedOut ? " (it hung)" : "");
      EXPECT_EQ(ran.out, "") << asked;
      EXPECT_TRUE(says(ran.err, file)) << asked << "\n" << ran.err;
    }
  }
  EXPECT_FALSE(says(shell.run("ls").out, "out"));
}

TEST_F(NoRegularFile, KeysMayComeFromAPipe) {
  EXPECT_EQ(shell.run("seq 5 > pipe & timeout 10 '" BLOOMERY_COMMAND "' query -c filter pipe").out, "5\n");
  EXPECT_EQ(shell.run("bloomery query -c filter <(seq 7)").out, "7\n");
  EXPECT_EQ(shell.run("bloomery query -c --allow <(seq 4) filter <(seq 7)").out, "3\n");
}

// A line for a verb that reads its keys from the pipe `in`, which it opens when it has opened `filter`.
class CutFile : public ::testing::Test {
 protected:
  // Cuts `filter` to so many bytes in between, then sends keys.
  Ran run_and_cut(const std::string& line, const std::string& size) {
    return shell.run("rm -f in; mkfifo in; bloomery " + line + " & verb=$!; exec 3>in; truncate -s " + size +
                     " filter; seq 1 3000 >&3; exec 3>&-; wait $verb");
  }
  void expect_refused(const std::string& line, const std::string& size) {
    const Ran ran = run_and_cut(line, size);
    EXPECT_EQ(ran.status, 3) << line << " cut to " << size << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_TRUE(says(ran.err, "filter")) << ran.err;
    EXPECT_TRUE(says(ran.err, "cut while")) << ran.err;
  }
  Shell shell;
};

TEST_F(CutFile, ThatIsMappedToBeAskedIsAnError) {
  for (const std::string type :
       {"blocked", "bloom", "counting", "scalable", "windowed --window 9000", "ribbon"}) {
    for (const std::string size : {"0", "100", "4096", "8192", "-1"}) {
      ASSERT_EQ(shell.run("seq 9000 | bloomery build -o filter --force -n 9000 -p 0.001 -t " + type).status,
                0);
      expect_refused("fpp filter --absent in", size);
    }
  }
}

TEST_F(CutFile, ThatIsUpdatedInPlaceIsAnErrorAndIsNotVouchedFor) {
  for (const std::string type : {"blocked", "bloom", "counting"}) {
    for (const std::string size : {"0", "8192", "-1"}) {
      ASSERT_EQ(shell.run("seq 9000 | bloomery build -o filter --force -n 9000 -p 0.001 -t " + type).status,
                0);
      expect_refused("add filter in", size);
      EXPECT_EQ(shell.run("bloomery inspect --verify filter").status, 3);
    }
  }
}

TEST_F(CutFile, ThatIsMappedToBeSavedAnewIsAnErrorAndIsLeftAlone) {
  ASSERT_EQ(shell.run("seq 9000 | bloomery build -o filter -n 9000 -p 0.01 -t bloom").status, 0);
  expect_refused("except filter in", "2048");
  EXPECT_EQ(shell.run("stat -c %s filter").out, "2048\n");
  EXPECT_EQ(shell.run("ls -A | grep tmp").out, "");
}

TEST_F(CutFile, OfAnotherSystemIsAnErrorBeforeAnAnswerIsPrinted) {
  const std::string table = unpacked_golden("leveldb/db_none.ldb");
  for (const std::string options : {"", " -v", " -c", " --line-buffered"}) {
    for (const std::string size : {"0", "4096", "-1"}) {
      shell.folder().write("filter", table);
      expect_refused("query filter in" + options, size);
      (void)shell.run("mkdir -p db; rm -f db/*");
      shell.folder().write("db/000005.ldb", table);
      shell.folder().write("db/CURRENT", "MANIFEST-000004\n");
      shell.folder().write("db/MANIFEST-000004", manifest_of_tables(5, 5, table.size()));
      const Ran ran = shell.run("rm -f in; mkfifo in; bloomery query db in" + options +
                                " & verb=$!; exec 3>in; truncate -s " + size +
                                " db/000005.ldb; seq 1 3000 >&3; exec 3>&-; wait $verb");
      EXPECT_EQ(ran.status, 3) << ran.err;
      EXPECT_EQ(ran.out, "");
      EXPECT_TRUE(says(ran.err, "000005.ldb") && says(ran.err, "cut while")) << ran.err;
    }
  }
}

// Each mapping keeps a descriptor where there are enough.
TEST_F(CutFile, ManyTablesNeedNoMoreDescriptorsThanThereAre) {
  const std::string table = unpacked_golden("leveldb/db_none.ldb");
  shell.folder().write("table", table);
  ASSERT_EQ(
      shell.run("mkdir db; for i in {1001..1300}; do ln table db/00$i.ldb; done; : > db/000001.log").status,
      0);
  shell.folder().write("db/CURRENT", "MANIFEST-000004\n");
  shell.folder().write("db/MANIFEST-000004", manifest_of_tables(1001, 1300, table.size()));
  const Ran ran = shell.run("ulimit -n 128; seq 1 3000 | bloomery query -c db");
  EXPECT_LE(ran.status, 1) << ran.err;
  EXPECT_FALSE(says(ran.err, "warning")) << ran.err;
}

// Its kernels could leave a table of which a part became zeros.
TEST_F(CutFile, OfAQuotientFilterDoesNotMatter) {
  for (const std::string size : {"0", "4096", "8192"}) {
    ASSERT_EQ(shell.run("seq 9000 | bloomery build -o filter --force -n 9000 -p 0.001 -t quotient").status,
              0);
    const Ran ran = run_and_cut("fpp filter --absent in", size);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(says(ran.out, "false positives  3,000")) << ran.out;
  }
}

// What is read, and not mapped, is in memory by then.
TEST_F(CutFile, ThatWasReadBeforeDoesNotMatter) {
  ASSERT_EQ(shell.run("seq 9000 | bloomery build -o filter -n 9000 -p 0.001").status, 0);
  const Ran ran = run_and_cut("query -c filter in", "0");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "3000\n");
}

}  // namespace
}  // namespace bloomery
