// Tests that the simulated disk is a file system like the machine's, and that a crash leaves what it promises.
#include "tests/store/sim/disk.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "tests/base/test_folder.h"

namespace bloomery::store::sim {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Reports an outcome as the machine's file system would: the code and errno of an error.
template <typename Outcome>
std::string outcome_of(const Outcome& outcome) {
  return outcome ? "ok"
                 : std::to_string(static_cast<int>(outcome.error().code())) + " " +
                       std::to_string(outcome.error().errno_value());
}

// The same random operations on any file system, below a folder of it.
class RandomOperations {
 public:
  RandomOperations(FileSystem& files, std::string folder, std::uint64_t seed)
      : files_(files), folder_(std::move(folder)), random_(seed) {}

  // Does one operation, and describes it and its outcome.
  std::string step() {
    const std::string a = path();
    const std::string b = path();
    const auto named = [&](const char* name, const std::string& outcome) {
      return std::string(name) + " " + a.substr(folder_.size()) + " " + b.substr(folder_.size()) + ": " +
             outcome;
    };
    switch (random_() % 14) {
      case 0:
        return named("create", opened(a, OpenFor::kCreatingExclusively));
      case 1:
        return named("update", opened(a, OpenFor::kUpdating));
      case 2:
        return named("read", opened(a, OpenFor::kReading));
      case 3:
        return named("rename", outcome_of(files_.rename(a, b)));
      case 4:
        return named("rename to new", outcome_of(files_.rename_to_new(a, b)));
      case 5:
        return named("link", outcome_of(files_.link(a, b)));
      case 6:
        return named("remove", outcome_of(files_.remove(a)));
      case 7:
        return named("mkdir", outcome_of(files_.make_directory(a)));
      case 8:
        return named("rmdir", outcome_of(files_.remove_directory(a)));
      case 9:
        return named("list", listed(a));
      case 10:
        return named("facts", facts_of(a));
      case 11:
        return named("sync directory", outcome_of(files_.sync_directory_of(a)));
      default:
        return named("use", used());
    }
  }

  // The paths, sizes and contents of all files and directories.
  std::string tree() { return tree_of(folder_); }

 private:
  std::string path() {
    std::string path = folder_;
    for (auto depth = random_() % 3 + 1; depth > 0; --depth) {
      path += std::string("/") + static_cast<char>('a' + random_() % 4);
    }
    return path;
  }

  std::string opened(const std::string& path, OpenFor purpose) {
    Result<File> file = files_.open(path, purpose);
    const std::string outcome = outcome_of(file);
    if (file && open_.size() < 6) {
      open_.push_back(std::move(*file));
    }
    return outcome;
  }

  std::string listed(const std::string& path) {
    const auto entries = files_.list(path);
    std::string found = outcome_of(entries);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
      found += " " + entry.name + (entry.is_directory ? "/" : "=" + std::to_string(entry.size));
    }
    return found;
  }

  std::string facts_of(const std::string& path) {
    const auto facts = files_.facts(path);
    return outcome_of(facts) + (!facts                ? ""
                                : facts->is_directory ? " directory"
                                                      : " " + std::to_string(facts->size_bytes) + " " +
                                                            std::to_string(facts->permissions));
  }

  // Uses an open file: also one that was removed or renamed meanwhile.
  std::string used() {
    if (open_.empty()) {
      return "none";
    }
    const std::size_t number = random_() % open_.size();
    File& file = open_[number];
    const std::string text(random_() % 1500, static_cast<char>('A' + random_() % 26));
    const std::uint64_t offset = random_() % 3000;
    switch (random_() % 8) {
      case 0:
        return "write " + outcome_of(file.write_all(bytes_of(text)));
      case 1:
        return "write at " + outcome_of(file.write_all_at(offset, bytes_of(text)));
      case 2:
        return "sync " + outcome_of(file.sync());
      case 3:
        return "lock " + outcome_of(files_.lock_exclusively(file));
      case 4:
        return "lock bytes " + outcome_of(files_.lock_bytes(file, offset, 100));
      case 5:
        return "mapped " + mapped(file);
      case 6: {
        const std::string closed = outcome_of(file.close());
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(number));
        return "close " + closed;
      }
      default: {
        std::string read(700, '\0');
        const auto count = files_.read_at(file, offset, std::as_writable_bytes(std::span(read)));
        return "read " + outcome_of(count) + (count ? " " + read.substr(0, *count) : "");
      }
    }
  }

  std::string mapped(const File& file) {
    const auto facts = files_.facts(file);
    const auto mapping =
        facts ? files_.map(file, facts->size_bytes, MapAccess::kReadOnly) : Result<MappedFile>(facts.error());
    if (!mapping) {
      return outcome_of(mapping);
    }
    const auto bytes = mapping->bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  std::string tree_of(const std::string& folder) {
    std::string text;
    const auto entries = files_.list(folder);
    EXPECT_TRUE(entries) << folder;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = folder + "/" + entry.name;
      text += path.substr(folder_.size()) + "\n";
      if (entry.is_directory) {
        text += tree_of(path);
        continue;
      }
      const File file = std::move(files_.open(path, OpenFor::kReading).value());
      text += mapped(file) + "\n";
    }
    return text;
  }

  FileSystem& files_;
  std::string folder_;
  std::mt19937_64 random_;
  std::vector<File> open_;
};

// Every outcome and the final tree agree.
TEST(SimulatedDisk, RandomOperationsDoWhatTheyDoOnTheMachine) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TestFolder folder;
    SimulatedDisk disk;
    ASSERT_TRUE(disk.make_directory("/sim"));
    RandomOperations real(FileSystem::real(), folder.path("").substr(0, folder.path("").size() - 1), seed);
    RandomOperations simulated(disk, "/sim", seed);
    for (int i = 0; i < 600; ++i) {
      ASSERT_EQ(real.step(), simulated.step()) << "step " << i;
    }
    ASSERT_EQ(real.tree(), simulated.tree());
  }
}

class CrashTest : public testing::Test {
 protected:
  // Creates a file with these bytes, and syncs what is asked.
  void create(const std::string& path, std::string_view bytes, bool syncs_bytes, bool syncs_name) {
    File file = std::move(disk_.open(path, OpenFor::kCreatingExclusively).value());
    ASSERT_TRUE(file.write_all(bytes_of(bytes)));
    if (syncs_bytes) {
      ASSERT_TRUE(file.sync());
    }
    if (syncs_name) {
      ASSERT_TRUE(disk_.sync_directory_of(path));
    }
  }
  void create_synced(const std::string& path, std::string_view bytes) { create(path, bytes, true, true); }
  File updated(const std::string& path) { return std::move(disk_.open(path, OpenFor::kUpdating).value()); }
  void make_synced(const std::string& path) {
    ASSERT_TRUE(disk_.make_directory(path));
    ASSERT_TRUE(disk_.sync_directory_of(path));
  }
  void drop_all() { disk_.crash(0, CrashMode::kDropAll); }
  std::string read(const std::string& path) {
    const auto bytes = disk_.read_all(path);
    return bytes ? *bytes : "none";
  }

  SimulatedDisk disk_;
};

TEST_F(CrashTest, BytesAreDurableAfterASyncOfTheFile) {
  create("/synced", "bytes", true, true);
  create("/unsynced", "bytes", false, true);
  drop_all();
  EXPECT_EQ(read("/synced"), "bytes");
  EXPECT_EQ(read("/unsynced"), "") << "the name alone was synced";
}

TEST_F(CrashTest, ANameIsDurableAfterASyncOfItsDirectory) {
  create("/unnamed", "bytes", true, false);
  drop_all();
  EXPECT_EQ(read("/unnamed"), "none");
}

TEST_F(CrashTest, ADirectoryNeedsItsOwnNameToo) {
  ASSERT_TRUE(disk_.make_directory("/a"));
  create_synced("/a/file", "bytes");
  drop_all();
  EXPECT_FALSE(disk_.facts("/a"));
  make_synced("/b");
  create_synced("/b/file", "bytes");
  drop_all();
  EXPECT_EQ(read("/b/file"), "bytes");
}

TEST_F(CrashTest, AnOverwrittenSectorComesBackUnlessItWasSynced) {
  create_synced("/f", std::string(2000, 'a'));
  File file = updated("/f");
  ASSERT_TRUE(file.write_all_at(600, bytes_of(std::string(10, 'b'))));
  ASSERT_TRUE(file.sync());
  ASSERT_TRUE(file.write_all_at(600, bytes_of(std::string(1000, 'c'))));
  EXPECT_EQ(read("/f").substr(600, 3), "ccc");
  drop_all();
  EXPECT_EQ(read("/f"), std::string(600, 'a') + std::string(10, 'b') + std::string(1390, 'a'));
}

TEST_F(CrashTest, ARenameIsDurableWholeOrNotAtAll) {
  create_synced("/old", "old");
  create_synced("/new", "new");
  ASSERT_TRUE(disk_.rename("/new", "/old"));
  EXPECT_EQ(read("/old"), "new");
  drop_all();
  EXPECT_EQ(read("/old") + read("/new"), "oldnew");
  ASSERT_TRUE(disk_.rename("/new", "/old"));
  ASSERT_TRUE(disk_.sync_directory_of("/old"));
  drop_all();
  EXPECT_EQ(read("/old") + read("/new"), "newnone");
}

// One sync of either directory makes it durable in both, and the name of a new directory with it.
TEST_F(CrashTest, ARenameBetweenDirectoriesLosesNoFile) {
  for (const char* const synced : {"/from/x", "/to/x"}) {
    SCOPED_TRACE(synced);
    SimulatedDisk disk;
    ASSERT_TRUE(disk.make_directory("/from"));
    ASSERT_TRUE(disk.sync_directory_of("/from"));
    ASSERT_TRUE(disk.open("/from/f", OpenFor::kCreatingExclusively));
    ASSERT_TRUE(disk.sync_directory_of("/from/f"));
    ASSERT_TRUE(disk.make_directory("/to"));
    ASSERT_TRUE(disk.rename("/from/f", "/to/f"));
    ASSERT_TRUE(disk.sync_directory_of(synced));
    disk.crash(0, CrashMode::kDropAll);
    EXPECT_EQ(disk.all_files(), std::vector<std::string>{"/to/f"});
  }
}

// A rename that was synced in one directory must not be undone by a creation that was not.
TEST_F(CrashTest, EarlierOperationsOnANameComeFirst) {
  make_synced("/to");
  create("/f", "bytes", true, false);
  ASSERT_TRUE(disk_.rename("/f", "/to/f"));
  ASSERT_TRUE(disk_.sync_directory_of("/to/f"));
  ASSERT_TRUE(disk_.sync_directory_of("/f"));
  drop_all();
  EXPECT_EQ(disk_.all_files(), std::vector<std::string>{"/to/f"});
}

TEST_F(CrashTest, LinksAndRemovalsAreDurableAfterASync) {
  create_synced("/one", "bytes");
  ASSERT_TRUE(disk_.link("/one", "/two"));
  drop_all();
  EXPECT_EQ(read("/two"), "none");
  ASSERT_TRUE(disk_.link("/one", "/two"));
  ASSERT_TRUE(disk_.sync_directory_of("/two"));
  ASSERT_TRUE(disk_.remove("/one"));
  drop_all();
  EXPECT_EQ(read("/one") + read("/two"), "bytesbytes");
  ASSERT_TRUE(disk_.remove("/one"));
  ASSERT_TRUE(disk_.sync_directory_of("/one"));
  drop_all();
  EXPECT_EQ(read("/one") + read("/two"), "nonebytes");
}

TEST_F(CrashTest, ARemovedDirectoryComesBackUnlessItWasSynced) {
  make_synced("/d");
  ASSERT_TRUE(disk_.remove_directory("/d"));
  drop_all();
  EXPECT_TRUE(disk_.facts("/d"));
  ASSERT_TRUE(disk_.remove_directory("/d"));
  ASSERT_TRUE(disk_.sync_directory_of("/d"));
  drop_all();
  EXPECT_FALSE(disk_.facts("/d"));
}

TEST_F(CrashTest, KeepAllKeepsAll) {
  create("/f", "bytes", false, false);
  ASSERT_TRUE(disk_.make_directory("/d"));
  ASSERT_TRUE(disk_.rename("/f", "/d/g"));
  disk_.crash(0, CrashMode::kKeepAll);
  EXPECT_EQ(read("/d/g"), "bytes");
  drop_all();
  EXPECT_EQ(read("/d/g"), "bytes") << "what a crash left is durable";
}

// The machine goes on: a later power loss still loses what was not synced.
TEST_F(CrashTest, TheDeathOfTheProcessMakesNothingDurable) {
  create("/f", "bytes", false, false);
  disk_.crash(0, CrashMode::kProcessOnly);
  EXPECT_EQ(read("/f"), "bytes");
  drop_all();
  EXPECT_EQ(read("/f"), "none");
}

TEST_F(CrashTest, OpenFilesOfBeforeAreInvalid) {
  create_synced("/f", "bytes");
  File file = updated("/f");
  ASSERT_TRUE(disk_.lock_exclusively(file));
  drop_all();
  std::string read(3, '\0');
  EXPECT_EQ(file.read_exactly_at(0, std::as_writable_bytes(std::span(read))).error().code(), ErrorCode::kIo);
  EXPECT_EQ(file.write_all(bytes_of("x")).error().code(), ErrorCode::kIo);
  EXPECT_EQ(file.sync().error().code(), ErrorCode::kIo);
  EXPECT_EQ(disk_.facts(file).error().code(), ErrorCode::kIo);
  File other = updated("/f");
  EXPECT_TRUE(disk_.lock_exclusively(other)) << "its lock ended";
  EXPECT_EQ(file.close().error().code(), ErrorCode::kIo);
  EXPECT_TRUE(other.write_all(bytes_of("x"))) << "the close was of the old one";
}

TEST_F(CrashTest, ANamelessFileIsGone) {
  File file = std::move(disk_.open_nameless("/", "shown").value());
  ASSERT_TRUE(file.write_all(bytes_of("bytes")));
  EXPECT_TRUE(disk_.all_files().empty());
  disk_.crash(0, CrashMode::kKeepAll);
  EXPECT_TRUE(disk_.all_files().empty());
}

TEST_F(CrashTest, ALockKeepsOthersOutUntilItsFileIsClosed) {
  create_synced("/f", "bytes");
  File one = updated("/f");
  File two = updated("/f");
  ASSERT_TRUE(disk_.lock_exclusively(one));
  EXPECT_EQ(disk_.lock_exclusively(two).error().errno_value(), EWOULDBLOCK);
  ASSERT_TRUE(disk_.lock_bytes(one, 10, 5));
  EXPECT_EQ(disk_.lock_bytes(two, 14, 1).error().errno_value(), EWOULDBLOCK);
  EXPECT_TRUE(disk_.lock_bytes(two, 15, 1));
  EXPECT_TRUE(disk_.bytes_are_locked(one, 15, 1).value());
  ASSERT_TRUE(one.close());
  EXPECT_TRUE(disk_.lock_exclusively(two));
  EXPECT_FALSE(disk_.bytes_are_locked(two, 10, 5).value());
}

TEST_F(CrashTest, AMappingReachesTheFileBySync) {
  create_synced("/f", "bytes");
  const File file = updated("/f");
  const MappedFile mapping = std::move(disk_.map(file, 5, MapAccess::kReadWrite).value());
  mapping.writable_bytes()[0] = std::byte{'B'};
  ASSERT_TRUE(disk_.sync_mapping(file, mapping));
  drop_all();
  EXPECT_EQ(read("/f"), "Bytes");
}

// As after a failed fsync of Linux: the bytes can be read, the next sync says ok, and the disk lacks them.
TEST_F(CrashTest, AFailedSyncIsNotMadeUpByALaterOne) {
  create_synced("/f", "");
  File file = updated("/f");
  ASSERT_TRUE(file.write_all(bytes_of(std::string(1000, 'a'))));
  disk_.fail({.call = disk_.calls() + 1});
  EXPECT_EQ(file.sync().error().errno_value(), EIO);
  EXPECT_TRUE(disk_.has_failed());
  EXPECT_EQ(read("/f"), std::string(1000, 'a'));
  ASSERT_TRUE(file.write_all(bytes_of(std::string(1000, 'b'))));  // the sectors 1 to 3
  ASSERT_TRUE(file.sync());
  drop_all();
  EXPECT_EQ(read("/f"), std::string(512, '\0') + std::string(488, 'a') + std::string(1000, 'b'));
}

TEST_F(CrashTest, KeepAllLosesTheSectorsOfAFailedSync) {
  create("/f", "bytes", false, true);
  const File file = updated("/f");
  disk_.fail({.call = 1, .forever = true, .kind = CallKind::kSync});
  EXPECT_FALSE(disk_.sync(file));
  EXPECT_FALSE(disk_.sync_directory_of("/f"));
  disk_.fail({});
  ASSERT_TRUE(disk_.sync(file));
  disk_.crash(0, CrashMode::kKeepAll);
  EXPECT_EQ(read("/f"), std::string(5, '\0'));
}

TEST_F(CrashTest, FaultsHitTheCallThatWasNamed) {
  create_synced("/f", "bytes");
  File file = updated("/f");
  disk_.fail({.call = disk_.calls(CallKind::kWrite) + 2, .errno_value = ENOSPC, .kind = CallKind::kWrite});
  EXPECT_TRUE(file.write_all(bytes_of("1")));
  EXPECT_TRUE(disk_.facts("/f"));
  EXPECT_EQ(file.write_all(bytes_of("2")).error().errno_value(), ENOSPC);
  EXPECT_TRUE(file.write_all(bytes_of("3")));
  EXPECT_EQ(read("/f"), "13tes");
  disk_.fail({.call = disk_.calls() + 2, .forever = true});
  EXPECT_TRUE(disk_.facts("/f"));
  EXPECT_FALSE(disk_.facts("/f"));
  EXPECT_FALSE(file.write_all(bytes_of("4")));
  EXPECT_FALSE(disk_.rename("/f", "/g"));
  disk_.fail({});
  EXPECT_EQ(read("/f"), "13tes");
}

TEST_F(CrashTest, AShortWriteWritesHalf) {
  create_synced("/f", "");
  File file = updated("/f");
  const std::uint64_t next = disk_.calls(CallKind::kWrite) + 1;
  disk_.fail(
      {.call = next, .errno_value = ENOSPC, .forever = true, .kind = CallKind::kWrite, .writes_short = true});
  EXPECT_EQ(file.write_all(bytes_of("123456")).error().errno_value(), ENOSPC);
  EXPECT_EQ(read("/f"), "123");
  disk_.fail({.call = next + 2, .kind = CallKind::kWrite, .writes_short = true});
  EXPECT_TRUE(file.write_all(bytes_of("456789"))) << "the rest is written by another call";
  EXPECT_EQ(read("/f"), "123456789");
}

TEST_F(CrashTest, AStoppedProcessDoesNothingUntilTheCrash) {
  create_synced("/f", "bytes");
  File file = updated("/f");
  disk_.stop_at(disk_.calls() + 2);
  EXPECT_TRUE(file.write_all(bytes_of("B")));
  EXPECT_FALSE(file.sync());
  EXPECT_FALSE(disk_.remove("/f"));
  EXPECT_FALSE(file.write_all(bytes_of("x")));
  EXPECT_TRUE(disk_.has_failed());
  disk_.crash(0, CrashMode::kKeepAll);
  EXPECT_EQ(read("/f"), "Bytes") << "a sync that was never made loses nothing by itself";
  EXPECT_TRUE(disk_.remove("/f"));
}

TEST_F(CrashTest, DamageIsDurable) {
  create_synced("/d", "bytes");
  ASSERT_TRUE(disk_.flip_bit("/d", 9));
  EXPECT_EQ(read("/d"), "b{tes");
  ASSERT_TRUE(disk_.cut("/d", 3));
  drop_all();
  EXPECT_EQ(read("/d"), "b{t");
  ASSERT_TRUE(disk_.overwrite("/d", "other"));
  drop_all();
  EXPECT_EQ(read("/d"), "other");
  EXPECT_FALSE(disk_.overwrite("/none", "other"));
}

// Runs random operations and returns what a random crash leaves of them.
std::string after_random_crash(std::uint64_t seed, std::uint64_t crash_seed) {
  SimulatedDisk disk;
  EXPECT_TRUE(disk.make_directory("/sim"));
  EXPECT_TRUE(disk.sync_directory_of("/sim"));
  RandomOperations operations(disk, "/sim", seed);
  for (int i = 0; i < 300; ++i) {
    (void)operations.step();
  }
  for (int i = 0; i < 10; ++i) {  // some that nobody synced
    File file = std::move(disk.open("/sim/file " + std::to_string(i), OpenFor::kCreatingExclusively).value());
    EXPECT_TRUE(file.write_all(bytes_of(std::string(3000, 'z'))));
  }
  disk.crash(crash_seed, CrashMode::kRandom);
  return operations.tree();
}

TEST(SimulatedDiskSeeds, TheSameSeedsLeaveTheSameDisk) {
  std::set<std::string> trees;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string tree = after_random_crash(7, seed);
    EXPECT_EQ(tree, after_random_crash(7, seed)) << "crash seed " << seed;
    trees.insert(tree);
  }
  EXPECT_GT(trees.size(), 10u) << "crashes differ";
}

// Of a random crash: synced bytes and names stay, each lost sector has its old bytes, and a rename is atomic.
TEST(SimulatedDiskSeeds, ARandomCrashKeepsWhatIsDurable) {
  std::set<std::string> ends;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedDisk disk;
    File file = std::move(disk.open("/f", OpenFor::kCreatingExclusively).value());
    ASSERT_TRUE(file.write_all(bytes_of(std::string(1024, 'a'))));
    ASSERT_TRUE(file.sync());
    ASSERT_TRUE(disk.sync_directory_of("/f"));
    ASSERT_TRUE(file.write_all_at(0, bytes_of(std::string(2048, 'b'))));
    ASSERT_TRUE(disk.make_directory("/to"));
    ASSERT_TRUE(disk.rename("/f", "/to/f"));
    disk.crash(seed, CrashMode::kRandom);
    const std::vector<std::string> names = disk.all_files();
    ASSERT_EQ(names.size(), 1u) << "a rename loses no file, and makes no two";
    const std::string bytes = disk.read_all(names.front()).value();
    ASSERT_GE(bytes.size(), 1024u);
    std::string end = names.front() + (bytes.size() == 1024   ? " old"
                                       : bytes.size() == 2048 ? " new"
                                                              : " cut");
    for (std::size_t begin = 0; begin < bytes.size(); begin += 512) {
      const std::string sector = bytes.substr(begin, 512);
      const char old = begin < 1024 ? 'a' : '\0';
      ASSERT_TRUE(sector == std::string(sector.size(), 'b') || sector == std::string(sector.size(), old));
      end += sector[0] == 'b' ? "b" : "-";
    }
    ends.insert(end);
  }
  EXPECT_GT(ends.size(), 30u) << "every mixture occurs";
}

// A save is the old file or the new one, whatever call of it is the last one before the crash.
TEST(SimulatedDiskSeeds, AnAtomicSaveIsAtomic) {
  const auto save = [](SimulatedDisk& disk, std::string_view text) {
    const std::vector<std::span<const std::byte>> parts = {bytes_of(text)};
    return save_atomically(disk, "/f", parts, {.if_exists = IfExists::kReplace});
  };
  SimulatedDisk whole;
  ASSERT_TRUE(save(whole, "old"));
  const std::uint64_t first = whole.calls() + 1;
  ASSERT_TRUE(save(whole, "the new bytes"));
  for (std::uint64_t call = first; call <= whole.calls() + 1; ++call) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE("call " + std::to_string(call) + ", seed " + std::to_string(seed));
      SimulatedDisk disk;
      ASSERT_TRUE(save(disk, "old"));
      disk.stop_at(call);
      const bool is_saved = save(disk, "the new bytes").has_value();
      disk.crash(seed, CrashMode::kRandom);
      const std::string found = disk.read_all("/f").value();
      ASSERT_TRUE(found == "the new bytes" || (found == "old" && !is_saved)) << found;
    }
  }
}

}  // namespace
}  // namespace bloomery::store::sim
