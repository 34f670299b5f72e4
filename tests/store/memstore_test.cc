// A memstore answers as a sorted list of the same cells does; readers beside the writer see all that was
// published; a failed allocation changes nothing.
#include "store/memstore.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"

namespace bloomery::store {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{16} << 20;
constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();

// A cell that owns its bytes.
struct OwnedCell {
  std::string row = {}, family = {}, qualifier = {}, value = {}, tags = {};
  std::int64_t timestamp = 0;
  CellType type = CellType::kPut;
  std::int64_t mvcc = 0;

  Cell cell() const {
    return {.key = {row, family, qualifier, timestamp, type}, .value = value, .tags = tags, .mvcc = mvcc};
  }
};

OwnedCell put(std::string row, std::int64_t mvcc, std::string value = "v") {
  return {.row = std::move(row), .family = "f", .qualifier = "q", .value = std::move(value), .mvcc = mvcc};
}

// The cells of a memstore as a sorted vector. An equal cell goes before those that it is equal to.
class Model {
 public:
  void add(const OwnedCell& cell) {
    cells_.insert(std::lower_bound(cells_.begin(), cells_.end(), cell, comes_before), cell);
  }
  // Returns the cells that a reader with the read point sees.
  std::vector<const OwnedCell*> visible(std::uint64_t read_point) const {
    std::vector<const OwnedCell*> found;
    for (const OwnedCell& cell : cells_) {
      if (static_cast<std::uint64_t>(cell.mvcc) <= read_point) {
        found.push_back(&cell);
      }
    }
    return found;
  }

 private:
  static bool comes_before(const OwnedCell& a, const OwnedCell& b) {
    const auto keys = a.cell().key <=> b.cell().key;
    return std::is_neq(keys) ? std::is_lt(keys) : a.mvcc > b.mvcc;
  }

  std::vector<OwnedCell> cells_;
};

::testing::AssertionResult same(const Cell& found, const Cell& expected) {
  if (found.key == expected.key && found.value == expected.value && found.tags == expected.tags &&
      found.mvcc == expected.mvcc) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << "row " << found.key.row << " qualifier " << found.key.qualifier << " value " << found.value
         << " mvcc " << found.mvcc << ", expected row " << expected.key.row << " qualifier "
         << expected.key.qualifier << " value " << expected.value << " mvcc " << expected.mvcc;
}

// Makes random cells and keys. Each way of making rows exercises other words of the tree.
class RandomCells {
 public:
  explicit RandomCells(std::uint64_t seed) : random_(seed), way_(static_cast<int>(seed % 6)) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  std::string row() {
    switch (way_) {
      case 0:  // short rows of few bytes, prefixes of each other, with zeros
        return bytes(below(4), 2, '\0');
      case 1:  // a long common prefix
        return "user00000000000000" + std::to_string(below(100'000));
      case 2:  // bytes of all values
        return bytes(1 + below(12), 256, '\0');
      case 3:  // one row
        return "row";
      case 4:  // ascending
        return "k" + std::to_string(1'000'000 + ++counter_);
      default:  // descending, and longer than a word differs
        return bytes(below(3), 3, 'a') + std::to_string(9'000'000 - ++counter_) + bytes(below(12), 2, 'x');
    }
  }
  std::string qualifier() { return below(2) == 0 ? bytes(below(3), 2, '\0') : std::to_string(below(500)); }
  CellType type() {
    constexpr CellType kTypes[] = {CellType::kPut,          CellType::kPut,
                                   CellType::kDelete,       CellType::kDeleteFamilyVersion,
                                   CellType::kDeleteColumn, CellType::kDeleteFamily};
    return kTypes[below(6)];
  }
  OwnedCell cell(std::int64_t mvcc) {
    return {.row = row(),
            .family = below(50) == 0 ? "e" : "f",
            .qualifier = qualifier(),
            .value = bytes(below(40), 256, '\0'),
            .tags = bytes(below(4), 256, '\0'),
            .timestamp = static_cast<std::int64_t>(below(4)),
            .type = type(),
            .mvcc = mvcc};
  }

 private:
  std::string bytes(std::uint64_t size, std::uint64_t kinds, char first) {
    std::string made;
    while (made.size() < size) {
      made.push_back(static_cast<char>(static_cast<std::uint64_t>(first) + below(kinds)));
    }
    return made;
  }

  std::mt19937_64 random_;
  int way_;
  std::uint64_t counter_ = 0;
};

void check_all_cells(const Memstore& memstore, const Model& model, std::uint64_t read_point) {
  const auto expected = model.visible(read_point);
  const auto cursor = memstore.cursor(read_point);
  std::size_t at = 0;
  for (bool more = cursor->seek_to_first(); more; more = cursor->next(), ++at) {
    ASSERT_LT(at, expected.size());
    ASSERT_TRUE(same(cursor->cell(), expected[at]->cell())) << at;
  }
  ASSERT_EQ(at, expected.size());
  ASSERT_EQ(cursor->seek_to_last(), !expected.empty());
  if (!expected.empty()) {
    ASSERT_TRUE(same(cursor->cell(), expected.back()->cell()));
  }
}

void check_seek(const Memstore& memstore, const std::vector<const OwnedCell*>& expected,
                std::uint64_t read_point, const CellKey& key) {
  const auto first = std::lower_bound(
      expected.begin(), expected.end(), key,
      [](const OwnedCell* cell, const CellKey& wanted) { return cell->cell().key < wanted; });
  const auto cursor = memstore.cursor(read_point);
  bool found = cursor->seek(key);
  for (auto at = first; at != expected.end() && at != first + 20; ++at, found = cursor->next()) {
    ASSERT_TRUE(found);
    ASSERT_TRUE(same(cursor->cell(), (*at)->cell()));
  }
  ASSERT_TRUE(found == (expected.end() - first > 20 || (first == expected.end() && found)));
  ASSERT_EQ(cursor->seek_before(key), first != expected.begin());
  if (first != expected.begin()) {
    ASSERT_TRUE(same(cursor->cell(), first[-1]->cell()));
  }
}

TEST(Memstore, AnswersAsASortedListForRandomCells) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomCells random(seed);
    Memstore memstore(kMost);
    Model model;
    const std::uint64_t cells = seed % 7 == 0 ? 6000 : random.below(1200);
    std::int64_t mvcc = 1;
    for (std::uint64_t i = 0; i < cells; ++i) {
      mvcc += static_cast<std::int64_t>(random.below(2));
      const OwnedCell cell = random.cell(random.below(10) == 0 ? mvcc - 1 : mvcc);
      ASSERT_TRUE(memstore.add(cell.cell()));
      model.add(cell);
    }
    ASSERT_EQ(memstore.cells(), cells);
    for (const std::uint64_t read_point :
         {kAll, std::uint64_t{0}, random.below(static_cast<std::uint64_t>(mvcc) + 1)}) {
      check_all_cells(memstore, model, read_point);
      const auto expected = model.visible(read_point);
      for (int i = 0; i < 100; ++i) {
        const OwnedCell cell = random.cell(0);
        const CellKey keys[] = {cell.cell().key, first_on_row(cell.row), last_on_row(cell.row),
                                last_on_column(cell.row, cell.family, cell.qualifier),
                                first_delete_family_on_row(cell.row, cell.family)};
        check_seek(memstore, expected, read_point, keys[random.below(5)]);
        if (!expected.empty()) {
          check_seek(memstore, expected, read_point, expected[random.below(expected.size())]->cell().key);
        }
        if (HasFatalFailure()) {
          return;
        }
      }
    }
  }
}

TEST(Memstore, WithoutCellsHasNone) {
  const Memstore memstore(kMost);
  const auto cursor = memstore.cursor(kAll);
  EXPECT_FALSE(cursor->seek_to_first());
  EXPECT_FALSE(cursor->seek_to_last());
  EXPECT_FALSE(cursor->seek(first_on_row("r")));
  EXPECT_FALSE(cursor->seek_before(last_on_row("r")));
  EXPECT_FALSE(memstore.may_have_row("r"));
  EXPECT_FALSE(memstore.may_have_family_markers());
  EXPECT_FALSE(memstore.times().has_value());
  EXPECT_EQ(memstore.cells(), 0u);
}

TEST(Memstore, OfEqualCellsTheLastComesFirst) {
  Memstore memstore(kMost);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(memstore.add(put("row", 7, std::to_string(i)).cell()));
  }
  const auto cursor = memstore.cursor(7);
  bool more = cursor->seek_to_first();
  for (int i = 99; i >= 0; --i, more = cursor->next()) {
    ASSERT_TRUE(more);
    EXPECT_EQ(cursor->cell().value, std::to_string(i));
  }
  EXPECT_FALSE(more);
}

TEST(Memstore, KnowsTimesAndFamilyMarkers) {
  for (const CellType type : {CellType::kPut, CellType::kDelete, CellType::kDeleteColumn,
                              CellType::kDeleteFamily, CellType::kDeleteFamilyVersion}) {
    Memstore memstore(kMost);
    OwnedCell cell = put("row", 1);
    cell.type = type;
    for (const std::int64_t time : {5, 3, 9, 7}) {
      cell.timestamp = time;
      ASSERT_TRUE(memstore.add(cell.cell()));
    }
    ASSERT_TRUE(memstore.times().has_value());
    const bool deletes_older = type == CellType::kDeleteColumn || type == CellType::kDeleteFamily;
    EXPECT_EQ(memstore.times()->oldest, deletes_older ? 0 : 3);
    EXPECT_EQ(memstore.times()->newest, 9);
    EXPECT_EQ(memstore.may_have_family_markers(),
              type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion);
  }
}

TEST(Memstore, FilterDeniesNoRowAndMostAbsentRows) {
  constexpr int kRows = 100'000;
  Memstore memstore(kMost);
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(memstore.add(put("row" + std::to_string(i), i).cell()));
    ASSERT_TRUE(memstore.may_have_row("row" + std::to_string(i))) << i;
  }
  int maybes = 0;
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(memstore.may_have_row("row" + std::to_string(i))) << i;
    maybes += memstore.may_have_row("absent" + std::to_string(i)) ? 1 : 0;
  }
  EXPECT_LT(maybes, kRows / 50);
}

TEST(Memstore, BytesAreThoseOfItsCellsAndLittleMore) {
  constexpr std::uint64_t kCells = 100'000;
  constexpr std::uint64_t kRecord = 40 + 10 + 1 + 1 + 100;
  std::mt19937_64 random(1);
  Memstore memstore(kMost);
  for (std::uint64_t i = 0; i < kCells; ++i) {
    const std::string row = std::to_string(1'000'000'000 + random() % 1'000'000'000);
    ASSERT_TRUE(memstore.add(put(row, 1, std::string(100, 'v')).cell()));
  }
  EXPECT_GT(memstore.bytes(), kCells * kRecord);
  EXPECT_LT(memstore.bytes(), kCells * (kRecord + 100) + (std::uint64_t{8} << 20));
  const std::uint64_t before = memstore.bytes();
  ASSERT_TRUE(memstore.add(put("large", 2, std::string(5'000'000, 'v')).cell()));
  EXPECT_GE(memstore.bytes(), before + 5'000'000);
  EXPECT_LE(memstore.bytes(), before + 5'001'000);
}

// Memory whose n-th allocation fails.
struct FailingMemory {
  int left = 0;
  MemorySource source = {.allocate = allocate, .release = release, .context = this};

  explicit FailingMemory(int calls) : left(calls) { take_memory_from(&source); }
  ~FailingMemory() { take_memory_from(nullptr); }
  static void* allocate(std::size_t bytes, std::size_t alignment, void* context) {
    auto* const memory = static_cast<FailingMemory*>(context);
    return memory->left-- == 0
               ? nullptr
               : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void* memory, std::size_t, void*) { std::free(memory); }
};

TEST(Memstore, AFailedAllocationChangesNothing) {
  constexpr int kCells = 4000;
  for (int failing = 0; failing < 20; ++failing) {
    SCOPED_TRACE(failing);
    FailingMemory memory(failing);
    RandomCells random(2);
    Memstore memstore(kMost);
    Model model;
    int failures = 0;
    for (int i = 0; i < kCells; ++i) {
      const OwnedCell cell = random.cell(i);
      const std::uint64_t cells = memstore.cells();
      const auto times = memstore.times();
      if (const Status added = memstore.add(cell.cell()); !added) {
        ++failures;
        EXPECT_EQ(added.error().code(), ErrorCode::kCapacity);
        EXPECT_EQ(memstore.cells(), cells);
        EXPECT_EQ(memstore.times().has_value(), times.has_value());
        check_all_cells(memstore, model, kAll);
        ASSERT_TRUE(memstore.add(cell.cell()));
      }
      model.add(cell);
    }
    check_all_cells(memstore, model, kAll);
    EXPECT_EQ(failures, memory.left < 0 ? 1 : 0);
  }
}

// The cells of entry n are a function of n, so that a reader knows what a read point has.
std::vector<OwnedCell> cells_of_entry(std::int64_t mvcc) {
  std::mt19937_64 random(static_cast<std::uint64_t>(mvcc));
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 3; ++i) {
    const std::string row = "row" + std::to_string(random() % 100'000);
    cells.push_back(put(row, mvcc, row + "/" + std::to_string(mvcc)));
  }
  return cells;
}

void check_snapshot(const Memstore& memstore, std::int64_t read_point) {
  const auto cursor = memstore.cursor(static_cast<std::uint64_t>(read_point));
  std::uint64_t count = 0;
  std::optional<Cell> previous;
  for (bool more = cursor->seek_to_first(); more; more = cursor->next(), ++count) {
    const Cell& cell = cursor->cell();
    ASSERT_LE(cell.mvcc, read_point);
    ASSERT_EQ(cell.value, std::string(cell.key.row) + "/" + std::to_string(cell.mvcc));
    if (previous) {
      ASSERT_TRUE(previous->key < cell.key || (previous->key == cell.key && previous->mvcc >= cell.mvcc));
    }
    previous = cell;
  }
  ASSERT_EQ(count, static_cast<std::uint64_t>(3 * read_point));
}

void check_entry(const Memstore& memstore, std::int64_t mvcc, std::int64_t read_point) {
  for (const OwnedCell& cell : cells_of_entry(mvcc)) {
    ASSERT_TRUE(memstore.may_have_row(cell.row));
    const auto cursor = memstore.cursor(static_cast<std::uint64_t>(read_point));
    ASSERT_TRUE(cursor->seek(cell.cell().key));
    while (cursor->cell().mvcc != mvcc) {
      ASSERT_EQ(cursor->cell().key, cell.cell().key);
      ASSERT_TRUE(cursor->next());
    }
    ASSERT_EQ(cursor->cell().value, cell.value);
    ASSERT_TRUE(cursor->seek_before(last_on_row(cell.row)));
    ASSERT_EQ(cursor->cell().key.row, cell.row);
  }
}

TEST(Memstore, ReadersBesideTheWriterSeeAllThatWasPublished) {
  const std::int64_t entries = std::getenv("BLOOMERY_LONG_TESTS") != nullptr ? 300'000 : 20'000;
  Memstore memstore(kMost);
  std::atomic<std::int64_t> read_point = 0;
  std::vector<std::thread> readers;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    readers.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      for (std::int64_t seen = 0; seen < entries && !::testing::Test::HasFatalFailure();) {
        seen = read_point.load(std::memory_order_acquire);
        for (int i = 0; i < 200 && seen > 0; ++i) {
          check_entry(memstore, 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(seen)),
                      seen);
        }
        check_snapshot(memstore, seen);
      }
    });
  }
  for (std::int64_t mvcc = 1; mvcc <= entries; ++mvcc) {
    for (const OwnedCell& cell : cells_of_entry(mvcc)) {
      ASSERT_TRUE(memstore.add(cell.cell()));
    }
    read_point.store(mvcc, std::memory_order_release);
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
}

}  // namespace
}  // namespace bloomery::store
