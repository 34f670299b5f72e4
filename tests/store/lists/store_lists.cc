// Circular lists in a store whose process is killed: a hole is lost data.
//
//   store_lists [--nodes N] [--seed N]      10^6 nodes, a seed of the clock
//
// A process opens the store and writes with two threads. Each writes batches of kWidth nodes; a node is a row
// whose value names a row of the thread's batch before, which was acknowledged. After kWrap batches the first
// one is written again and names the last one, which closes kWidth circles. The process is killed after a
// drawn time, or closes the store; then regions are split, or a snapshot is taken. Between the processes, and
// for the snapshot in the end, a scan must find:
//
//   undefined   nodes that are named and not there: 0
//   lost        nodes of acknowledged batches that are not there: 0
//   invented    rows and names that nobody wrote: 0
//
// Nodes have dense numbers, and a row is a bijection of its node's number, so that rows are spread over all
// regions and the check needs two bits a node. Memory, logs and files are small, so that flushes and
// compactions are frequent. The store is in TMPDIR; after a failure it is kept, and named. Exit status: 0 all
// is there, 1 something is not, 2 trouble. Source: HBase 2.6, IntegrationTestBigLinkedList.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <signal.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/endian.h"
#include "bloomery/store/store.h"
#include "bloomery/table/table.h"

namespace bloomery::store::lists {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kWidth = 1000;
constexpr std::uint64_t kWrap = 25;
constexpr std::size_t kWriters = 2;
constexpr std::size_t kMostRegions = 12;
constexpr std::uint64_t kChecks = 6;  // of the live table, evenly

[[noreturn]] void stop(const std::string& what) {
  std::cerr << "store_lists: " << what << "\n";
  std::_Exit(2);
}
void take(const Status& status) {
  if (!status) {
    stop(status.error().to_string());
  }
}
template <typename T>
T take(Result<T> result) {
  if (!result) {
    stop(result.error().to_string());
  }
  return *std::move(result);
}

// A bijection of 64-bit numbers, and its inverse.
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;  // right in the lowest three bits; each step doubles their number
  for (int step = 0; step < 5; ++step) {
    inverse *= 2 - odd * inverse;
  }
  return inverse;
}
static_assert(inverse_of(kFactor) * kFactor == 1);

std::string row_of(std::uint64_t node) {
  for (int round = 0; round < 2; ++round) {
    node = (node ^ (node >> 32)) * kFactor;
  }
  node ^= node >> 32;
  std::string row(8, '\0');
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<char>(node >> (56 - 8 * i));
  }
  return row;
}

// Returns nothing for a row that no node has.
std::optional<std::uint64_t> node_of(std::string_view row, std::uint64_t nodes) {
  if (row.size() != 8) {
    return std::nullopt;
  }
  std::uint64_t node = 0;
  for (const char byte : row) {
    node = node << 8 | static_cast<std::uint8_t>(byte);
  }
  node ^= node >> 32;
  for (int round = 0; round < 2; ++round) {
    node *= inverse_of(kFactor);
    node ^= node >> 32;
  }
  return node < nodes ? std::optional(node) : std::nullopt;
}

// What the writing process tells, in memory that both processes have.
enum BatchState : std::uint8_t { kUnused, kBegun, kAcknowledged };
class Progress {
 public:
  explicit Progress(std::uint64_t nodes) : batches_(nodes / kWidth) {
    const std::size_t bytes = sizeof(Shared) + batches_;
    void* const shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
      stop("mmap failed");
    }
    shared_ = new (shared) Shared;
    states_ = reinterpret_cast<std::atomic<std::uint8_t>*>(shared_ + 1);  // zeros: kUnused
  }

  std::uint64_t batches() const { return batches_; }
  std::uint64_t begun() const { return std::min(shared_->next.load(), batches_); }
  std::uint64_t circles() const { return shared_->circles; }
  std::optional<std::uint64_t> begin() {
    const std::uint64_t batch = shared_->next++;
    if (batch >= batches_) {
      return std::nullopt;
    }
    states_[batch] = kBegun;
    return batch;
  }
  void acknowledge(std::uint64_t batch) { states_[batch] = kAcknowledged; }
  void close_circles() { shared_->circles += kWidth; }
  std::vector<std::uint8_t> states() const { return {states_, states_ + begun()}; }
  std::atomic<bool>& is_over() { return shared_->is_over; }

 private:
  struct Shared {
    std::atomic<std::uint64_t> next = 0;
    std::atomic<std::uint64_t> circles = 0;
    std::atomic<bool> is_over = false;
  };
  std::uint64_t batches_;
  Shared* shared_ = nullptr;
  std::atomic<std::uint8_t>* states_ = nullptr;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : numbers_(seed) {}
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(numbers_);
  }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  std::string row() { return row_of(numbers_()); }
  StoreOptions options() {
    StoreOptions options;
    options.flush_bytes = std::uint64_t{512} << (10 + below(4));
    options.memory_bytes = options.flush_bytes * (2 + below(4));
    options.log_bytes = std::uint64_t{1} << (20 + below(4));
    options.most_logs = static_cast<std::uint32_t>(2 + below(8));
    return options;
  }

 private:
  std::mt19937_64 numbers_;
};

// Writes a batch whose nodes name those of another one, or nothing.
Status write_batch(StoreTable& table, std::uint64_t batch, std::optional<std::uint64_t> named, Draw& draw) {
  std::vector<std::string> rows(2 * kWidth);
  std::vector<Mutation> puts;
  const std::uint64_t shift = draw.below(kWidth);
  for (std::uint64_t i = 0; i < kWidth; ++i) {
    rows[2 * i] = row_of(batch * kWidth + i);
    if (named) {  // 7 does not divide kWidth: a permutation
      rows[2 * i + 1] = row_of(*named * kWidth + (i * 7 + shift) % kWidth);
    }
    puts.push_back({.row = rows[2 * i], .family = "f", .qualifier = "prev", .value = rows[2 * i + 1]});
  }
  const auto durability = draw.one_in(8) ? Durability::kFsyncWal : Durability::kSyncWal;
  return table.mutate(puts, {.durability = durability});
}

void write_lists(StoreTable table, Progress& progress, std::uint64_t seed) {
  Draw draw(seed);
  while (!progress.is_over()) {
    std::optional<std::uint64_t> first, last;
    for (std::uint64_t i = 0; i < kWrap && !progress.is_over(); ++i) {
      const auto batch = progress.begin();
      if (!batch) {
        return;
      }
      take(write_batch(table, *batch, last, draw));
      progress.acknowledge(*batch);
      first = first ? first : batch;
      last = batch;
    }
    if (first && *first != *last) {
      take(write_batch(table, *first, last, draw));
      progress.close_circles();
    }
  }
}

[[noreturn]] void run_writers(const std::string& root, const StoreOptions& options, Progress& progress,
                              std::uint64_t seed) {
  auto store = take(Store::open(root, options));
  {
    std::vector<std::jthread> writers;
    for (std::size_t i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] { write_lists(take(store.table("t")), progress, seed * kWriters + i); });
    }
  }
  take(store.close());
  std::_Exit(0);
}

struct Found {
  std::uint64_t referenced = 0;
  std::uint64_t unreferenced = 0;
  std::uint64_t undefined = 0;
  std::uint64_t lost = 0;
  std::uint64_t invented = 0;

  bool is_whole() const { return undefined + lost + invented == 0; }
  std::string text() const {
    return std::to_string(referenced) + " referenced, " + std::to_string(unreferenced) + " unreferenced, " +
           std::to_string(undefined) + " undefined, " + std::to_string(lost) + " lost, " +
           std::to_string(invented) + " invented";
  }
};

// `states` has those of the batches that were begun when the table was as it is.
Found check(const Table& table, const std::vector<std::uint8_t>& states) {
  const std::uint64_t nodes = states.size() * kWidth;
  std::vector<bool> defined(nodes), named(nodes);
  Found found;
  auto scanner = take(table.scan({}));
  while (take(scanner.next())) {
    const Cell& cell = scanner.result().cells().front().cell();
    const auto node = node_of(cell.key.row, nodes);
    const auto name = node_of(cell.value, nodes);
    if (!node || (name ? states[*name / kWidth] != kAcknowledged : !cell.value.empty())) {
      ++found.invented;
      continue;
    }
    defined[*node] = true;
    if (name) {
      named[*name] = true;
    }
  }
  for (std::uint64_t node = 0; node < nodes; ++node) {
    found.lost += states[node / kWidth] == kAcknowledged && !defined[node];
    found.undefined += named[node] && !defined[node];
    found.referenced += named[node] && defined[node];
    found.unreferenced += !named[node] && defined[node];
  }
  return found;
}

class Run {
 public:
  Run(std::uint64_t nodes, std::uint64_t seed)
      : progress_(nodes),
        draw_(seed),
        seed_(seed),
        root_(fs::temp_directory_path() / ("store-lists-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    auto store = take(Store::create(root_));
    TableSchema schema = take(TableSchema::of_table("t"));
    take(schema.add_family("f"));
    SplitKeys splits;
    for (const char* const start : {"\x40", "\x80", "\xc0"}) {
      take(splits.append(start));
    }
    (void)take(store.create_table(schema, splits));
    take(store.close());
  }

  int run() {
    std::uint64_t checked = 0;
    while (progress_.begun() < progress_.batches()) {
      run_process();
      const std::uint64_t share = kChecks * progress_.begun() / progress_.batches();
      if (share > checked) {
        checked = share;
        if (!check_live()) {
          return 1;
        }
      }
    }
    if (!check_live() || !check_snapshot()) {
      return 1;
    }
    std::cout << progress_.batches() * kWidth << " nodes, " << progress_.circles() << " circles, "
              << processes_ << " processes, " << kills_ << " killed, " << splits_ << " splits, " << checks_
              << " checks; in the end " << last_.text() << "; in the snapshot " << in_snapshot_.text()
              << "\n";
    fs::remove_all(root_);
    return 0;
  }

 private:
  void run_process() {
    ++processes_;
    progress_.is_over() = false;
    const StoreOptions options = draw_.options();
    const auto time = std::chrono::milliseconds(5 + draw_.below(300));
    const bool is_killed = !draw_.one_in(4);
    const pid_t process = ::fork();
    if (process < 0) {
      stop("fork failed");
    }
    if (process == 0) {
      run_writers(root_, options, progress_, seed_ + processes_);
    }
    std::this_thread::sleep_for(time);
    if (is_killed) {
      ::kill(process, SIGKILL);
    }
    progress_.is_over() = true;
    int status = 0;
    ::waitpid(process, &status, 0);
    if (WIFSIGNALED(status)) {
      ++kills_;
    } else if (status != 0) {
      stop("a writer ended with status " + std::to_string(WEXITSTATUS(status)) + "; the store is " + root_);
    } else {
      tend();
    }
  }

  // Splits a region, or takes the snapshot.
  void tend() {
    auto store = take(Store::open(root_, draw_.options()));
    if (splits_ + 4 < kMostRegions) {
      const std::vector<std::string> rows = {draw_.row()};
      take(store.split_table("t", rows));
      ++splits_;
    }
    if (states_of_snapshot_.empty() && 3 * progress_.begun() > progress_.batches()) {
      states_of_snapshot_ = progress_.states();
      take(store.snapshot("t", "some"));
    }
    take(store.close());
  }

  bool is_whole(const Found& found) const {
    if (!found.is_whole()) {
      std::cerr << "store_lists: seed " << seed_ << ": " << found.text() << "; the store is " << root_
                << "\n";
    }
    return found.is_whole();
  }

  // Reads the root as any reader of HBase's files does, or by a store that recovers it.
  bool check_live() {
    ++checks_;
    if (draw_.one_in(2)) {
      last_ = check(take(Table::open_table(root_, "t", {})), progress_.states());
    } else {
      auto store = take(Store::open(root_, draw_.options()));
      last_ = check(take(store.table("t")).reader(), progress_.states());
      take(store.close());
    }
    return is_whole(last_);
  }

  bool check_snapshot() {
    if (states_of_snapshot_.empty()) {
      return true;
    }
    in_snapshot_ = check(take(Table::open_snapshot(root_, "some", {})), states_of_snapshot_);
    return is_whole(in_snapshot_);
  }

  Progress progress_;
  Draw draw_;
  std::uint64_t seed_;
  std::string root_;
  std::uint64_t processes_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t splits_ = 0;
  std::uint64_t checks_ = 0;
  std::vector<std::uint8_t> states_of_snapshot_;
  Found last_;
  Found in_snapshot_;
};

int main_of(const std::vector<std::string>& arguments) {
  std::uint64_t nodes = 1'000'000;
  auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    (arguments[i] == "--nodes" ? nodes : seed) = std::stoull(arguments[i + 1]);
  }
  std::cout << "seed " << seed << std::endl;
  return Run(nodes, seed).run();
}

}  // namespace
}  // namespace bloomery::store::lists

int main(int count, char** arguments) {
  return bloomery::store::lists::main_of({arguments + 1, arguments + count});
}
