// kill -9 on a real file system: no acknowledged write of a store is lost, and none is there by half.
//
//   store_kills [--cycles N] [--seed N] [--results FILE]      100 cycles, a seed of the clock
//
// A cycle:
//
//   1. A process opens the store and writes with four threads (operations.h). Options are drawn: memory for
//      few or many writes, so that flushes are frequent, and short logs.
//   2. It is killed some time after a drawn number of reports: while it opens, writes, flushes or changes tables.
//   3. In a third of the cycles other processes open the store, and are killed while they recover.
//   4. The dead root is read as any reader of HBase's files reads it, or a store opens it, or both, which
//      must then agree. A ledger (ledger.h) compares with what was acknowledged and begun.
//
// After kCyclesOfRoot cycles there is a new root. The seed decides operations, options and times; a kill meets
// another operation in each run. The store is in TMPDIR. After a failure it is kept, and named.
// Appends a line to FILE: counts, as in the last line of the output. Exit status: 0 all is there, 1 something
// is not, 2 trouble.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <poll.h>
#include <random>
#include <signal.h>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/kills/ledger.h"

namespace bloomery::store::kills {
namespace {

using Clock = std::chrono::steady_clock;
using Micros = std::chrono::microseconds;
namespace fs = std::filesystem;

constexpr std::size_t kCyclesOfRoot = 20;
constexpr std::chrono::minutes kLongestSilence(1);

struct KillSettings {
  std::size_t cycles = 100;
  std::uint64_t seed =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::string results = {};
};

struct KillCounts {
  std::size_t cycles = 0;
  std::size_t opening = 0;
  std::size_t writing = 0;
  std::size_t flushing = 0;
  std::size_t tables = 0;
  std::size_t recovering = 0;  // further kills
  std::size_t by_files = 0;    // checks of the dead root
  std::size_t by_store = 0;
  std::uint64_t begun = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t mutations = 0;
  std::uint64_t kept = 0;
  std::uint64_t gone = 0;
};

// A process is killed some time after so many reports, which it may not live to see.
struct KillPoint {
  std::size_t reports = 0;
  Micros after = Micros(0);
};

class KillDraw {
 public:
  explicit KillDraw(std::uint64_t seed) : numbers_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(numbers_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  StoreOptions options() {
    StoreOptions options;
    options.flush_bytes = std::uint64_t{32} << (10 + 2 * below(4));  // 32 KiB to 2 MiB
    options.memory_bytes = options.flush_bytes * (2 + below(8));
    options.flush_after_ms = one_in(4) ? 20 : options.flush_after_ms;
    options.log_bytes = std::uint64_t{64} << (10 + 2 * below(3));
    options.most_logs = static_cast<std::uint32_t>(2 + below(8));
    options.syncs_mark = one_in(4);
    return options;
  }
  KillPoint in_open() { return {.reports = 1, .after = Micros(below(10'000))}; }
  KillPoint at_work() {
    return {.reports = 2 + below(std::size_t{16} << below(8)), .after = Micros(below(3'000))};
  }

 private:
  std::mt19937_64 numbers_;
};

// Waits for a report. Returns false if none came until then.
bool is_ready(int reports, std::optional<Clock::time_point> until) {
  pollfd ready{.fd = reports, .events = POLLIN, .revents = 0};
  const auto left =
      until ? std::max(*until - Clock::now(), Clock::duration(0)) : Clock::duration(kLongestSilence);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec wait{.tv_sec = seconds.count(), .tv_nsec = static_cast<long>((left - seconds).count())};
  const int count = ::ppoll(&ready, 1, &wait, nullptr);
  if (count == 0 && !until) {
    std::cerr << "store_kills: expected a report within a minute\n";
    std::exit(1);
  }
  return count > 0;
}

// Takes reports until the point, kills the process, and takes the reports that it had written.
void kill_at(pid_t process, int reports, KillPoint point, Ledger& ledger) {
  std::size_t taken = 0;
  std::optional<Clock::time_point> time;
  while (true) {
    if (!is_ready(reports, time)) {
      ::kill(process, SIGKILL);
      time.reset();
      point.reports = std::numeric_limits<std::size_t>::max();
    }
    std::array<Report, 512> bytes;
    const ssize_t count = ::read(reports, bytes.data(), sizeof bytes);
    if (count <= 0) {
      break;  // its end of the pipe is closed
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) / sizeof(Report); ++i) {
      ledger.note(bytes[i]);
    }
    taken += static_cast<std::size_t>(count) / sizeof(Report);
    if (taken >= point.reports && !time) {
      time = Clock::now() + point.after;
    }
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  ::close(reports);
}

template <typename Body>
void run_and_kill(const Body& body, KillPoint point, Ledger& ledger) {
  int ends[2];
  if (::pipe(ends) != 0) {
    std::perror("pipe");
    std::exit(2);
  }
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    body(ends[1]);
  }
  ::close(ends[1]);
  kill_at(process, ends[0], point, ledger);
}

class KilledRoot {
 public:
  KilledRoot(std::string root, std::uint64_t seed) : root_(std::move(root)), ledger_(seed), draw_(seed) {}

  Status make() const {
    BLOOMERY_ASSIGN_OR_RETURN(Store store, Store::create(root_));
    BLOOMERY_RETURN_IF_ERROR(make_tables(store));
    return store.close();
  }

  // Returns what is wrong, or nothing.
  std::string cycle(KillCounts& counts) {
    Work work = ledger_.work();
    work.root = root_;
    work.options = draw_.options();
    run_and_kill([&work](int reports) { write_until_killed(work, reports); },
                 draw_.one_in(6) ? draw_.in_open() : draw_.at_work(), ledger_);
    if (ledger_.has_failed()) {
      return "the writer failed";
    }
    ++(!ledger_.is_opened()           ? counts.opening
       : ledger_.is_changing_tables() ? counts.tables
       : ledger_.is_flushing()        ? counts.flushing
                                      : counts.writing);
    for (std::size_t left = draw_.one_in(3) ? 3 : 0; left > 0; --left) {
      run_and_kill([&work](int reports) { open_until_killed(work, reports); }, draw_.in_open(), ledger_);
      if (ledger_.has_failed()) {
        return "a store that was killed cannot be opened";
      }
      ++counts.recovering;
    }
    ++counts.cycles;
    return check(counts);
  }

  const Ledger& ledger() const { return ledger_; }

 private:
  std::string check(KillCounts& counts) {
    const std::size_t kind = draw_.below(3);
    if (kind != 0) {
      const Result<Contents> contents = contents_of_root(root_);
      if (!contents) {
        return "the dead root cannot be read: " + contents.error().to_string();
      }
      ++counts.by_files;
      std::string wrong = ledger_.settle(*contents);
      if (!wrong.empty()) {
        return "read from its files: " + wrong;
      }
    }
    return kind == 1 ? "" : check_store(counts);
  }

  std::string check_store(KillCounts& counts) {
    StoreOptions options = draw_.options();
    options.flushes_at_close = draw_.one_in(2);
    Result<Store> store = Store::open(root_, options);
    if (!store) {
      return "open: " + store.error().to_string();
    }
    const Result<Contents> contents = contents_of(*store);
    if (!contents) {
      return "the store cannot be read: " + contents.error().to_string();
    }
    ++counts.by_store;
    std::string wrong = ledger_.settle(*contents);
    if (!wrong.empty()) {
      return "read from the store: " + wrong;
    }
    const Status closed = store->close();
    return closed ? "" : "close: " + closed.error().to_string();
  }

  std::string root_;
  Ledger ledger_;
  KillDraw draw_;
};

void add(const Ledger& ledger, KillCounts& counts) {
  counts.begun += ledger.counts().begun;
  counts.acknowledged += ledger.counts().acknowledged;
  counts.mutations += ledger.counts().mutations;
  counts.kept += ledger.counts().kept;
  counts.gone += ledger.counts().gone;
}

std::string text_of(const KillCounts& counts, double seconds) {
  std::ostringstream text;
  text << counts.cycles << " cycles in " << static_cast<int>(seconds) << " s: killed while opening "
       << counts.opening << ", writing " << counts.writing << ", flushing " << counts.flushing
       << ", changing tables " << counts.tables << ", and while recovering " << counts.recovering
       << "; checked by files " << counts.by_files << ", by a store " << counts.by_store << "; "
       << counts.begun << " operations begun, " << counts.acknowledged
       << " acknowledged, 0 of them lost; of the others " << counts.kept << " are there, " << counts.gone
       << " are not";
  return text.str();
}

void append_results(const std::string& file, const KillSettings& settings, const KillCounts& counts,
                    double seconds) {
  const bool is_new = !fs::exists(file);
  std::ofstream results(file, std::ios::app);
  if (is_new) {
    results << "seed\tcycles\tseconds\topening\twriting\tflushing\ttables\trecovering\tby_files\tby_"
               "store\tbegun\t"
               "acknowledged\tlost\tmutations\tothers_kept\tothers_gone\n";
  }
  results << settings.seed << "\t" << counts.cycles << "\t" << static_cast<int>(seconds) << "\t"
          << counts.opening << "\t" << counts.writing << "\t" << counts.flushing << "\t" << counts.tables
          << "\t" << counts.recovering << "\t" << counts.by_files << "\t" << counts.by_store << "\t"
          << counts.begun << "\t" << counts.acknowledged << "\t0\t" << counts.mutations << "\t" << counts.kept
          << "\t" << counts.gone << "\n";
}

int run(const KillSettings& settings) {
  std::string folder = (fs::temp_directory_path() / "store-kills-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    std::perror("mkdtemp");
    return 2;
  }
  const Clock::time_point start = Clock::now();
  KillCounts counts;
  std::cout << "seed " << settings.seed << std::endl;
  for (std::size_t first = 0; first < settings.cycles; first += kCyclesOfRoot) {
    const std::string path = folder + "/root";
    fs::remove_all(path);
    KilledRoot root(path, settings.seed + first);
    if (const Status made = root.make(); !made) {
      std::cerr << "store_kills: " << made.error().to_string() << "\n";
      return 2;
    }
    for (std::size_t i = first; i < std::min(first + kCyclesOfRoot, settings.cycles); ++i) {
      const std::string wrong = root.cycle(counts);
      if (!wrong.empty()) {
        std::cerr << "store_kills: seed " << settings.seed << ", cycle " << i << ", " << path << ": " << wrong
                  << "\n";
        return 1;
      }
    }
    add(root.ledger(), counts);
  }
  fs::remove_all(folder);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!settings.results.empty()) {
    append_results(settings.results, settings, counts, seconds);
  }
  std::cout << text_of(counts, seconds) << "\n";
  return 0;
}

}  // namespace
}  // namespace bloomery::store::kills

int main(int argc, char** argv) {
  bloomery::store::kills::KillSettings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--cycles") {
      settings.cycles = std::stoull(argv[i + 1]);
    } else if (option == "--seed") {
      settings.seed = std::stoull(argv[i + 1]);
    } else if (option == "--results") {
      settings.results = argv[i + 1];
    } else {
      std::cerr << "store_kills: unknown option " << option << "\n";
      return 2;
    }
  }
  return bloomery::store::kills::run(settings);
}
