#include "bloomery/filter/window_clock.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>

namespace bloomery {
namespace {

constexpr std::uint64_t kNanosecondsASecond = 1'000'000'000;

std::uint64_t nanoseconds_of(clockid_t clock) {
  std::timespec time{};
  (void)::clock_gettime(clock, &time);  // both clocks exist since Linux 2.6.39
  return static_cast<std::uint64_t>(time.tv_sec) * kNanosecondsASecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Reads the boot id: 32 hexadecimal digits, with dashes between some. Anything else is no id.
std::array<std::byte, 16> read_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  std::erase(text, '-');
  std::array<std::byte, 16> id{};
  if (text.size() != 2 * id.size() || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return id;
  }
  for (std::size_t i = 0; i < id.size(); ++i) {
    id[i] = static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

bool same_boot(const ClockReading& from, const ClockReading& to) {
  return from.boot_id == to.boot_id && from.boot_id != decltype(from.boot_id){};
}

}  // namespace

ClockReading read_machine_clock() {
  static const std::array<std::byte, 16> boot_id = read_boot_id();
  return {.boot_id = boot_id,
          .since_boot_ns = nanoseconds_of(CLOCK_BOOTTIME),
          .wall_ns = static_cast<std::int64_t>(nanoseconds_of(CLOCK_REALTIME))};
}

std::uint64_t elapsed_ns(const ClockReading& from, const ClockReading& to) {
  if (same_boot(from, to)) {
    return to.since_boot_ns - std::min(from.since_boot_ns, to.since_boot_ns);
  }
  // Unsigned subtraction gives the right difference even if it does not fit a signed number.
  return static_cast<std::uint64_t>(std::max(from.wall_ns, to.wall_ns)) -
         static_cast<std::uint64_t>(from.wall_ns);
}

ClockReading later_of(const ClockReading& from, const ClockReading& to) {
  ClockReading later = to;
  later.wall_ns = std::max(from.wall_ns, to.wall_ns);
  if (same_boot(from, to)) {
    later.since_boot_ns = std::max(from.since_boot_ns, to.since_boot_ns);
  }
  return later;
}

}  // namespace bloomery
