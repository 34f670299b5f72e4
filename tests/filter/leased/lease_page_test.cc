// The page of a leased file: what it notes of the feeder's slot and files, and that damage there is seen.
#include "filter/leased/lease_page.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

// A page that nobody has open, and its bytes.
class PageNotes : public testing::Test {
 protected:
  void make(const std::string& slot) const { ASSERT_TRUE(LeasePage::open_for_feeder(path, slot)); }
  std::string noted() const {
    const auto page = LeasePage::open(path);
    return page ? page->slot() : page.error().to_string();
  }
  void flip(std::size_t at, char bits) const {
    std::string bytes = folder.read("page");
    bytes[at] = static_cast<char>(bytes[at] ^ bits);
    folder.write("page", bytes);
  }
  std::uint64_t inode_of(const std::string& name) const {
    return FileSystem::real().facts(folder.path(name))->inode;
  }

  TestFolder folder;
  std::string path = folder.path("page");
};

TEST_F(PageNotes, ANewPageHasItsSlotFromTheBeginning) {
  make("bloomery_users_0123456789ab");
  EXPECT_EQ(noted(), "bloomery_users_0123456789ab");
  make("another");
  EXPECT_EQ(noted(), "bloomery_users_0123456789ab") << "the page was there";
}

TEST_F(PageNotes, APageWithoutASlotGetsOneAndKeepsItAfterAMove) {
  make("");
  EXPECT_EQ(noted(), "");
  EXPECT_EQ(folder.read("page").substr(96, 416), std::string(416, '\0')) << "as an earlier version makes it";
  const std::string longest(kMostOfSlotName, 'x');
  ASSERT_TRUE(LeasePage::open_for_feeder(path)->note_slot(longest));
  EXPECT_EQ(noted(), longest);
  EXPECT_EQ(folder.read("page").substr(100, 64), longest + '\0');
  ASSERT_TRUE(LeasePage::open_for_feeder(path)->note_slot("a"));
  EXPECT_EQ(noted(), "a") << "nothing of the longer name stays";
  std::filesystem::rename(path, folder.path("moved"));
  EXPECT_EQ(LeasePage::open(folder.path("moved"))->slot(), "a");
}

TEST_F(PageNotes, WhatIsNoNameOfASlotIsRefused) {
  for (const std::string& name : {std::string("A"), std::string("a b"), std::string(64, 'a')}) {
    const auto made = LeasePage::open_for_feeder(path, name);
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  make("good");
  auto page = LeasePage::open_for_feeder(path);
  ASSERT_TRUE(page);
  for (const std::string& name : {std::string(), std::string("a\"b"), std::string(64, 'a')}) {
    EXPECT_FALSE(page->note_slot(name)) << name;
    EXPECT_EQ(page->slot(), "good");
  }
}

// A feeder that took a damaged name would make a slot that is not its own.
TEST_F(PageNotes, ANoteIsWorthNothingWhicheverByteIsDamaged) {
  make("bloomery_users_0123456789ab");
  for (std::size_t at = 96; at < 164; ++at) {
    flip(at, 1);
    EXPECT_EQ(noted(), "") << at;
    flip(at, 1);
  }
  EXPECT_EQ(noted(), "bloomery_users_0123456789ab");
  flip(164, 1);
  EXPECT_EQ(noted(), "bloomery_users_0123456789ab") << "what is behind it is not part of it";
}

TEST_F(PageNotes, ARecordKeepsEveryFieldInEitherPlace) {
  auto page = LeasePage::open_for_feeder(path);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->read_record().generation, 0U);
  for (std::uint64_t i = 1; i < 4; ++i) {
    LeaseRecord record{.generation = i,
                       .position = (std::uint64_t{2} << 40) + i,
                       .source = (std::uint64_t{3} << 40) + i,
                       .epoch = static_cast<std::uint32_t>(40 + i),
                       .keys = 50 + i,
                       .deletes = 60 + i,
                       .shape = (std::uint64_t{7} << 40) + i,
                       .columns = (std::uint64_t{8} << 40) + i,
                       .confirmed = (std::uint64_t{9} << 40) + i,
                       .commit_end = (std::uint64_t{10} << 40) + i,
                       .commit_time_us = -static_cast<std::int64_t>(i),
                       .commit_xid = static_cast<std::uint32_t>(120 + i)};
    ASSERT_TRUE(page->write_record(record));
    record.sequence = i;
    EXPECT_EQ(page->read_record(), record);
  }
}

TEST_F(PageNotes, ALeaseIsVoidForEverybodyElseThanItsGeneration) {
  auto page = LeasePage::open_for_feeder(path);
  ASSERT_TRUE(page);
  page->set_bound(1000);
  page->set_generation(4);
  EXPECT_FALSE(page->vouches_for(4, 500)) << "no deadline yet";
  page->renew(1000);
  EXPECT_TRUE(page->vouches_for(4, 500));
  EXPECT_TRUE(page->vouches_for(4, 999));
  EXPECT_TRUE(page->vouches_for(4, 0)) << "as far ahead as the bound";
  EXPECT_FALSE(page->vouches_for(4, 1000)) << "the moment itself is over";
  EXPECT_FALSE(page->vouches_for(3, 500));
  EXPECT_EQ(page->remaining_ns(400), 600U);
  page->renew(1001);
  EXPECT_FALSE(page->vouches_for(4, 0)) << "further ahead than the bound";
  page->set_generation(5);
  EXPECT_FALSE(page->vouches_for(5, 500)) << "the lease was of the generation before";
  page->set_generation(0);
  page->renew(1000);
  EXPECT_FALSE(page->vouches_for(0, 500)) << "no filter is complete";
}

// The lease of a run that was killed must not be believed once the next one changes the filter.
TEST_F(PageNotes, AFeederBeginsWithoutALeaseAndWithTheGenerationOfTheRecord) {
  {
    auto page = LeasePage::open_for_feeder(path);
    ASSERT_TRUE(page);
    page->set_bound(60'000'000'000);
    ASSERT_TRUE(page->write_record({.generation = 2}));
    page->set_generation(3);  // the record of the third was not written
    page->renew(boot_clock_ns() + 60'000'000'000);
    EXPECT_TRUE(page->vouches_for(3, boot_clock_ns()));
  }
  const auto reader = LeasePage::open(path);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->vouches_for(3, boot_clock_ns()));
  const auto page = LeasePage::open_for_feeder(path);
  ASSERT_TRUE(page);
  EXPECT_EQ(reader->remaining_ns(boot_clock_ns()), 0U);
  EXPECT_EQ(reader->generation(), 2U);
}

TEST_F(PageNotes, ALeaseIsOfOneBootAndAPageOfOneVersion) {
  {
    auto page = LeasePage::open_for_feeder(path);
    ASSERT_TRUE(page);
    page->set_bound(60'000'000'000);
    page->set_generation(1);
    page->renew(boot_clock_ns() + 60'000'000'000);
  }
  const auto vouches = [&] { return LeasePage::open(path)->vouches_for(1, boot_clock_ns()); };
  EXPECT_TRUE(vouches());
  for (std::size_t at = 16; at < 32; ++at) {
    flip(at, 1);
    EXPECT_FALSE(vouches()) << at;
    flip(at, 1);
  }
  EXPECT_TRUE(vouches());
  for (std::size_t at = 0; at < 12; ++at) {
    flip(at, 1);
    const auto page = LeasePage::open(path);
    ASSERT_FALSE(page) << at;
    EXPECT_EQ(page.error().code(), at < 8 ? ErrorCode::kCorruption : ErrorCode::kUnsupported);
    flip(at, 1);
  }
}

TEST_F(PageNotes, ThereIsRoomForTheFilterThatAnswersAndForTheNextOne) {
  auto page = LeasePage::open_for_feeder(path);
  ASSERT_TRUE(page);
  for (const char* const name : {"page.1", "page.2", "page.3"}) {
    folder.write(name, name);
  }
  page->note_made({.generation = 1, .inode = inode_of("page.1")});
  page->set_generation(1);
  page->note_made({.generation = 2, .inode = inode_of("page.2")});
  page->remove_made(1);
  EXPECT_TRUE(std::filesystem::exists(folder.path("page.1"))) << "it answers";
  EXPECT_FALSE(std::filesystem::exists(folder.path("page.2")));
  page->note_made({.generation = 3, .inode = inode_of("page.1")});
  page->remove_made(1);
  EXPECT_TRUE(std::filesystem::exists(folder.path("page.3"))) << "its inode is another one";
  page->remove_made(0);
  EXPECT_FALSE(std::filesystem::exists(folder.path("page.1")));
}

}  // namespace
}  // namespace bloomery
