// A sealed log of 100 entries is damaged in every way. No entry is ever wrong, and no loss below the mark is silent.
#include <random>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/wal/golden_logs.h"
#include "tests/wal/sealed_logs.h"

namespace bloomery {
namespace {

using wal::LogEndKind;
using wal::LogEntry;

constexpr std::size_t kEntries = 100;

// The outcome of reading a log.
struct Outcome {
  std::vector<std::uint64_t> numbers;  // sequence ids of the entries
  bool is_wrong = false;               // an entry differs from the one that was written
  std::optional<Error> error;
  LogEndKind end = LogEndKind::kOpen;
};

class SealedDamage : public testing::Test {
 protected:
  Outcome read(const std::string& bytes, std::optional<wal::LogMark> mark) const {
    Outcome outcome;
    MemoryFiles files(bytes);
    auto reader = opened_log(files, "log", {.mark = std::move(mark)});
    if (!reader) {
      outcome.error = reader.error();
      return outcome;
    }
    outcome.error = read_all(*reader, [&](const LogEntry& entry) {
      const std::uint64_t id = entry.sequence_id;
      outcome.is_wrong = outcome.is_wrong || id == 0 || id > kEntries || !is_equal(entry, entries_[id - 1]);
      outcome.numbers.push_back(id);
    });
    outcome.end = reader->end().kind;
    return outcome;
  }

  static bool is_equal(const LogEntry& entry, const OwnedEntry& written) {
    const LogEntry expected = written.entry();
    return entry.region == expected.region && entry.table == expected.table &&
           entry.write_time == expected.write_time && entry.attributes.empty() && entry.cells.size() == 1 &&
           entry.cells[0].key == expected.cells[0].key && entry.cells[0].value == expected.cells[0].value &&
           entry.cells[0].tags.empty();
  }

  // Returns how many of the first entries were read, or fails if others were.
  static std::size_t prefix_of(const Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.numbers.size(); ++i) {
      EXPECT_EQ(outcome.numbers[i], i + 1);
    }
    return outcome.numbers.size();
  }

  std::uint32_t trailer_link() const {
    MemoryFiles files(log_.bytes);
    const auto reader = opened_log(files, "log");
    return reader->trailer()->seal->link;
  }

  // The rules for every damage. `what` names it.
  void expect_seen(const std::string& bytes, const std::string& what) {
    SCOPED_TRACE(what);
    const Outcome marked = read(bytes, mark_);
    ASSERT_FALSE(marked.is_wrong);
    ASSERT_TRUE(marked.error || marked.numbers.size() == kEntries) << "a silent loss";
    (void)prefix_of(marked);
    const Outcome plain = read(bytes, std::nullopt);
    ASSERT_FALSE(plain.is_wrong);
    ASSERT_TRUE(plain.error || plain.end != LogEndKind::kClosed || plain.numbers.size() == kEntries);
    (void)prefix_of(plain);
    if (plain.error) {
      ASSERT_TRUE(plain.error->code() == ErrorCode::kCorruption ||
                  plain.error->code() == ErrorCode::kUnsupported)
          << plain.error->to_string();
    }
    ++damages_;
  }

  std::vector<OwnedEntry> entries_ = owned_entries(kEntries);
  SealedLog log_ = sealed_log(entries_, Closing::kClosed);
  std::optional<wal::LogMark> mark_ =
      wal::LogMark{.length = log_.ends.back(), .link = log_.links.back(), .log = "log"};
  std::size_t damages_ = 0;
};

TEST_F(SealedDamage, TheIntactLogIsRead) {
  const Outcome outcome = read(log_.bytes, mark_);
  EXPECT_FALSE(outcome.error) << outcome.error->to_string();
  EXPECT_EQ(prefix_of(outcome), kEntries);
  EXPECT_EQ(outcome.end, LogEndKind::kClosed);
}

TEST_F(SealedDamage, EveryBitFlipped) {
  for (std::size_t at = 0; at < log_.bytes.size() && !HasFatalFailure(); ++at) {
    const auto first = runs_long_tests() ? 0 : static_cast<int>(at % 8);
    for (int bit = first; bit < (runs_long_tests() ? 8 : first + 1); ++bit) {
      std::string damaged = log_.bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      expect_seen(damaged, "bit " + std::to_string(bit) + " of byte " + std::to_string(at));
      if (at < log_.ends.back()) {
        ASSERT_TRUE(read(damaged, mark_).error);
        ASSERT_TRUE(read(damaged, std::nullopt).error) << at;
      }
    }
  }
  EXPECT_EQ(damages_, (runs_long_tests() ? 8 : 1) * log_.bytes.size());
}

// Above the mark a cut is a torn end, or the end of a log that is not closed. Below it is damage.
TEST_F(SealedDamage, CutAtEveryByte) {
  for (std::size_t size = 0; size < log_.bytes.size() && !HasFatalFailure(); ++size) {
    const std::string damaged = log_.bytes.substr(0, size);
    expect_seen(damaged, "cut at " + std::to_string(size));
    const Outcome outcome = read(damaged, std::nullopt);
    ASSERT_FALSE(outcome.error) << size << " " << outcome.error->to_string();
    const auto end = std::ranges::upper_bound(log_.ends, size);
    const auto whole = static_cast<std::size_t>(end - log_.ends.begin());
    ASSERT_EQ(prefix_of(outcome), whole == 0 ? 0 : whole - 1);
    const bool is_between = whole > 0 && *(end - 1) == size;
    ASSERT_EQ(outcome.end, is_between ? LogEndKind::kOpen : LogEndKind::kTorn) << size;
    ASSERT_EQ(read(damaged, mark_).error.has_value(), size < log_.ends.back()) << size;
  }
}

TEST_F(SealedDamage, EveryEntryRemovedDoubledSwappedZeroed) {
  for (std::size_t i = 0; i < kEntries; ++i) {
    const std::size_t begin = log_.ends[i];
    const std::size_t size = log_.ends[i + 1] - begin;
    const std::string entry = log_.bytes.substr(begin, size);
    std::string removed = log_.bytes;
    removed.erase(begin, size);
    std::string doubled = log_.bytes;
    doubled.insert(begin, entry);
    std::string zeroed = log_.bytes;
    zeroed.replace(begin, size, size, '\0');
    std::string moved = removed;
    moved.insert(i + 1 < kEntries ? log_.ends[i + 2] - size : log_.ends[0], entry);
    for (const std::string& damaged : {removed, doubled, zeroed, moved}) {
      expect_seen(damaged, "entry " + std::to_string(i));
      ASSERT_TRUE(read(damaged, mark_).error) << i;
      ASSERT_TRUE(read(damaged, std::nullopt).error) << i;
    }
  }
}

// Pages are smaller than real ones, as the log is.
TEST_F(SealedDamage, APageOfGarbageOrZerosAtEveryOffset) {
  std::mt19937_64 random(1);
  for (std::size_t at = 0; at < log_.bytes.size(); at += runs_long_tests() ? 1U : 5U) {
    const std::size_t size = std::min<std::size_t>(512, log_.bytes.size() - at);
    std::string zeros = log_.bytes;
    zeros.replace(at, size, size, '\0');
    std::string garbage = log_.bytes;
    garbage.replace(at, size, text_of(random_bytes(random, size)));
    for (const std::string& damaged : {zeros, garbage}) {
      expect_seen(damaged, "page at " + std::to_string(at));
      if (at < log_.ends.back()) {
        ASSERT_TRUE(read(damaged, mark_).error) << at;
      }
    }
  }
}

TEST_F(SealedDamage, BytesAfterAnOpenLogAreATornEnd) {
  std::mt19937_64 random(2);
  const SealedLog open = sealed_log(entries_, Closing::kOpen);
  for (const std::string& rest :
       {std::string(1, '\0'), std::string(4096, '\0'), text_of(random_bytes(random, 300))}) {
    const Outcome outcome = read(open.bytes + rest, mark_);
    EXPECT_FALSE(outcome.error) << outcome.error->to_string();
    EXPECT_EQ(prefix_of(outcome), kEntries);
    EXPECT_EQ(outcome.end, LogEndKind::kTorn);
  }
}

TEST_F(SealedDamage, AMarkOfAnotherLogIsSeen) {
  const SealedLog other = sealed_log(owned_entries(kEntries, "other"), Closing::kClosed);
  ASSERT_EQ(other.ends, log_.ends);
  for (std::size_t i = 0; i < other.ends.size(); ++i) {
    const wal::LogMark mark{
        .length = other.ends[i], .link = other.links[i] + (i == 0 ? 1U : 0U), .log = "log"};
    EXPECT_TRUE(read(log_.bytes, mark).error) << i;
    const wal::LogMark own{.length = log_.ends[i], .link = log_.links[i], .log = "log"};
    EXPECT_FALSE(read(log_.bytes, own).error) << i;
  }
  wal::LogMark closed{.length = log_.bytes.size(), .link = trailer_link(), .log = "log"};
  EXPECT_FALSE(read(log_.bytes, closed).error);
  closed.link ^= 1;
  EXPECT_TRUE(read(log_.bytes, closed).error);
  const wal::LogMark inside{.length = log_.ends[5] + 1, .link = log_.links[5], .log = "log"};
  EXPECT_TRUE(read(log_.bytes, inside).error);
}

// Entries of another log with the same sequence ids do not fit into the chain.
TEST_F(SealedDamage, EntriesOfAnotherLogAreSeen) {
  const SealedLog other = sealed_log(entries_, Closing::kClosed, 77);
  EXPECT_NE(other.links, log_.links);
  for (const std::size_t i : {0U, 1U, 50U, 99U}) {
    std::string damaged = log_.bytes;
    damaged.replace(log_.ends[i], log_.ends[i + 1] - log_.ends[i],
                    other.bytes.substr(other.ends[i], other.ends[i + 1] - other.ends[i]));
    EXPECT_TRUE(read(damaged, std::nullopt).error) << i;
  }
}

// After damage everything else is read.
TEST_F(SealedDamage, WhatVerifiesIsReadAfterDamage) {
  for (std::size_t at = 0; at < log_.bytes.size(); at += 7) {
    std::string damaged = log_.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    MemoryFiles files(damaged);
    auto reader = opened_log(files, "log", {.despite_header = true});
    if (!reader) {
      EXPECT_EQ(reader.error().code(), ErrorCode::kUnsupported);
      continue;
    }
    std::size_t count = 0;
    std::size_t errors = 0;
    for (;;) {
      const auto error = read_all(*reader, [&](const LogEntry& entry) {
        EXPECT_TRUE(is_equal(entry, entries_[entry.sequence_id - 1]));
        ++count;
      });
      errors += error ? 1U : 0U;
      if (!error || !reader->skip_damage()) {
        break;
      }
    }
    EXPECT_GE(count, kEntries - (at >= log_.ends[0] ? 1 : 0)) << at;
    EXPECT_GE(errors, at < log_.ends.back() ? 1U : 0U) << at;
  }
}

// The header's mark is missing, but the entries have seals.
TEST_F(SealedDamage, AHeaderThatLostItsSealIsSeen) {
  hfile::ByteWriter header;
  wal::append_log_header(header, {});
  const std::string damaged = std::string(header.text()) + log_.bytes.substr(log_.ends[0]);
  EXPECT_TRUE(read(damaged, std::nullopt).error);
  MemoryFiles files(damaged);
  auto recovered = opened_log(files, "recovered.edits/0000000000000000001");
  ASSERT_TRUE(recovered);
  std::size_t count = 0;
  EXPECT_FALSE(read_all(*recovered, [&](const LogEntry& entry) {
    EXPECT_EQ(entry.attributes.size(), 1u);
    ++count;
  }));
  EXPECT_EQ(count, kEntries);
}

}  // namespace
}  // namespace bloomery
