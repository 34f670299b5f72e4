// A server that answers every signed request once, also when an attacker sends it again.
//
// A request carries a nonce and the time at which it was made, both signed. The server refuses a request that
// is too old by its own time, and one whose nonce it has seen. It must remember a nonce only as long as its
// request would still pass by its time. So a window of some minutes is always enough.
//
//   tolerance + skew    how long a request can pass after it was first seen, if its client's clock is ahead
//   W                   the window, a little longer, because a thread looks at the clock before it looks at
//                       the filter
//
// The program simulates twenty minutes of requests on a clock of its own. The attacker sees every tenth
// honest request and sends it again. Threads take the requests of a second in any order.
//
// Exit status: 0 all claims hold; 1 a replay was answered, or more requests were refused than the fpp allows.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bloomery/filter/windowed_filter.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

namespace {

using bloomery::WindowedFilter;

constexpr std::int64_t kTolerance = 300;  // seconds; a request may be so old
constexpr std::int64_t kSkew = 30;        // seconds; a client's clock may be so far ahead
constexpr std::int64_t kWindow = 360;     // seconds; W, more than the two together
constexpr std::int64_t kSeconds = 1200;
constexpr std::uint64_t kPerSecond = 1000;
constexpr std::uint64_t kNonces = kPerSecond * kSeconds;
constexpr double kFpp = 1e-5;
constexpr int kThreads = 4;

enum Kind { kHonest, kAtOnce, kLater, kTooLate, kKinds };
constexpr std::array<const char*, kKinds> kKindNames = {
    "first requests", "replays at once", "replays 1 to 260 s later", "replays 400 to 700 s later"};

struct Request {
  std::uint64_t nonce = 0;  // its number; nonce_bytes() makes the 16 bytes that the server sees
  std::int64_t made_at = 0;
  Kind kind = kHonest;
};

struct Tally {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> seen{0};       // refused because of the nonce
  std::atomic<std::uint64_t> too_old{0};    // refused because of the time
  std::atomic<std::uint64_t> forgotten{0};  // among too_old: those that the filter no longer has
  std::atomic<std::uint64_t> answered{0};
};

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Returns 16 pseudorandom bytes in place of those that a client would draw.
std::pair<std::uint64_t, std::uint64_t> nonce_bytes(std::uint64_t number) {
  return {mixed(2 * number + 1), mixed(2 * number + 2)};
}

// ---- the server

class Server {
 public:
  explicit Server(WindowedFilter nonces, const std::atomic<std::int64_t>& now)
      : nonces_(std::move(nonces)), now_(now) {}

  // Returns whether the request is answered. Any number of threads may call it.
  bool answer(const Request& request, Tally& tally) {
    const auto nonce = nonces_.hash(nonce_bytes(request.nonce));
    const std::int64_t age = now_ - request.made_at;
    if (age > kTolerance || age < -kSkew) {
      ++tally.too_old;
      tally.forgotten += nonces_.may_contain(nonce) ? 0U : 1U;
      return false;
    }
    // may_contain() refuses a nonce that was seen already, without a lock and without renewing the nonce. If
    // several threads have the same new nonce at once, test_and_insert() is true for exactly one of them.
    if (nonces_.may_contain(nonce) || !nonces_.test_and_insert(nonce)) {
      ++tally.seen;
      return false;
    }
    return true;
  }

  const WindowedFilter& nonces() const { return nonces_; }

 private:
  WindowedFilter nonces_;
  const std::atomic<std::int64_t>& now_;
};

// ---- the world

// Returns the requests of each second.
std::vector<std::vector<Request>> timetable() {
  std::vector<std::vector<Request>> seconds(kSeconds);
  const auto send = [&](std::int64_t second, const Request& request, Kind kind) {
    if (second < kSeconds) {
      seconds[static_cast<std::size_t>(second)].push_back(
          {.nonce = request.nonce, .made_at = request.made_at, .kind = kind});
    }
  };
  for (std::uint64_t nonce = 0; nonce < kNonces; ++nonce) {
    const auto second = static_cast<std::int64_t>(nonce / kPerSecond);
    const std::uint64_t chance = mixed(nonce + 77);
    // The clients' clocks are up to 20 seconds behind and up to 30 ahead.
    const Request request{.nonce = nonce, .made_at = second - 20 + static_cast<std::int64_t>(chance % 51)};
    send(second, request, kHonest);
    const auto delay = static_cast<std::int64_t>(chance >> 32);
    if (nonce % 30 == 0) {
      send(second, request, kAtOnce);
      send(second, request, kAtOnce);
    } else if (nonce % 30 == 10) {
      send(second + 1 + delay % 260, request, kLater);
    } else if (nonce % 30 == 20) {
      send(second + 400 + delay % 301, request, kTooLate);
    }
  }
  return seconds;
}

struct Outcome {
  std::array<Tally, kKinds> tallies;
  std::vector<std::atomic<std::uint8_t>> answers = std::vector<std::atomic<std::uint8_t>>(kNonces);
};

// Runs all seconds. The threads share the requests of each second.
void run_time(Server& server, const std::vector<std::vector<Request>>& seconds,
              std::atomic<std::int64_t>& now, Outcome& outcome) {
  std::atomic<std::size_t> next = 0;
  std::barrier all_done(kThreads, [&]() noexcept {
    next = 0;
    ++now;
  });
  const auto work = [&] {
    for (const std::vector<Request>& requests : seconds) {
      for (std::size_t i = next++; i < requests.size(); i = next++) {
        Tally& tally = outcome.tallies[requests[i].kind];
        ++tally.sent;
        if (server.answer(requests[i], tally)) {
          ++tally.answered;
          ++outcome.answers[requests[i].nonce];
        }
      }
      all_done.arrive_and_wait();
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(work);
  }
}

void print_table(const Outcome& outcome) {
  std::printf("%-28s %10s %10s %10s %10s\n", "", "sent", "answered", "nonce seen", "too old");
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Tally& tally = outcome.tallies[kind];
    std::printf("%-28s %10lu %10lu %10lu %10lu\n", kKindNames[kind], tally.sent.load(), tally.answered.load(),
                tally.seen.load(), tally.too_old.load());
  }
}

bool claim(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "replay-protection: %s\n", what);
  }
  return holds;
}

// Prints the results. Returns whether all claims hold.
bool judge(const Outcome& outcome, const Server& server) {
  std::uint64_t twice = 0;
  std::uint64_t never = 0;
  for (const auto& answers : outcome.answers) {
    twice += answers > 1 ? 1U : 0U;
    never += answers == 0 ? 1U : 0U;
  }
  const Tally& late = outcome.tallies[kTooLate];
  std::printf("\nnonces answered twice        %10lu of %lu\n", twice, kNonces);
  std::printf("nonces never answered        %10lu by mistake, %.1e of all; the filter's fpp is %.0e\n", never,
              static_cast<double>(never) / kNonces, kFpp);
  std::printf(
      "forgotten by the filter      %10lu of the %lu replays that were too old: their time refuses them\n",
      late.forgotten.load(), late.too_old.load());
  const std::uint64_t remembered = kPerSecond * kWindow;
  std::printf("\nmemory, for %lu nonces in a window\n", remembered);
  std::printf("  the filter                 %10lu bytes, %.1f bits a nonce\n", server.nonces().byte_size(),
              static_cast<double>(server.nonces().byte_size()) * 8 / static_cast<double>(remembered));
  std::printf("  a table of nonces          %10lu bytes, calculated: 16 and a time of 8, at half load\n",
              remembered * 48);
  const std::uint64_t late_answers = outcome.tallies[kLater].answered + late.answered;
  const bool claims[] = {
      claim(twice == 0, "expected no nonce to be answered twice"),
      claim(late_answers == 0, "expected no later replay to be answered"),
      claim(static_cast<double>(never) <= 3 * kFpp * kNonces,
            "expected no more mistakes than the fpp allows"),
      claim(late.forgotten > 0, "expected the filter to have forgotten what is too old"),
      claim(server.nonces().byte_size() * 6 < remembered * 48, "expected a sixth of a table's memory")};
  return std::ranges::all_of(claims, [](bool holds) { return holds; });
}

}  // namespace

int main() {
  std::atomic<std::int64_t> now = 0;
  const auto clock = [&now] {
    const std::int64_t ns = now * 1'000'000'000;
    return bloomery::ClockReading{
        .boot_id = {std::byte{1}}, .since_boot_ns = static_cast<std::uint64_t>(ns), .wall_ns = ns};
  };
  const bloomery::WindowClock read_clock = clock;
  auto nonces = WindowedFilter::for_capacity(
      kPerSecond * kWindow, kFpp,
      {.window = bloomery::Window::time(std::chrono::seconds(kWindow)), .clock = &read_clock});
  if (!nonces) {
    std::fprintf(stderr, "replay-protection: %s\n", nonces.error().to_string().c_str());
    return 1;
  }
  std::printf(
      "%ld minutes, %lu requests a second, %d threads; a request may be %ld s old and %ld s ahead;\n"
      "nonces are remembered for %ld s at least\n\n",
      kSeconds / 60, kPerSecond, kThreads, kTolerance, kSkew, kWindow);
  Server server(std::move(*nonces), now);
  Outcome outcome;
  run_time(server, timetable(), now, outcome);
  print_table(outcome);
  return judge(outcome, server) ? 0 : 1;
}
