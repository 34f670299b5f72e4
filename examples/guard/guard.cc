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
    const Seen seen =
        run_load({.threads = 8, .each = questions / 8}, [&](std::mt19937_64& random, std::uint64_t number) {
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
      const Seen seen = run_load({.threads = kClients, .each = 1}, [&](std::mt19937_64&, std::uint64_t) {
        return !named.way->ask(key).is_error;
      });
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
  const std::chrono::seconds lasts = questions < 400'000 ? 1s : 5s;
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
    for (std::uint64_t i = 0; i < hot / 2; ++i) {
      (void)named.way->ask("user" + std::to_string(i));
    }
    redis.kill();
    const auto wave = [&](const char* when) {
      database.forget_most();
      const std::uint64_t before = database.queries();
      const Seen seen = run_load({.threads = kClients, .lasts = lasts}, ask);
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
      // The guard's limit rises from 8 to 64 in ten seconds.
      const double limit = kLoadsWithoutCache + 5.6 * static_cast<double>(lasts.count()) + 1;
      report.claim(static_cast<double>(back_most) <= limit && back.errors == 0,
                   "when it is back there is no second wave, and nobody fails");
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
  constexpr int kTimes = 3;
  const auto filter = *bloomery::LeasedFilter::open(leased_file);
  const auto ask_for = [&](std::chrono::nanoseconds time, Seen& all) {
    const Seen seen = run_load(
        {.threads = 4, .lasts = time, .pace = 4ms}, [&](std::mt19937_64& random, std::uint64_t number) {
          const std::string key = number % 2 == 0 ? some_row(random, 5000) : "eve" + std::to_string(random());
          return !guarded.ask(key).is_error;
        });
    all.errors += seen.errors;
    all.ms.insert(all.ms.end(), seen.ms.begin(), seen.ms.end());
  };
  Seen quiet;
  Seen busy;
  double seconds = 0;
  bool has_ended = true;
  for (int i = 0; i < kTimes; ++i) {
    ask_for(5s, quiet);
    const std::uint64_t generation = filter.state().generation;
    const auto begin = Clock::now();
    ::kill(std::stoi(feeder), SIGUSR1);
    while (filter.state().generation == generation && Clock::now() - begin < 300s) {
      ask_for(200ms, busy);
    }
    seconds += std::chrono::duration<double>(Clock::now() - begin).count() / kTimes;
    has_ended = has_ended && filter.state().generation != generation;
  }
  std::sort(quiet.ms.begin(), quiet.ms.end());
  std::sort(busy.ms.begin(), busy.ms.end());
  std::printf(
      "\nrebuild, %d times: %.1f s each, the feeder had %.0f MB at most; 1,000 questions a second "
      "meanwhile\n",
      kTimes, seconds, peak_memory_mb(feeder));
  std::printf("%-11s %10s %8s %8s %8s\n", "", "answers", "p50 ms", "p99 ms", "max ms");
  for (const auto& [name, seen] : {std::pair("between", &quiet), std::pair("meanwhile", &busy)}) {
    std::printf("%-11s %10zu %8.2f %8.2f %8.2f\n", name, seen->ms.size(), seen->at(0.5), seen->at(0.99),
                seen->at(1));
    report.add("rebuild", name, "p50 ms", seen->at(0.5));
    report.add("rebuild", name, "p99 ms", seen->at(0.99));
  }
  report.add("rebuild", "meanwhile", "seconds", seconds);
  report.add("rebuild", "meanwhile", "feeder MB", peak_memory_mb(feeder));
  report.claim(has_ended && quiet.errors + busy.errors == 0, "every rebuild ended, and no question failed");
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
