#include "fuzz/mutation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define BLOOMERY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOOMERY_ASAN 1
#endif
#endif
#ifdef BLOOMERY_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace bloomery::fuzz {
namespace {

[[maybe_unused]] constexpr long kMostResidentKilobytes =
    512 * 1000L;  // not under AddressSanitizer, which takes more
[[maybe_unused]] constexpr rlim_t kMostAddressBytes = rlim_t{4} << 30;
constexpr int kMostSeconds = 10;

// The input that is tried, for a handler of signals.
struct Tried {
  const char* format = "";
  std::uint64_t seed = 0;
  std::uint64_t number = 0;
  const char* bytes = nullptr;
  std::size_t size = 0;
};
Tried tried;
std::atomic<std::uint64_t> last_ticked{~std::uint64_t{0}};
std::atomic<int> ticks{0};

void write_text(const char* text) {
  const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  (void)ignored;
}

// Only what a handler may call, but for snprintf, whose numbers allocate nothing.
void save_input(const char* why) {
  char name[200];
  std::snprintf(name, sizeof name, "mutate_%s-%llu-%llu.bin", tried.format,
                static_cast<unsigned long long>(tried.seed), static_cast<unsigned long long>(tried.number));
  char line[400];
  std::snprintf(line, sizeof line, "\nmutate_%s: %s: --seed %llu --from %llu --count 1; bytes in %s\n",
                tried.format, why, static_cast<unsigned long long>(tried.seed),
                static_cast<unsigned long long>(tried.number), name);
  write_text(line);
  const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    const ssize_t ignored = ::write(file, tried.bytes, tried.size);
    (void)ignored;
    ::close(file);
  }
}

[[noreturn]] void fail(const char* why) {
  save_input(why);
  std::_Exit(1);
}

void on_signal(int number) {
  if (number != SIGPROF) {
    fail(number == SIGABRT ? "aborted" : "crashed");
  }
  if (last_ticked.exchange(tried.number) != tried.number) {
    ticks = 0;
  } else if (++ticks >= kMostSeconds) {
    fail("takes more than 10 seconds");
  }
}

// Forgets how much was resident while the seeds were made, where the system lets it.
void reset_most_resident() {
  const int file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t ignored = ::write(file, "5", 1);
    (void)ignored;
    ::close(file);
  }
}

void watch() {
  reset_most_resident();
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
  const itimerval second{.it_interval = {.tv_sec = 1, .tv_usec = 0}, .it_value = {.tv_sec = 1, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &second, nullptr);  // of the processor's time: a busy machine changes nothing
#ifdef BLOOMERY_ASAN
  __sanitizer_set_death_callback([] { save_input("a sanitizer's finding"); });
#else
  const rlimit limit{.rlim_cur = kMostAddressBytes, .rlim_max = kMostAddressBytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

void check_memory() {
#ifndef BLOOMERY_ASAN
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > kMostResidentKilobytes) {
    fail("takes more than 512 MB");
  }
#endif
}

void try_input(const Mutator& mutator, const std::string& bytes) {
  tried.bytes = bytes.data();
  tried.size = bytes.size();
  mutator.ask(bytes);
  check_memory();
}

struct Options {
  double seconds = 10;
  std::uint64_t count = ~std::uint64_t{0};
  std::uint64_t seed = 0;
  std::uint64_t from = 0;
  std::string input = {};
};

Options parse(int argc, char** argv) {
  Options options{.seed = std::random_device()()};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seconds") {
      options.seconds = std::strtod(argv[i + 1], nullptr);
    } else if (name == "--count") {
      options.count = std::strtoull(argv[i + 1], nullptr, 10);
      options.seconds = 1e9;
    } else if (name == "--seed") {
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--from") {
      options.from = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--input") {
      options.input = argv[i + 1];
    } else {
      std::fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
      std::exit(2);
    }
  }
  return options;
}

void change_number_in(Random& random, std::string& bytes) {
  const std::size_t width = std::min<std::size_t>(std::size_t{1} << random.below(4), bytes.size());
  const std::size_t at = random.below(bytes.size() - width + 1);
  const bool big = random.one_in(2);
  const auto place = [&](std::size_t i) -> char& { return bytes[at + (big ? width - 1 - i : i)]; };
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(place(i))} << (8 * i);
  }
  value = changed_number(random, value);
  for (std::size_t i = 0; i < width; ++i) {
    place(i) = static_cast<char>(value >> (8 * i));
  }
}

}  // namespace

std::uint64_t changed_number(Random& random, std::uint64_t value) {
  switch (random.below(8)) {
    case 0:
      return value + 1;
    case 1:
      return value - 1;
    case 2:
      return 0;
    case 3:
      return ~std::uint64_t{0} >> random.below(64);
    case 4:
      return std::uint64_t{1} << random.below(64);
    case 5:
      return value ^ std::uint64_t{1} << random.below(64);
    case 6:
      return random.below(300);
    default:
      return random.next() >> random.below(64);
  }
}

void change_bytes(Random& random, std::string& bytes) {
  constexpr std::size_t kMostGrown = std::size_t{1} << 16;
  const std::size_t kind = random.below(16);
  if (bytes.empty() || kind == 0) {
    bytes.insert(random.below(bytes.size() + 1), random.below(20), static_cast<char>(random.next()));
    return;
  }
  if (kind < 9) {
    change_number_in(random, bytes);
    return;
  }
  const std::size_t begin = random.below(bytes.size());
  const std::size_t size = 1 + random.below(std::min<std::size_t>(bytes.size() - begin, 64));
  switch (kind) {
    case 9:
      bytes.resize(begin);
      break;
    case 10:
      bytes.erase(begin, size);
      break;
    case 11:
      if (bytes.size() < kMostGrown) {
        bytes.insert(begin, bytes.substr(begin, size));
      }
      break;
    case 12: {
      const std::size_t other = random.below(bytes.size());
      std::swap(bytes[begin], bytes[other]);
      break;
    }
    case 13:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), size, random.one_in(2) ? '\0' : '\xff');
      break;
    case 14:
      bytes.clear();
      break;
    default:
      bytes[begin] = static_cast<char>(random.next());
  }
}

void require(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

int run_mutator(int argc, char** argv, const Mutator& mutator) {
  const Options options = parse(argc, argv);
  tried.format = mutator.name;
  tried.seed = options.seed;
  if (!options.input.empty()) {
    std::ifstream file(options.input, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    watch();
    try_input(mutator, bytes);
    return 0;
  }
  Random warm_up(0, 0);
  (void)mutator.make(warm_up);  // makes the seeds, which may take more than an input
  watch();
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::uint64_t done = 0;
  for (; done < options.count && (done % 64 != 0 || seconds() < options.seconds); ++done) {
    tried.number = options.from + done;
    tried.size = 0;
    Random random(options.seed, tried.number);
    try_input(mutator, mutator.make(random));
  }
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("mutate_%s: %llu inputs, seed %llu, %.0f seconds, at most %ld MB resident, 0 failures\n",
              mutator.name, static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(options.seed), seconds(), usage.ru_maxrss / 1000);
  return 0;
}

}  // namespace bloomery::fuzz
