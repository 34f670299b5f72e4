// Histories of threads that use one store (experiment C11 of the store): each row is linearizable, and a scan
// is a snapshot.
//
//   histories   four threads get, put, delete, increment and check columns of a few rows, while memory is
//               flushed. Each operation notes when it began and ended; the answers of each row are those of
//               one order (sim/linearizability.h). So are those after the store was closed and opened.
//   snapshots   each batch writes one number to all rows, and each scan finds one number.
//
// The threads are real ones, so a seed decides what each thread does, and not when. The disk is in memory.
// The clock ticks at each question, so that no two writes have the same time: writes of one time to a column
// that is deleted stay hidden, as in HBase. Times of histories come from the machine's clock, which orders
// nothing for the thread sanitizer.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "bloomery/store/store.h"
#include "store/store_access.h"
#include "tests/base/long_tests.h"
#include "tests/base/sanitized.h"
#include "tests/store/sim/disk.h"
#include "tests/store/sim/linearizability.h"

namespace bloomery::store {
namespace {

using sim::RegisterOperation;
using OperationKind = RegisterOperation::Kind;

constexpr std::size_t kHistoryThreads = 4;
constexpr std::size_t kOperationsOfThread = 50;
constexpr std::size_t kHistoryRows = 3;

class TickingClock final : public Clock {
 public:
  std::int64_t now_ms() override { return now_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t steady_ms() override { return steady_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> now_ = 1'700'000'000'000;
  std::atomic<std::uint64_t> steady_ = 0;
};

// A store with a disk in memory, and with a thread for its background work.
struct ThreadedStore {
  sim::SimulatedDisk disk;
  std::shared_ptr<TickingClock> clock = std::make_shared<TickingClock>();
  StoreOptions options = {.flush_bytes = 48 << 10, .log_bytes = 20'000, .most_logs = 4};
  std::optional<Store> store;

  Environment environment() {
    Environment made = Environment::real();
    made.files = &disk;
    made.clock = clock;
    return made;
  }
  void create() {
    auto made = StoreAccess::create(environment(), "/root", options);
    ASSERT_TRUE(made) << made.error().to_string();
    store.emplace(*std::move(made));
    TableSchema schema = *TableSchema::of_table("t");
    ASSERT_TRUE(schema.add_family("f"));
    ASSERT_TRUE(schema.set("f", "BLOCKSIZE", "1024"));
    ASSERT_TRUE(store->create_table(schema));
  }
  void reopen() {
    const Status closed = store->close();
    ASSERT_TRUE(closed) << closed.error().to_string();
    auto opened = StoreAccess::open(environment(), "/root", options);
    ASSERT_TRUE(opened) << opened.error().to_string();
    store.emplace(*std::move(opened));
  }
};

// Runs `work(thread)` in threads that begin together.
template <typename Work>
void run_together(std::size_t threads, const Work& work) {
  std::atomic<std::size_t> waiting = threads;
  std::vector<std::thread> all;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      waiting.fetch_sub(1);
      while (waiting.load() > 0) {
        std::this_thread::yield();
      }
      work(thread);
    });
  }
  for (std::thread& thread : all) {
    thread.join();
  }
}

std::uint64_t stamp() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::string bytes_of(std::int64_t number) {
  std::string bytes(8, '\0');
  store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint64_t>(number));
  return bytes;
}

std::int64_t number_of_bytes(std::string_view bytes) {
  EXPECT_EQ(bytes.size(), 8U);
  return bytes.size() == 8
             ? static_cast<std::int64_t>(load_big64(reinterpret_cast<const std::byte*>(bytes.data())))
             : 0;
}

std::optional<std::int64_t> number_in(const StoreTable& table, const std::string& row) {
  GetRequest get;
  get.row = row;
  const auto found = table.reader().get(get);
  EXPECT_TRUE(found) << found.error().to_string();
  return !found || found->empty() ? std::nullopt
                                  : std::optional(number_of_bytes(found->cells().front().cell().value));
}

Durability durability_of(std::mt19937_64& random) {
  constexpr Durability kAll[] = {Durability::kFsyncWal, Durability::kSyncWal, Durability::kAsyncWal,
                                 Durability::kSkipWal};
  return kAll[random() % 4];
}

// Does the operation, whose answer it notes. Returns false after an error.
bool run_operation(StoreTable& table, const std::string& row, const WriteOptions& how,
                   RegisterOperation& operation) {
  const std::string given = bytes_of(operation.given);
  const std::string checked = bytes_of(operation.checked.value_or(0));
  const bool deletes =
      operation.kind == OperationKind::kDelete || operation.kind == OperationKind::kCheckAndDelete;
  const Mutation mutation{.row = row,
                          .family = "f",
                          .qualifier = "q",
                          .type = deletes ? CellType::kDeleteColumn : CellType::kPut,
                          .value = deletes ? std::string_view() : given};
  switch (operation.kind) {
    case OperationKind::kGet:
      operation.found = number_in(table, row);
      return true;
    case OperationKind::kPut:
    case OperationKind::kDelete:
      return table.mutate({&mutation, 1}, how).has_value();
    case OperationKind::kIncrement: {
      const auto sum = table.increment(row, "f", "q", operation.given, how);
      operation.found = sum ? std::optional(*sum) : std::nullopt;
      return sum.has_value();
    }
    case OperationKind::kCheckAndPut:
    case OperationKind::kCheckAndDelete: {
      Check check{.row = row, .family = "f", .qualifier = "q"};
      if (operation.checked) {
        check.value = checked;
      }
      const auto holds = table.check_and_mutate(check, {&mutation, 1}, how);
      operation.holds = holds && *holds;
      return holds.has_value();
    }
  }
  return false;
}

// Chooses an operation. Checks compare with what the thread saw last.
RegisterOperation random_operation(std::mt19937_64& random, const sim::RegisterValue& seen) {
  constexpr OperationKind kKinds[] = {OperationKind::kGet,         OperationKind::kGet,
                                      OperationKind::kPut,         OperationKind::kPut,
                                      OperationKind::kIncrement,   OperationKind::kCheckAndPut,
                                      OperationKind::kCheckAndPut, OperationKind::kCheckAndDelete,
                                      OperationKind::kDelete};
  return {.kind = kKinds[random() % std::size(kKinds)],
          .given = static_cast<std::int64_t>(random() % 1'000'000),
          .checked = random() % 8 == 0 ? std::nullopt : seen};
}

// The histories of the rows of one run; the last thread of each is this test itself.
using RowHistories = std::vector<sim::RegisterHistory>;

RowHistories run_history(StoreTable& table, const std::string& prefix, std::uint64_t seed) {
  RowHistories histories(kHistoryRows, sim::RegisterHistory(kHistoryThreads + 1));
  run_together(kHistoryThreads, [&](std::size_t thread) {
    std::mt19937_64 random(seed * kHistoryThreads + thread);
    std::vector<sim::RegisterValue> seen(kHistoryRows);
    for (std::size_t i = 0; i < kOperationsOfThread; ++i) {
      const std::size_t number = random() % kHistoryRows;
      RegisterOperation operation = random_operation(random, seen[number]);
      const WriteOptions how{.durability = durability_of(random)};
      operation.begin = stamp();
      EXPECT_TRUE(run_operation(table, prefix + std::to_string(number), how, operation));
      operation.end = stamp();
      if (operation.kind == OperationKind::kGet || operation.kind == OperationKind::kIncrement) {
        seen[number] = operation.found;
      } else if (operation.kind == OperationKind::kPut) {
        seen[number] = operation.given;
      }
      histories[number][thread].push_back(operation);
      if (random() % 40 == 0) {
        EXPECT_TRUE(table.flush());
      }
    }
  });
  return histories;
}

void expect_linearizable(const RowHistories& histories, std::uint64_t seed) {
  for (const sim::RegisterHistory& history : histories) {
    ASSERT_TRUE(sim::is_linearizable(history)) << "seed " << seed << "\n" << sim::text_of(history);
  }
}

TEST(Histories, OfARowAreLinearizable) {
  const std::uint64_t stores = runs_long_tests() ? 200 : kThreadSanitized ? 6 : 40;
  constexpr std::uint64_t kHistoriesOfStore = 10;
  for (std::uint64_t number = 0; number < stores; ++number) {
    ThreadedStore threaded;
    ASSERT_NO_FATAL_FAILURE(threaded.create());
    std::vector<RowHistories> histories;
    const auto row_of = [](std::uint64_t history) { return "row" + std::to_string(history) + "."; };
    {
      StoreTable table = *threaded.store->table("t");
      for (std::uint64_t history = 0; history < kHistoriesOfStore; ++history) {
        histories.push_back(run_history(table, row_of(history), number * kHistoriesOfStore + history));
      }
    }
    ASSERT_NO_FATAL_FAILURE(threaded.reopen());
    const StoreTable table = *threaded.store->table("t");
    for (std::uint64_t history = 0; history < kHistoriesOfStore; ++history) {
      for (std::size_t row = 0; row < kHistoryRows; ++row) {
        RegisterOperation last{.begin = stamp()};
        last.found = number_in(table, row_of(history) + std::to_string(row));
        last.end = stamp();
        histories[history][row].back().push_back(last);
      }
      ASSERT_NO_FATAL_FAILURE(expect_linearizable(histories[history], number * kHistoriesOfStore + history));
    }
  }
  std::printf("%llu histories of %zu operations\n",
              static_cast<unsigned long long>(stores * kHistoriesOfStore),
              kHistoryThreads * kOperationsOfThread);
}

constexpr std::size_t kScannedRows = 40;

// Returns the numbers of a scan's rows.
std::vector<std::int64_t> scanned_numbers(const StoreTable& table, bool is_reversed) {
  ScanRequest request;
  request.is_reversed = is_reversed;
  std::vector<std::int64_t> numbers;
  auto scanner = table.reader().scan(request);
  EXPECT_TRUE(scanner) << scanner.error().to_string();
  while (scanner) {
    const auto found = scanner->next();
    EXPECT_TRUE(found) << found.error().to_string();
    if (!found || !*found) {
      break;
    }
    numbers.push_back(number_of_bytes(scanner->result().cells().front().cell().value.substr(0, 8)));
  }
  return numbers;
}

void write_batch(StoreTable& table, std::int64_t number, const WriteOptions& how) {
  const std::string value = bytes_of(number) + std::string(100, 'v');
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < kScannedRows; ++row) {
    rows.push_back("row" + std::to_string(100 + row));
  }
  std::vector<Mutation> batch;
  for (const std::string& row : rows) {
    batch.push_back({.row = row, .family = "f", .qualifier = "q", .value = value});
  }
  EXPECT_TRUE(table.mutate(batch, how));
}

TEST(Histories, AScanIsASnapshot) {
  constexpr std::int64_t kBatches = kThreadSanitized ? 60 : 500;
  ThreadedStore threaded;
  threaded.options.flush_bytes = 200 << 10;
  ASSERT_NO_FATAL_FAILURE(threaded.create());
  StoreTable table = *threaded.store->table("t");
  write_batch(table, 0, {});
  std::atomic<std::int64_t> writers = 2;
  std::atomic<std::uint64_t> scans = 0;
  run_together(4, [&](std::size_t thread) {
    std::mt19937_64 random(thread);
    if (thread < 2) {
      for (std::int64_t i = 1; i <= kBatches; ++i) {
        write_batch(table, 2 * i + static_cast<std::int64_t>(thread), {.durability = durability_of(random)});
        if (random() % 50 == 0) {
          EXPECT_TRUE(table.flush());
        }
      }
      --writers;
      return;
    }
    while (writers > 0 || scans < 10) {
      const auto numbers = scanned_numbers(table, thread == 3);
      ++scans;
      ASSERT_EQ(numbers, std::vector<std::int64_t>(kScannedRows, numbers.at(0))) << "scan " << scans;
    }
  });
  std::printf("%llu scans beside %lld batches\n", static_cast<unsigned long long>(scans),
              static_cast<long long>(2 * kBatches));
}

}  // namespace
}  // namespace bloomery::store
