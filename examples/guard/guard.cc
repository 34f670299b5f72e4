// What a database sees, and what those who ask wait for: without a guard, with what people build by hand, and with a guard.
//
//   guard FOLDER DATABASE LEASED_FILE FEEDER_PID ROWS QUESTIONS CSV       (the script `run` calls it)
//
//   penetration   95 of 100 questions are for keys that nobody has
//   breakdown     64 clients ask for a hot page that has just left the cache and takes 50 ms to make
//   avalanche     the cache is killed while 64 clients ask, and comes back empty
//   rebuild       the filter is built anew from all rows while others ask
//
// Exit status: 0 all claims hold; 1 the guard denied a row, let more through than it promises, or failed.
#include <bloomery/filter/leased_filter.h>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "load.h"
#include "redis_server.h"
#include "ways.h"

namespace {

constexpr double kFpp = 0.01;
constexpr int kConnections = 16;
constexpr std::uint32_t kLoadsWithoutCache = 8;
constexpr std::uint64_t kNewRows = 200;
constexpr int kClients = 64;

struct Named {
  const char* name;
  std::unique_ptr<Way> way;
};

class Report {
 public:
  explicit Report(const std::string& csv) : csv_(csv) { csv_ << "act,way,what,value\n"; }
  void add(const char* act, const char* way, const char* what, double value) {
    csv_ << act << "," << way << "," << what << "," << value << "\n";
  }
  void claim(bool holds, const char* what) {
    std::printf("%s %s\n", holds ? "holds: " : "FAILS: ", what);
    all_hold_ = all_hold_ && holds;
  }
  bool all_hold() const { return all_hold_; }

 private:
  std::ofstream csv_;
  bool all_hold_ = true;
};

template <typename Random>
std::string some_row(Random& random, std::uint64_t rows) {
  return "user" + std::to_string(random() % rows);
}

void penetration(std::vector<Named>& ways, Database& database, RedisServer& redis, std::uint64_t questions,
                 Report& report) {
  std::printf("\npenetration: %llu questions, 95 %% invented, 8 clients\n",
              static_cast<unsigned long long>(questions));
  std::printf("%-11s %10s %14s %12s %8s %8s %8s %9s %9s\n", "", "queries", "for no row", "answers/s",
              "p50 ms", "p99 ms", "denied", "cache MB", "filter MB");
  for (Named& named : ways) {
    const std::uint64_t queries = database.queries();
    const std::uint64_t absent = database.absent();
    const double memory = redis.memory_mb();
    std::atomic<std::uint64_t> denied{0};
    std::atomic<std::uint64_t> invented{0};
    const Seen seen = run_load(8, questions / 8, {}, [&](std::mt19937_64& random, std::uint64_t number) {
      const std::uint64_t kind = random() % 1000;
      const bool is_new = kind < 2;
      const bool is_row = kind < 50;
      const std::string key = is_new   ? "new" + std::to_string(random() % kNewRows)
                              : is_row ? some_row(random, 5000)
                                       : "eve" + std::to_string(number);
      const Way::Answer answer = named.way->ask(key);
      invented += is_row ? 0 : 1;
      denied += is_row && !answer.is_error && !answer.row ? 1 : 0;
      return !answer.is_error;
    });
    const auto asked = static_cast<double>(database.queries() - queries);
    const auto for_none = static_cast<double>(database.absent() - absent);
    std::printf("%-11s %10.0f %14.0f %12.0f %8.2f %8.2f %8llu %9.1f %9.1f\n", named.name, asked, for_none,
                static_cast<double>(seen.answers) / seen.seconds, seen.at(0.5), seen.at(0.99),
                static_cast<unsigned long long>(denied), redis.memory_mb() - memory,
                static_cast<double>(named.way->filter_bytes()) / 1e6);
    report.add("penetration", named.name, "queries", asked);
    report.add("penetration", named.name, "queries for no row", for_none);
    report.add("penetration", named.name, "answers a second",
               static_cast<double>(seen.answers) / seen.seconds);
    report.add("penetration", named.name, "p50 ms", seen.at(0.5));
    report.add("penetration", named.name, "p99 ms", seen.at(0.99));
    report.add("penetration", named.name, "rows denied", static_cast<double>(denied));
    report.add("penetration", named.name, "errors", static_cast<double>(seen.errors));
    if (&named == &ways.back()) {
      report.claim(denied == 0 && seen.errors == 0, "the guard denied no row and failed no question");
      report.claim(for_none <= 1.5 * kFpp * static_cast<double>(invented),
                   "no more invented keys passed than the fpp lets through");
    }
  }
}

void breakdown(std::vector<Named>& ways, Database& database, Report& report) {
  constexpr int kRounds = 5;
  std::printf("\nbreakdown: a page of 50 ms leaves the cache, 64 clients ask for it; %d times\n", kRounds);
  std::printf("%-11s %10s %8s %8s\n", "", "queries", "p50 ms", "p99 ms");
  for (Named& named : ways) {
    std::uint64_t queries = 0;
    Seen all;
    for (int round = 0; round < kRounds; ++round) {
      const std::string key = "hot" + std::to_string(round);
      (void)named.way->ask(key);
      named.way->forget(key);
      const std::uint64_t before = database.queries();
      const Seen seen = run_load(
          kClients, 1, {}, [&](std::mt19937_64&, std::uint64_t) { return !named.way->ask(key).is_error; });
      queries += database.queries() - before;
      all.ms.insert(all.ms.end(), seen.ms.begin(), seen.ms.end());
    }
    std::sort(all.ms.begin(), all.ms.end());
    std::printf("%-11s %10llu %8.1f %8.1f\n", named.name, static_cast<unsigned long long>(queries),
                all.at(0.5), all.at(0.99));
    report.add("breakdown", named.name, "queries", static_cast<double>(queries) / kRounds);
    report.add("breakdown", named.name, "p50 ms", all.at(0.5));
    report.add("breakdown", named.name, "p99 ms", all.at(0.99));
    if (&named == &ways.back()) {
      report.claim(queries == kRounds, "a hot key that expires is loaded once");
    }
  }
}

void avalanche(std::vector<Named>& ways, Database& database, RedisServer& redis, std::uint64_t rows,
               std::uint64_t questions, Report& report) {
  const std::uint64_t hot = std::min<std::uint64_t>(rows, 20'000);
  const std::uint64_t each = std::max<std::uint64_t>(questions / 10 / kClients, 50);
  std::printf(
      "\navalanche: 64 clients ask for %llu rows, of which the cache had half; it is killed, and comes back "
      "empty\n",
      static_cast<unsigned long long>(hot));
  std::printf("%-11s %24s %30s\n", "", "---- while it is away ----", "---- when it is back, empty ----");
  std::printf("%-11s %10s %8s %8s %8s %7s %10s %8s %8s\n", "", "queries/s", "at once", "p50 ms", "p99 ms",
              "errors", "queries/s", "at once", "p99 ms");
  for (Named& named : ways) {
    const auto ask = [&](std::mt19937_64& random, std::uint64_t) {
      return !named.way->ask(some_row(random, hot)).is_error;
    };
    (void)run_load(8, hot / 16, {}, [&](std::mt19937_64&, std::uint64_t number) {
      return !named.way->ask("user" + std::to_string(number)).is_error;
    });
    redis.kill();
    const auto wave = [&](const char* when) {
      database.forget_most();
      const std::uint64_t before = database.queries();
      const Seen seen = run_load(kClients, each, {}, ask);
      const double queries = static_cast<double>(database.queries() - before) / seen.seconds;
      const std::string prefix = when;
      report.add("avalanche", named.name, (prefix + " queries a second").c_str(), queries);
      report.add("avalanche", named.name, (prefix + " queries at once").c_str(),
                 static_cast<double>(database.most_at_once()));
      report.add("avalanche", named.name, (prefix + " p50 ms").c_str(), seen.at(0.5));
      report.add("avalanche", named.name, (prefix + " p99 ms").c_str(), seen.at(0.99));
      report.add("avalanche", named.name, (prefix + " errors").c_str(), static_cast<double>(seen.errors));
      return std::pair(seen, queries);
    };
    // The first failures tell that it is away; they are not counted.
    for (std::uint64_t i = 0; i < 10; ++i) {
      (void)named.way->ask("user" + std::to_string(i));
    }
    const auto [away, away_queries] = wave("away");
    const auto away_most = static_cast<unsigned long long>(database.most_at_once());
    redis.start();
    const auto [back, back_queries] = wave("back");
    const auto back_most = static_cast<unsigned long long>(database.most_at_once());
    std::printf("%-11s %10.0f %8llu %8.1f %8.1f %7llu %10.0f %8llu %8.1f\n", named.name, away_queries,
                away_most, away.at(0.5), away.at(0.99), static_cast<unsigned long long>(away.errors),
                back_queries, back_most, back.at(0.99));
    if (&named == &ways.back()) {
      report.claim(away_most <= kLoadsWithoutCache, "while the cache is away, at most 8 queries run at once");
      report.claim(back_queries <= away_queries + 64 / 0.001 && back.errors == 0,
                   "nobody failed when it was back");
    }
  }
}

double peak_memory_mb(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/status");
  for (std::string word; file >> word;) {
    if (word == "VmHWM:") {
      double kb = 0;
      file >> kb;
      return kb / 1e3;
    }
  }
  return 0;
}

void rebuild(Guarded& guarded, const std::string& leased_file, const std::string& feeder, Report& report) {
  const auto filter = *bloomery::LeasedFilter::open(leased_file);
  const std::uint64_t generation = filter.state().generation;
  const auto second_of_questions = [&] {
    return run_load(4, 500, 2ms, [&](std::mt19937_64& random, std::uint64_t number) {
      const std::string key = number % 2 == 0 ? some_row(random, 5000) : "eve" + std::to_string(random());
      return !guarded.ask(key).is_error;
    });
  };
  const auto median_p99 = [](std::vector<double> p99) {
    std::sort(p99.begin(), p99.end());
    return p99.empty() ? 0 : p99[p99.size() / 2];
  };
  std::vector<double> before;
  std::vector<double> during;
  std::uint64_t errors = 0;
  for (int i = 0; i < 5; ++i) {
    before.push_back(second_of_questions().at(0.99));
  }
  const auto begin = Clock::now();
  ::kill(std::stoi(feeder), SIGUSR1);
  while (filter.state().generation == generation && Clock::now() - begin < 300s) {
    const Seen seen = second_of_questions();
    during.push_back(seen.at(0.99));
    errors += seen.errors;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("\nrebuild: %.1f s, the feeder had %.0f MB at most; 1,000 questions a second meanwhile\n",
              seconds, peak_memory_mb(feeder));
  std::printf("p99 of a second: %.2f ms before, %.2f ms during it (medians of %zu and %zu)\n",
              median_p99(before), median_p99(during), before.size(), during.size());
  report.add("rebuild", "guard", "seconds", seconds);
  report.add("rebuild", "guard", "feeder MB", peak_memory_mb(feeder));
  report.add("rebuild", "guard", "p99 ms before", median_p99(before));
  report.add("rebuild", "guard", "p99 ms during", median_p99(during));
  report.claim(filter.state().generation != generation && errors == 0,
               "the rebuild ended and failed no question");
}

}  // namespace

int main(int count, char** words) {
  if (count != 8) {
    std::fprintf(
        stderr,
        "usage: guard FOLDER DATABASE LEASED_FILE FEEDER_PID ROWS QUESTIONS CSV (use the script `run`)\n");
    return 2;
  }
  const std::string folder = words[1];
  const std::string leased_file = words[3];
  const std::uint64_t rows = std::stoull(words[5]);
  const std::uint64_t questions = std::stoull(words[6]);
  Report report(words[7]);
  RedisServer redis(folder);
  Database database(words[2], kConnections);
  std::vector<Named> ways;
  ways.push_back({"none", std::make_unique<ByHand>(database, redis.url(), false, 0, rows)});
  ways.push_back({"null cache", std::make_unique<ByHand>(database, redis.url(), true, 0, rows)});
  ways.push_back({"fixed", std::make_unique<ByHand>(database, redis.url(), true, kFpp, rows)});
  ways.push_back(
      {"guard", std::make_unique<Guarded>(database, redis.url(), leased_file, kLoadsWithoutCache)});
  auto& guarded = dynamic_cast<Guarded&>(*ways.back().way);
  for (int i = 0; i < 600 && !guarded.is_active(); ++i) {
    std::this_thread::sleep_for(100ms);
  }
  // Somebody else inserts rows now. They are asked for once the bound is over.
  database.run("INSERT INTO users SELECT 'new' || i, 'New' FROM generate_series(0, " +
               std::to_string(kNewRows - 1) + ") i");
  std::this_thread::sleep_for(5s);

  penetration(ways, database, redis, questions, report);
  breakdown(ways, database, report);
  avalanche(ways, database, redis, rows, questions, report);
  rebuild(guarded, leased_file, words[4], report);
  return report.all_hold() ? 0 : 1;
}
