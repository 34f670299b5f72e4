// A feeder's filter in a file. The sink removes and replaces what it made itself, whatever other files are called.
#include "feed/file_sink.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/leased_filter.h"
#include "bloomery/hash/hash_secret.h"
#include "tests/base/test_folder.h"

namespace bloomery::feed {
namespace {

class FileSinkTest : public testing::Test {
 protected:
  std::unique_ptr<FileSink> open() const {
    auto sink = std::make_unique<FileSink>(
        FileSinkOptions{.path = path, .fpp = 1e-6, .filter = {}, .bound_ns = 60'000'000'000});
    EXPECT_TRUE(sink->open());
    return sink;
  }
  static KeyBatch batch_of(const std::string& key) {
    KeyBatch batch;
    batch.add(std::as_bytes(std::span(key)));
    return batch;
  }
  static void build(FileSink& sink, const std::string& key) {
    ASSERT_TRUE(sink.begin_build(1000));
    ASSERT_TRUE(sink.insert_scanned(batch_of(key)));
    ASSERT_TRUE(sink.finish_build({.position = 7, .system = 1, .timeline = 1, .keys = 1}));
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder.path(name)); }

  TestFolder folder;
  std::string path = folder.path("users");
};

// A file called FILE.<digits> says nothing of who made it: it may be yesterday's export. Such files were removed when a run
// began, and the first of them became a filter.
TEST_F(FileSinkTest, FilesOfOthersThatHaveTheNameOfAGenerationStay) {
  const std::vector<std::string> names{"users.1", "users.2", "users.4", "users.20241101", "users.log.1"};
  for (const std::string& name : names) {
    folder.write(name, "precious " + name);
  }
  {
    const auto sink = open();
    build(*sink, "ann");
    build(*sink, "bob");
    EXPECT_TRUE(sink->renew(boot_clock_ns()));
    const auto filter = LeasedFilter::open(path);
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->may_contain("bob"));
    EXPECT_FALSE(filter->may_contain("ann"));
    EXPECT_EQ(filter->state().generation, 5U);
    EXPECT_FALSE(exists("users.3")) << "the first build, which the second one replaced";
    EXPECT_TRUE(sink->close());
  }
  (void)open();
  for (const std::string& name : names) {
    EXPECT_EQ(folder.read(name), "precious " + name);
  }
  EXPECT_TRUE(exists("users.5"));
}

// Another page's filter is no proof either, although it is a filter of the same kind.
TEST_F(FileSinkTest, AFilterOfAnotherPageStays) {
  {
    FileSink other({.path = folder.path("other"), .fpp = 1e-6, .filter = {}, .bound_ns = 1});
    ASSERT_TRUE(other.open());
    build(other, "carl");
    EXPECT_TRUE(other.close());
  }
  std::filesystem::copy_file(folder.path("other.1"), folder.path("users.1"));
  const std::string bytes = folder.read("users.1");
  {
    const auto sink = open();
    build(*sink, "ann");
    EXPECT_TRUE(sink->close());
  }
  (void)open();
  EXPECT_EQ(folder.read("users.1"), bytes);
}

TEST_F(FileSinkTest, WhatAKilledRunLeftIsRemovedByTheNextOne) {
  {
    const auto sink = open();
    build(*sink, "ann");
    ASSERT_TRUE(sink->begin_build(1000));
  }
  EXPECT_TRUE(exists("users.2"));
  const auto sink = open();
  EXPECT_FALSE(exists("users.2"));
  EXPECT_TRUE(exists("users.1"));
  ASSERT_TRUE(sink->begin_build(1000));
  sink->abandon_build();
  EXPECT_FALSE(exists("users.2"));
  EXPECT_TRUE(exists("users.1"));
}

// The file that the page notes was removed, and somebody gave its name to another one.
TEST_F(FileSinkTest, AFileThatTookTheNameOfALeftoverStays) {
  folder.write("export", "precious");
  {
    const auto sink = open();
    ASSERT_TRUE(sink->begin_build(1000));
  }
  std::filesystem::rename(folder.path("export"), folder.path("users.1"));
  {
    const auto sink = open();
    build(*sink, "ann");
    EXPECT_TRUE(sink->close());
  }
  EXPECT_EQ(folder.read("users.1"), "precious");
  EXPECT_TRUE(exists("users.2"));
}

// The log is in both while a filter is built: whoever asks meanwhile, and afterwards, finds the key.
TEST_F(FileSinkTest, TheLogGoesIntoTheFilterThatAnswersAndIntoTheOneThatIsBuilt) {
  const auto sink = open();
  build(*sink, "ann");
  ASSERT_TRUE(sink->begin_build(1000));
  ASSERT_TRUE(sink->insert(batch_of("bob")));
  ASSERT_TRUE(sink->renew(boot_clock_ns()));
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->may_contain("bob"));
  EXPECT_FALSE(filter->may_contain("eve"));
  ASSERT_TRUE(sink->finish_build({.position = 8}));
  EXPECT_FALSE(filter->state().holds) << "nobody vouches for the new one yet";
  ASSERT_TRUE(sink->renew(boot_clock_ns()));
  EXPECT_TRUE(filter->may_contain("bob"));
  EXPECT_FALSE(filter->may_contain("ann")) << "the row is gone";
}

// A lease is for the moment at which the server was asked, not for the one at which the answer was there.
TEST_F(FileSinkTest, TheLeaseAndThePositionAreThoseThatWereGiven) {
  const auto sink = open();
  build(*sink, "ann");
  const std::uint64_t asked = boot_clock_ns() - 20'000'000'000;
  ASSERT_TRUE(sink->renew(asked));
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->state().complete_at_ns, asked);
  EXPECT_EQ(filter->state().position, 7U);
}

TEST_F(FileSinkTest, WhatWasSavedIsWhatTheNextRunFinds) {
  const FeedRecord record{.generation = 1,
                          .position = 99,
                          .system = 1,
                          .timeline = 2,
                          .keys = 3,
                          .deletes = 4,
                          .shape = 5,
                          .columns = 6,
                          .confirmed = 7,
                          .commit = {.end = 8, .time_us = 9, .xid = 10}};
  {
    const auto sink = open();
    build(*sink, "ann");
    const auto saved = sink->save(record);
    ASSERT_TRUE(saved);
    EXPECT_EQ(*saved, 99U);
    ASSERT_TRUE(sink->renew(boot_clock_ns()));
    EXPECT_TRUE(sink->close());
  }
  FileSink sink({.path = path, .fpp = 1e-6, .filter = {}, .bound_ns = 60'000'000'000});
  const auto found = sink.open();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, record);
  EXPECT_EQ(sink.found_columns(), 6U);
  EXPECT_FALSE(LeasedFilter::open(path)->state().holds) << "the lease of before is void";
}

// Whoever asks for the keys of before would be told no, and whoever asks for those of now as well.
TEST_F(FileSinkTest, AFilterWhoseKeysWereMadeOtherwiseIsBuiltAnew) {
  const auto secret = HashSecret::generate();
  ASSERT_TRUE(secret);
  {
    const auto sink = open();
    build(*sink, "ann");
    EXPECT_TRUE(sink->close());
  }
  for (const FilterOptions& filter :
       {FilterOptions{.hash = keyed_hash(*secret)}, FilterOptions{.hash = {.seed = 7}},
        FilterOptions{.keys = {.ignore_case = true}}}) {
    FileSink sink({.path = path, .fpp = 1e-6, .filter = filter, .bound_ns = 1});
    const auto found = sink.open();
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
  }
  FileSink sink({.path = path, .fpp = 1e-6, .filter = {}, .bound_ns = 1});
  EXPECT_TRUE(*sink.open()) << "it is as it was";
}

TEST_F(FileSinkTest, ThePageNotesTheSlotBeforeThereIsOne) {
  FileSink sink({.path = path, .slot = "fresh", .fpp = 1e-6, .filter = {}, .bound_ns = 1});
  EXPECT_EQ(sink.noted_slot().error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(sink.open());
  EXPECT_EQ(*sink.noted_slot(), "fresh");
  ASSERT_TRUE(sink.note_slot("other"));
  EXPECT_EQ(*sink.noted_slot(), "other");
  const FileSink unopened({.path = path, .slot = "third", .filter = {}});
  EXPECT_EQ(*unopened.noted_slot(), "other");
  folder.write("text", std::string(4096, 'x'));
  const FileSink text({.path = folder.path("text"), .filter = {}});
  EXPECT_EQ(text.noted_slot().error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery::feed
