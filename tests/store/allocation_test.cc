// Every allocation of a run fails, one at a time (experiment C7 of the store).
//
// The run makes a store and tables, writes, flushes, alters, closes, opens, reads. The n-th allocation fails,
// once or with all that follow, for every n:
//
//   - what returns a Status or a Result throws nothing, and nor does background work
//   - a read of a table may throw std::bad_alloc; what it returns is right
//   - a write that failed has no effect while the store is healthy, and may have all of it if the store became
//     read-only
//   - the store is opened again, also after a power loss, and has what was acknowledged
//
// The address sanitizer finds what leaks. Each failure prints n. All n need BLOOMERY_LONG_TESTS=1.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "base/memory.h"
#include "bloomery/store/store.h"
#include "store/store_access.h"
#include "tests/base/long_tests.h"
#include "tests/base/sanitized.h"
#include "tests/store/sim/allocation_fault.h"
#include "tests/store/sim/clock.h"
#include "tests/store/sim/disk.h"
#include "tests/store/sim/executor.h"
#include "tests/store/simulated_store.h"

namespace {

using bloomery::store::sim::allocation_fault;

void* memory_or_null(std::size_t size, std::size_t alignment) noexcept {
  if (allocation_fault.refuses()) {
    return nullptr;
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(size == 0 ? 1 : size)
                                                : std::aligned_alloc(alignment, rounded);
}

void* memory_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = memory_or_null(size, alignment);
  return memory != nullptr ? memory : throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return memory_or_throw(size, 1);
}
void* operator new[](std::size_t size) {
  return memory_or_throw(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory_or_null(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return memory_or_null(size, 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bloomery::store {
namespace {

using Values = std::set<std::string>;  // that a row may have; an empty text is no value

// The memory of buffers, from where operator new has its own.
MemorySource source_of_faults() {
  return {.allocate = [](std::size_t bytes, std::size_t alignment, void*) -> void* {
            return memory_or_null(bytes, alignment);
          },
          .release = [](void* memory, std::size_t, void*) { std::free(memory); },
          .context = nullptr};
}

class FaultyRun {
 public:
  explicit FaultyRun(const sim::AllocationFault& fault) : fault_(fault) { take_memory_from(&source_); }
  FaultyRun(const FaultyRun&) = delete;
  FaultyRun& operator=(const FaultyRun&) = delete;
  ~FaultyRun() {
    store_.reset();
    take_memory_from(nullptr);
  }

  // Returns what is wrong, or nothing.
  std::string run() {
    allocation_fault = fault_;
    begin();
    if (store_) {
      write_all();
      reopen();
    }
    if (store_) {
      read_all();
      write("after", "1");
    }
    has_failed_ = allocation_fault.has_failed();
    allocation_fault = {};
    end();
    return problem_;
  }
  bool has_failed() const { return has_failed_; }

 private:
  // Makes a call of which an allocation may fail, but which must not throw.
  template <typename Call>
  auto tried(const std::string& what, const Call& call) -> decltype(call()) {
    try {
      allocation_fault.is_on = true;
      auto made = call();
      allocation_fault.is_on = false;
      return made;
    } catch (const std::bad_alloc&) {
      allocation_fault.is_on = false;
      note(what + " threw");
      return Error::capacity(what, "threw");
    }
  }
  void note(const std::string& problem) { problem_ = problem_.empty() ? problem : problem_; }
  bool is_healthy() const { return store_->health().has_value(); }
  void check_error(const std::string& what, const Error& error) {
    if (!allocation_fault.has_failed()) {
      note(what + " failed without a fault: " + error.to_string());
    }
  }

  void start_machine() { executor_ = std::make_shared<sim::SeededExecutor>(clock_, "allocations"); }
  Environment environment() {
    return {.files = &disk_, .clock = clock_, .executor = executor_, .seed = ++seed_};
  }
  void open(const char* how) {
    const Environment on = environment();
    auto opened = tried(how, [&] {
      return how == std::string("create") ? StoreAccess::create(on, "/root", options_)
                                          : StoreAccess::open(on, "/root", options_);
    });
    store_.reset();
    if (opened) {
      store_.emplace(*std::move(opened));
    } else {
      check_error(how, opened.error());
    }
  }

  // Without a store after it, nothing is left to do.
  void begin() {
    start_machine();
    open("create");
    if (store_) {
      make_table("t", {"f"});
    }
  }

  void make_table(const std::string& name, const std::vector<std::string>& families) {
    TableSchema schema = *TableSchema::of_table(name);
    for (const std::string& family : families) {
      (void)schema.add_family(family);
      (void)schema.set(family, "BLOOMFILTER", "ROW");
    }
    const auto made = tried("create_table", [&] { return store_->create_table(schema); });
    if (!made) {
      check_error("create_table", made.error());
    }
  }

  std::optional<StoreTable> table(const std::string& name) {
    auto found = tried("table", [&] { return store_->table(name); });
    return found ? std::optional(*std::move(found)) : std::nullopt;
  }

  void settle(const std::string& row, const std::string& value, const Status& written) {
    Values& values = allowed_[row];
    if (written) {
      values = {value};
      return;
    }
    check_error("a write", written.error());
    if (values.empty()) {
      values.insert("");
    }
    if (!is_healthy()) {
      values.insert(value);
    }
  }

  void write(const std::string& row, const std::string& value) {
    if (auto to = table("t")) {
      settle(row, value, tried("put", [&] { return to->put(row, "f", "q", value); }));
    }
  }

  void write_batch(const std::string& value) {
    auto to = table("t");
    std::vector<Mutation> batch;
    for (const std::string& row : kBatchRows) {
      batch.push_back({.row = row, .family = "f", .qualifier = "q", .value = value});
    }
    if (to) {
      const Status written = tried("mutate", [&] { return to->mutate(batch); });
      for (const std::string& row : kBatchRows) {
        settle(row, value, written);
      }
    }
  }

  void write_checked(const std::string& row, const std::string& checked, const std::string& value) {
    auto to = table("t");
    if (!to) {
      return;
    }
    const Values before = allowed_[row];
    const Mutation put{.row = row, .family = "f", .qualifier = "q", .value = value};
    const Check check{.row = row, .family = "f", .qualifier = "q", .value = checked};
    const auto held = tried("check_and_mutate", [&] { return to->check_and_mutate(check, {&put, 1}); });
    if (!held || *held) {
      settle(row, value, held ? Status() : Status(held.error()));
    }
    if (held && before.size() == 1 && *held != before.contains(checked)) {
      note("check_and_mutate: the other answer");
    }
  }

  void add_to_number(std::int64_t amount) {
    auto to = table("t");
    if (!to) {
      return;
    }
    const auto sum = tried("increment", [&] { return to->increment("number", "f", "q", amount); });
    if (sum && *sum != number_ + amount) {
      note("increment: expected " + std::to_string(number_ + amount) + ", found " + std::to_string(*sum));
    }
    std::string bytes(8, '\0');
    store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint64_t>(number_ + amount));
    settle("number", bytes, sum ? Status() : Status(sum.error()));
    number_ += sum ? amount : 0;
  }

  void flush() {
    auto to = table("t");
    const Status flushed = to ? tried("flush", [&] { return to->flush(); }) : Status();
    if (!flushed) {
      check_error("flush", flushed.error());
    }
  }

  void run_jobs() {
    clock_->advance(1500);
    (void)tried("background work", [&]() -> Status {
      executor_->run_due();
      return {};
    });
  }

  void write_all() {
    write("a", "1");
    write("b", std::string(3000, 'b'));
    write_batch("first");
    add_to_number(5);
    flush();
    write("a", "2");
    write_checked("a", "2", "3");
    write_batch("second");
    run_jobs();
    read_all();
    add_to_number(7);
    change_tables();
    write("c", "4");
  }

  // The changes of other tables are there or not.
  void change_tables() {
    make_table("u", {"f"});
    if (auto other = table("u")) {
      (void)tried("put", [&] { return other->put("row", "f", "q", "value"); });
    }
    if (auto to = table("t")) {
      TableSchema schema = to->schema();
      (void)schema.add_family("g");
      (void)tried("alter_table", [&] { return store_->alter_table(schema); });
    }
    (void)tried("truncate_table", [&] { return store_->truncate_table("u"); });
    (void)tried("drop_table", [&] { return store_->drop_table("u"); });
  }

  void reopen() {
    const bool was_healthy = is_healthy();
    const Status closed = tried("close", [&] { return store_->close(); });
    if (!closed) {
      check_error("close", closed.error());
    } else if (!was_healthy) {
      note("a read-only store was closed without an error");
    }
    store_.reset();
    start_machine();
    open("open");
  }

  // A read throws if there is no memory for it.
  template <typename Read>
  void read(const std::string& what, const Read& read_some) {
    try {
      allocation_fault.is_on = true;
      const Status done = read_some();
      allocation_fault.is_on = false;
      if (!done) {
        check_error(what, done.error());
      }
    } catch (const std::bad_alloc&) {
      allocation_fault.is_on = false;
    }
  }

  void check_value(const std::string& row, std::string_view value) {
    const auto known = allowed_.find(row);
    const bool is_right =
        known == allowed_.end() ? value.empty() : known->second.contains(std::string(value));
    if (!is_right) {
      note("row " + row + " has '" + std::string(value.substr(0, 20)) + "'");
    }
  }

  void read_all() {
    const auto from = table("t");
    if (!from) {
      return;
    }
    for (const auto& [row, values] : allowed_) {
      std::optional<RowResult> found;
      GetRequest get;
      get.row = row;
      read("get", [&]() -> Status {
        BLOOMERY_ASSIGN_OR_RETURN(found, from->reader().get(get));
        return {};
      });
      if (found) {
        check_value(row, found->empty() ? std::string_view() : found->cells().front().cell().value);
      }
    }
    scan(*from);
  }

  void scan(const StoreTable& from) {
    std::map<std::string, std::string> found;
    bool is_complete = false;
    const ScanRequest request;
    read("scan", [&]() -> Status {
      BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, from.reader().scan(request));
      for (;;) {
        BLOOMERY_ASSIGN_OR_RETURN(const bool more, scanner.next());
        if (!more) {
          is_complete = true;
          return {};
        }
        const Cell& cell = scanner.result().cells().front().cell();
        found.emplace(cell.key.row, cell.value);
      }
    });
    for (const auto& [row, value] : found) {
      check_value(row, value);
    }
    for (const auto& [row, values] : allowed_) {
      if (is_complete && !found.contains(row) && !values.contains("")) {
        note("a scan has no row " + row);
      }
    }
    if (is_complete &&
        (found[kBatchRows[0]] != found[kBatchRows[1]] || found[kBatchRows[0]] != found[kBatchRows[2]])) {
      note("a part of a batch");
    }
  }

  // Reads what the process has, ends it, and opens the store once more.
  void end() {
    if (store_ && store_->table("t")) {
      read_all();
    }
    if (fault_.fails_at % 2 == 0) {
      disk_.stop_at(disk_.calls() + 1);
      executor_->drop_all();
      store_.reset();
      disk_.crash(fault_.fails_at, sim::CrashMode::kDropAll);
    }
    store_.reset();
    start_machine();
    auto opened = StoreAccess::open(environment(), "/root", options_);
    if (!opened) {
      if (!allowed_.empty() || opened.error().code() != ErrorCode::kInvalidArgument) {
        note("open after all: " + opened.error().to_string());
      }
      return;  // create() failed
    }
    store_.emplace(*std::move(opened));
    if (!store_->table("t")) {
      if (!allowed_.empty()) {
        note("table t is gone");
      }
      return;
    }
    read_all();
    write("after all", "5");
    read_all();
    if (const Status closed = store_->close(); !closed) {
      note("close after all: " + closed.error().to_string());
    }
  }

  inline static const std::vector<std::string> kBatchRows = {"batch1", "batch2", "batch3"};

  sim::AllocationFault fault_;
  MemorySource source_ = source_of_faults();
  sim::SimulatedDisk disk_;
  std::shared_ptr<sim::SimulatedClock> clock_ = std::make_shared<sim::SimulatedClock>();
  std::shared_ptr<sim::SeededExecutor> executor_;
  StoreOptions options_ = {.log_bytes = 3000, .most_logs = 2, .cache = BlockCache::make(1 << 16)};
  std::uint64_t seed_ = 0;
  std::optional<Store> store_;
  std::map<std::string, Values> allowed_;
  std::int64_t number_ = 0;
  bool has_failed_ = false;
  std::string problem_;
};

void fail_every_allocation(bool is_forever) {
  const std::uint64_t every = runs_long_tests() ? 1 : kAddressSanitized ? 61 : 13;
  std::uint64_t number = 1;
  for (;; number += every) {
    FaultyRun run({.fails_at = number, .is_forever = is_forever});
    ASSERT_EQ(run.run(), "") << "allocation " << number << (is_forever ? " and all later ones" : "");
    if (!run.has_failed()) {
      break;
    }
  }
  std::printf("%llu allocations, every %llu. failed\n", static_cast<unsigned long long>(number),
              static_cast<unsigned long long>(every));
}

// Entries follow one that the log had no memory for, as if it had never been appended.
TEST(Allocations, AnEntryThatFailsLeavesTheLogAsItWas) {
  for (std::uint64_t number = 1; number <= 30; ++number) {
    SCOPED_TRACE(number);
    SimulatedStore machine;
    ASSERT_TRUE(machine.create()) << machine.error();
    StoreTable table = machine.make_table("t", {"f"});
    const std::string value(300'000, 'v');  // for which the log's buffer grows
    allocation_fault = {.is_on = true, .fails_at = number};
    const Status put = table.put("row", "f", "q", value);
    const bool has_failed = allocation_fault.has_failed();
    allocation_fault = {};
    ASSERT_EQ(put.has_value(), !has_failed);
    if (machine.store().health()) {
      ASSERT_TRUE(table.put("after", "f", "q", "1"));
      machine.crash(1, sim::CrashMode::kDropAll);
      ASSERT_TRUE(machine.open()) << machine.error();
      EXPECT_EQ(value_of(machine.table("t"), "after", "f", "q"), "1");
    }
  }
}

TEST(Allocations, OneThatFailsLosesNothing) {
  fail_every_allocation(false);
}

TEST(Allocations, AllThatFailFromOneOnLoseNothing) {
  fail_every_allocation(true);
}

}  // namespace
}  // namespace bloomery::store
