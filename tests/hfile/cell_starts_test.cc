// A seek in a block that stays in memory, by halving, comes to the cell that walking comes to; a block that
// is damaged or out of order has no starts, so that it is walked.
#include "hfile/cell_starts.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/plain_encoder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kStartsSeed = 20260101;

// Rows, qualifiers and timestamps of few values each, so that there are versions, columns and equal keys.
OwnedCell random_cell(std::mt19937_64& random) {
  const auto text = [&](std::size_t longest) {
    std::string bytes(random() % (longest + 1), '\0');
    std::ranges::generate(bytes, [&] { return "\0a\xff"[random() % 3]; });
    return bytes;
  };
  OwnedCell cell{.row = "r" + text(3), .family = "f", .qualifier = text(2), .value = text(40)};
  cell.timestamp = static_cast<std::int64_t>(random() % 4);
  cell.type = random() % 4 == 0 ? CellType::kDeleteColumn : CellType::kPut;
  return cell;
}

TEST(CellStarts, SeekByHalvingIsSeekByWalking) {
  RecordProperty("seed", std::to_string(kStartsSeed));
  std::mt19937_64 random(kStartsSeed);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("cell-starts-" + std::to_string(::getpid()))).string();
  for (const bool has_mvcc : {false, true}) {
    std::vector<OwnedCell> cells(2000);
    std::ranges::generate(cells, [&] { return random_cell(random); });
    std::ranges::stable_sort(cells, [](const auto& a, const auto& b) { return a.key() < b.key(); });
    HFileWriteOptions options;
    options.may_replace = true;
    options.block_bytes = 4096;
    options.has_mvcc = has_mvcc;
    ASSERT_TRUE(write_cells(path, options, cells));
    HFileOptions cached;
    cached.cache_bytes = 1 << 20;
    auto walking = HFileReader::open(path);
    auto halving = HFileReader::open(path, cached);
    ASSERT_TRUE(walking && halving);
    for (int i = 0; i < 5000; ++i) {
      const OwnedCell wanted = random_cell(random);
      const CellKey key = i % 3 == 0 ? first_on_row(wanted.row) : wanted.key();
      HFileScanner one = walking->scan();
      HFileScanner other = halving->scan();
      Result<bool> found = one.seek(key);
      Result<bool> found_too = other.seek(key);
      for (int steps = 0; steps < 3; ++steps) {
        ASSERT_TRUE(found && found_too);
        ASSERT_EQ(*found, *found_too);
        if (!*found) {
          break;
        }
        ASSERT_EQ(owned(one.cell()), owned(other.cell()));
        found = one.next();
        found_too = other.next();
      }
      if (found && *found) {
        found = one.previous();
        found_too = other.previous();
        ASSERT_TRUE(found && found_too && *found && *found_too);
        ASSERT_EQ(owned(one.cell()), owned(other.cell()));
      }
    }
  }
  std::filesystem::remove(path);
}

class CellStartsOf : public testing::Test {
 protected:
  void add(const std::string& row) {
    const OwnedCell cell{.row = row, .family = "f", .qualifier = "q", .timestamp = 1, .value = "value"};
    hfile::KeyBytes key;
    key.assign(cell.key());
    hfile::PlainEncoder({}).add(out_, key, nullptr, cell.cell());
  }

  hfile::ByteWriter out_;
};

TEST_F(CellStartsOf, SoundCells) {
  add("a");
  add("b");
  add("b");
  const auto starts = hfile::CellStarts::of(out_.bytes(), {});
  ASSERT_TRUE(starts);
  const std::size_t cell_bytes = out_.size() / 3;
  EXPECT_EQ(starts->seek(out_.bytes(), first_on_row("")), 0U);
  EXPECT_EQ(starts->seek(out_.bytes(), first_on_row("b")), cell_bytes);
  EXPECT_EQ(starts->seek(out_.bytes(), last_on_row("b")), out_.size());
}

TEST_F(CellStartsOf, TheSameInARoomAndInMemoryOfTheirOwn) {
  for (char last = 'a'; last <= 'z'; ++last) {
    add(std::string("row-") + last);
  }
  const auto budget = std::make_shared<MemoryBudget>(1 << 20);
  const auto own = hfile::CellStarts::of(out_.bytes(), {}, {}, MemoryShare(budget));
  ASSERT_TRUE(own);
  EXPECT_GT(budget->used(), 0U);
  for (const std::size_t words :
       {0U, 1U, 54U, 55U, 56U, 57U, 1000U}) {  // 1 of the front, 2 samples, 26 heads, 26 starts
    std::vector<std::uint32_t> room(words, 0xaaaaaaaa);
    const std::uint64_t before = budget->used();
    const auto starts = hfile::CellStarts::of(out_.bytes(), {}, room, MemoryShare(budget));
    ASSERT_TRUE(starts);
    EXPECT_EQ(budget->used() == before, words >= 55) << words;
    for (const char* const row : {"", "row-a", "row-m", "row-mm", "row-z", "s"}) {
      EXPECT_EQ(starts->seek(out_.bytes(), first_on_row(row)), own->seek(out_.bytes(), first_on_row(row)))
          << row;
    }
  }
}

// The second seek builds the offsets. Of a block that has none, no later one tries again.
TEST_F(CellStartsOf, AreBuiltAtTheSecondSeek) {
  add("a");
  add("b");
  hfile::KeptCellStarts kept;
  EXPECT_EQ(kept.at_seek(out_.bytes(), {}, {}, nullptr), nullptr);
  const hfile::CellStarts* const built = kept.at_seek(out_.bytes(), {}, {}, nullptr);
  ASSERT_NE(built, nullptr);
  EXPECT_EQ(kept.at_seek(out_.bytes(), {}, {}, nullptr), built);
  EXPECT_EQ(built->seek(out_.bytes(), first_on_row("b")), out_.size() / 2);
  add("a");
  hfile::KeptCellStarts none;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(none.at_seek(out_.bytes(), {}, {}, nullptr), nullptr);
  }
}

TEST_F(CellStartsOf, NoneOfCellsThatGoBackwards) {
  add("b");
  add("a");
  EXPECT_FALSE(hfile::CellStarts::of(out_.bytes(), {}));
}

TEST_F(CellStartsOf, NoneOfABlockThatIsCutOrHasAnUnknownType) {
  add("a");
  add("b");
  for (std::size_t size = 1; size < out_.size(); ++size) {
    if (size != out_.size() / 2) {
      EXPECT_FALSE(hfile::CellStarts::of(out_.bytes().first(size), {})) << size;
    }
  }
  out_.data()[out_.size() - 6] = std::byte{5};
  EXPECT_FALSE(hfile::CellStarts::of(out_.bytes(), {}));
}

}  // namespace
}  // namespace bloomery
