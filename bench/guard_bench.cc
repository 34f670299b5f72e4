// What does a guard cost a question, and what does the database see when keys are invented, a hot key expires, or the
// cache dies?
//
//   guard_bench [ROWS]      rows of the table, default 1,000,000
//
// Costs are CPU times of one thread, medians of 9 rounds in turns. Waves are counted beside three rivals, each as
// people build it:
//
//   none         cache, then database
//   null cache   the cache also keeps "no such row"
//   fixed        a filter that is filled at the start and asked for ever, then the null cache
//   guard        this library's, with a feeder that follows 50 ms behind
//
// The database is a table in memory that sleeps for a load's time. In the first wave one question in 200 is for a row
// that was inserted after the start, by somebody else, at least 100 ms before the question.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include <fmt/core.h>

#include "bench/taken.h"
#include "bench/timing.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/guard/guard.h"
#include "bloomery/guard/live_filter.h"
#include "bloomery/guard/memory_cache.h"

namespace bloomery::guard {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr double kFpp = 0.01;
constexpr std::uint64_t kQuestions = 100'000;

std::string row_key(std::uint64_t i) {
  return "user:" + std::to_string(10'000'000 + i);
}
std::string invented_key(std::uint64_t i) {
  return "fake:" + std::to_string(10'000'000 + i);
}

class Database {
 public:
  explicit Database(std::uint64_t rows) : rows_(rows) {}

  void insert(std::uint64_t row) {
    const std::lock_guard lock(mutex_);
    inserted_.insert(row_key(row));
  }
  Result<Loaded> load(std::string_view key) {
    ++loads;
    const std::uint64_t now = ++now_;
    for (std::uint64_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(takes_us.load()));
    --now_;
    if (key.starts_with("user:")) {
      const std::uint64_t row = std::strtoull(std::string(key.substr(5)).c_str(), nullptr, 10) - 10'000'000;
      const std::lock_guard lock(mutex_);
      if (row < rows_ || inserted_.contains(std::string(key))) {
        return Loaded("a value of one hundred bytes, more or less, so that a cache has something to keep: " +
                      std::string(key));
      }
    }
    return Loaded();
  }

  std::atomic<std::uint64_t> loads{0};
  std::atomic<std::uint64_t> most{0};
  std::atomic<std::int64_t> takes_us{0};

 private:
  std::uint64_t rows_;
  std::atomic<std::uint64_t> now_{0};
  std::mutex mutex_;
  std::unordered_set<std::string> inserted_;
};

void fill(LiveFilter& live, std::uint64_t rows) {
  const std::int64_t horizon = machine_now_ns();
  take(live.begin_rebuild(rows));
  for (std::uint64_t i = 0; i < rows; ++i) {
    take(live.insert_scanned(row_key(i)));
  }
  take(live.finish_rebuild({FilterPhase::kComplete, 1, 0, horizon}));
}

// A cache that can be switched off, and that counts as shared.
class Switched final : public ValueCache {
 public:
  explicit Switched(std::uint64_t bytes) : bytes_(bytes), cache_(MemoryCache::make(bytes)) {}
  Result<std::optional<CachedValue>> get(std::string_view key) override {
    return is_off ? Result<std::optional<CachedValue>>(away()) : cache_->get(key);
  }
  Status put(std::string_view key, const CachedValue& value, std::chrono::milliseconds keep,
             const Lease& lease) override {
    return is_off ? Status(away()) : cache_->put(key, value, keep, lease);
  }
  Status remove(std::string_view key) override { return is_off ? Status(away()) : cache_->remove(key); }
  bool is_shared() const override { return true; }
  void kill() { is_off = true; }
  void start_empty() {
    cache_ = MemoryCache::make(bytes_);  // nobody asks it now
    is_off = false;
  }
  std::uint64_t bytes() const { return cache_->bytes(); }

 private:
  static Error away() { return {ErrorCode::kIo, "cache", "switched off"}; }

  std::uint64_t bytes_;
  std::atomic<bool> is_off{false};
  std::shared_ptr<MemoryCache> cache_;
};

// One way to stand before the database.
struct Rival {
  std::string name;
  std::shared_ptr<Database> database;
  std::shared_ptr<Switched> cache;
  std::function<Result<Loaded>(const std::string&)> get;
  std::function<void(std::uint64_t row)> inserted = [](std::uint64_t) {};
  std::shared_ptr<void> keeps;  // what `get` uses
};

struct FeederThread {
  ~FeederThread() {
    ends = true;
    thread.join();
  }
  std::shared_ptr<LiveFilter> live;
  std::unique_ptr<Guard> guarded;
  std::mutex mutex;
  std::deque<std::uint64_t> log;
  std::atomic<bool> ends{false};
  std::thread thread;
};

Result<Loaded> get_by_hand(Database& database, Switched& cache, bool keeps_nulls, const std::string& key) {
  const auto cached = cache.get(key);
  if (cached && *cached) {
    return (*cached)->bytes.empty() ? Loaded() : Loaded((*cached)->bytes);
  }
  Result<Loaded> row = database.load(key);
  if (row && (row->has_value() || keeps_nulls)) {
    (void)cache.put(key, {row->value_or(""), 0}, row->has_value() ? 60'000ms : 500ms, {});
  }
  return row;
}

constexpr std::uint64_t kCacheBytes = std::uint64_t{16} << 20;

Rival by_hand(const std::string& name, std::uint64_t rows, bool keeps_nulls, bool has_filter) {
  auto database = std::make_shared<Database>(rows);
  auto cache = std::make_shared<Switched>(kCacheBytes);
  std::shared_ptr<ScalableFilter> filter;
  if (has_filter) {
    filter = std::make_shared<ScalableFilter>(take(ScalableFilter::for_capacity(rows, kFpp)));
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (!filter->insert(row_key(i))) {
        fail("no memory");
      }
    }
  }
  auto get = [database, cache, filter, keeps_nulls](const std::string& key) -> Result<Loaded> {
    if (filter && !filter->may_contain(key)) {
      return Loaded();
    }
    return get_by_hand(*database, *cache, keeps_nulls, key);
  };
  return {.name = name, .database = database, .cache = cache, .get = get, .keeps = filter};
}

Rival by_guard(std::uint64_t rows, GuardOptions options) {
  auto database = std::make_shared<Database>(rows);
  auto cache = std::make_shared<Switched>(kCacheBytes);
  auto feeder = std::make_shared<FeederThread>();
  feeder->live = take(LiveFilter::make({.capacity = rows, .fpp = kFpp}));
  fill(*feeder->live, rows);
  feeder->guarded = take(Guard::make(
      feeder->live, cache,
      [database](std::string_view key, const LoadContext&) { return database->load(key); }, options));
  feeder->thread = std::thread([at = feeder.get()] {
    while (!at->ends) {
      const std::int64_t horizon = machine_now_ns();
      std::deque<std::uint64_t> log;
      {
        const std::lock_guard lock(at->mutex);
        log.swap(at->log);
      }
      for (const std::uint64_t row : log) {
        take(at->live->insert(row_key(row)));
      }
      at->live->report(1, 0, horizon);
      std::this_thread::sleep_for(50ms);
    }
  });
  auto get = [feeder](const std::string& key) -> Result<Loaded> {
    const Result<Answer> answer = feeder->guarded->get(key);
    return answer ? Result<Loaded>(answer->value) : Result<Loaded>(answer.error());
  };
  auto inserted = [feeder](std::uint64_t row) {
    const std::lock_guard lock(feeder->mutex);
    feeder->log.push_back(row);
  };
  return {.name = "guard",
          .database = database,
          .cache = cache,
          .get = get,
          .inserted = inserted,
          .keeps = feeder};
}

std::vector<Rival> rivals(std::uint64_t rows, const GuardOptions& options) {
  std::vector<Rival> all;
  all.push_back(by_hand("none", rows, false, false));
  all.push_back(by_hand("null cache", rows, true, false));
  all.push_back(by_hand("fixed filter", rows, true, true));
  all.push_back(by_guard(rows, options));
  return all;
}

// ---- costs

// The time that this thread has run. On a busy machine it is steadier than the time that has passed.
double thread_ns() {
  std::timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

void costs(std::uint64_t rows) {
  constexpr std::uint64_t kAsked = 200'000;
  const auto live = take(LiveFilter::make({.capacity = rows, .fpp = kFpp}));
  const auto build_begin = Clock::now();
  fill(*live, rows);
  const double build = std::chrono::duration<double>(Clock::now() - build_begin).count();
  GuardOptions options;
  options.bound.time = 1h;
  const auto cache = MemoryCache::make(std::uint64_t{256} << 20);
  const auto shared = std::make_shared<Switched>(std::uint64_t{256} << 20);
  const Loader load = [](std::string_view, const LoadContext&) -> Result<Loaded> { return Loaded(); };
  const auto guarded = take(Guard::make(live, cache, load, options));
  const auto before_shared = take(Guard::make(live, shared, load, options));
  std::vector<std::string> absent;
  for (std::uint64_t i = 0; absent.size() < kAsked; ++i) {
    if (std::string key = invented_key(i); !live->ask(key).may_contain) {
      absent.push_back(std::move(key));
    }
  }
  std::vector<std::string> cached;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < kAsked; ++i) {
    cached.push_back(row_key(random() % std::min<std::uint64_t>(rows, 50'000)));
    const CachedValue value{"a value", unix_now_ms() + 3'600'000};
    take(cache->put(cached.back(), value, {}, {}));
    take(shared->put(cached.back(), value, {}, {}));
  }
  const auto each = [](const std::vector<std::string>& keys, auto ask) {
    const double begin = thread_ns();
    std::uint64_t sum = 0;
    for (const std::string& key : keys) {
      sum += ask(key) ? 1U : 0U;
    }
    g_sink = sum;
    return (thread_ns() - begin) / static_cast<double>(keys.size());
  };
  const HashSpec secret = keyed_hash(take(HashSecret::generate()));
  std::vector<double> hash, ask, rejects, get, own, passed, own_shared, passed_shared;
  for (int round = 0; round < 9; ++round) {
    hash.push_back(each(absent, [&](const std::string& key) { return hash_bytes(key, secret).low != 0; }));
    ask.push_back(each(absent, [&](const std::string& key) { return live->ask(key).may_contain; }));
    rejects.push_back(each(absent, [&](const std::string& key) { return guarded->rejects(key); }));
    get.push_back(each(absent, [&](const std::string& key) { return guarded->get(key).has_value(); }));
    own.push_back(each(cached, [&](const std::string& key) { return cache->get(key).has_value(); }));
    passed.push_back(each(cached, [&](const std::string& key) { return guarded->get(key).has_value(); }));
    own_shared.push_back(each(cached, [&](const std::string& key) { return shared->get(key).has_value(); }));
    passed_shared.push_back(
        each(cached, [&](const std::string& key) { return before_shared->get(key).has_value(); }));
  }
  fmt::print("cost,rows,ns\n");
  fmt::print("SipHash of the key,{},{:.0f}\n", rows, median(hash));
  fmt::print("filter alone says no,{},{:.0f}\n", rows, median(ask));
  fmt::print("rejects() says no,{},{:.0f}\n", rows, median(rejects));
  fmt::print("get() of a rejected key,{},{:.0f}\n", rows, median(get));
  fmt::print("cache alone has it,{},{:.0f}\n", rows, median(own));
  fmt::print("get() of a cached key,{},{:.0f}\n", rows, median(passed));
  fmt::print("shared cache alone has it,{},{:.0f}\n", rows, median(own_shared));
  fmt::print("get() of its key with copies,{},{:.0f}\n", rows, median(passed_shared));
  fmt::print("fill of the filter a row,{},{:.0f}\n\n", rows, build * 1e9 / static_cast<double>(rows));
}

// ---- waves

// 95 % invented keys, each once; 4.5 % rows; 0.5 % rows that came after the start.
void penetration(std::uint64_t rows) {
  fmt::print("95 % invented,loads,misses of rows,wrong no,cache MB,measured fpp\n");
  GuardOptions options;
  options.bound.time = 1s;
  for (Rival& rival : rivals(rows, options)) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      rival.database->insert(rows + i);
      rival.inserted(rows + i);
    }
    std::this_thread::sleep_for(200ms);
    std::mt19937_64 random(7);
    std::unordered_set<std::string> asked_rows;
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < kQuestions; ++i) {
      const std::uint64_t dice = random() % 1000;
      const bool is_row = dice >= 950;
      const std::string key = !is_row       ? invented_key(i)
                              : dice >= 995 ? row_key(rows + random() % 1000)
                                            : row_key(random() % std::min<std::uint64_t>(rows, 2000));
      const Result<Loaded> row = rival.get(key);
      wrong += is_row && !take(row).has_value() ? 1U : 0U;
      if (is_row) {
        asked_rows.insert(key);
      }
    }
    const auto misses = static_cast<std::uint64_t>(asked_rows.size());
    fmt::print(
        "{},{},{},{},{:.1f},{:.4f}\n", rival.name, rival.database->loads.load(), misses, wrong,
        static_cast<double>(rival.cache->bytes()) / 1e6,
        (static_cast<double>(rival.database->loads) - static_cast<double>(misses)) / (0.95 * kQuestions));
  }
  fmt::print("\n");
}

// 16 threads ask for one key, whose value is gone; a load takes 20 ms.
void breakdown(std::uint64_t rows) {
  fmt::print("hot key expires,loads,most at once\n");
  for (Rival& rival : rivals(rows, GuardOptions())) {
    rival.database->takes_us = 20'000;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 16; ++thread) {
      threads.emplace_back([&] {
        const auto end = Clock::now() + 300ms;
        while (Clock::now() < end) {
          take(rival.get(row_key(1)));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    fmt::print("{},{},{}\n", rival.name, rival.database->loads.load(), rival.database->most.load());
  }
  fmt::print("\n");
}

// 48 threads ask for 20,000 rows; a load takes 2 ms. The cache is warm, then dies for a second, and comes back empty.
// The copies of the guard hold about half of the rows.
void avalanche(std::uint64_t rows) {
  constexpr std::uint64_t kAskedRows = 20'000;
  fmt::print(
      "cache dies,loads/s down,most at once down,loads in 1 s after,most at once after,errors,p99 ms down\n");
  GuardOptions options;
  options.bound.time = 1h;
  options.loads_without_cache = 4;
  options.loads_at_once = 32;
  options.copy_bytes = 3'000'000;
  for (Rival& rival : rivals(rows, options)) {
    for (std::uint64_t i = 0; i < kAskedRows; ++i) {
      take(rival.get(row_key(i)));
    }
    rival.database->takes_us = 2'000;
    std::atomic<std::uint64_t> errors{0};
    std::atomic<bool> ends{false};
    std::mutex mutex;
    std::vector<double> waits;
    std::atomic<bool> notes{false};
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 48; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937_64 random(thread);
        std::vector<double> mine;
        while (!ends) {
          const auto begin = Clock::now();
          errors += rival.get(row_key(random() % kAskedRows)) ? 0U : 1U;
          if (notes && mine.size() < 100'000) {
            mine.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
          }
          std::this_thread::sleep_for(1ms);
        }
        const std::lock_guard lock(mutex);
        waits.insert(waits.end(), mine.begin(), mine.end());
      });
    }
    std::this_thread::sleep_for(200ms);
    rival.cache->kill();
    std::this_thread::sleep_for(100ms);  // until three calls have failed
    rival.database->most = 0;
    const std::uint64_t before = rival.database->loads;
    notes = true;
    std::this_thread::sleep_for(1s);
    notes = false;
    const std::uint64_t down = rival.database->loads - before;
    const std::uint64_t most_down = rival.database->most;
    rival.cache->start_empty();
    rival.database->most = 0;
    const std::uint64_t back = rival.database->loads;
    std::this_thread::sleep_for(1s);
    const std::uint64_t after = rival.database->loads - back;
    const std::uint64_t most_after = rival.database->most;
    ends = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    std::sort(waits.begin(), waits.end());
    fmt::print("{},{},{},{},{},{},{:.1f}\n", rival.name, down, most_down, after, most_after, errors.load(),
               waits.empty() ? 0 : waits[waits.size() * 99 / 100]);
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace bloomery::guard

int main(int argc, char** argv) {
  const std::uint64_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  if (rows < 20'000) {
    fmt::print(stderr, "usage: guard_bench [ROWS], at least 20000\n");
    return 2;
  }
  bloomery::guard::costs(rows);
  bloomery::guard::penetration(rows);
  bloomery::guard::breakdown(rows);
  bloomery::guard::avalanche(rows);
  return 0;
}
