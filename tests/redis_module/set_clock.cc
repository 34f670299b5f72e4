// Preloaded into a server, this sets its wall clock (settable_clock.h): it adds to it as many microseconds as the file that
// BLOOMERY_CLOCK names says. The clocks that nobody can set stay as they are.
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;
constexpr std::int64_t kNsPerUs = 1'000;

std::int64_t read_offset_us() {
  static const std::int64_t* const offset = [] {
    const char* const path = std::getenv("BLOOMERY_CLOCK");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    void* const bytes =
        file < 0 ? MAP_FAILED : ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    return bytes == MAP_FAILED ? nullptr : static_cast<const std::int64_t*>(bytes);
  }();
  return offset == nullptr ? 0 : __atomic_load_n(offset, __ATOMIC_ACQUIRE);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names and words of the C library
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  using Call = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    const std::int64_t us = time->tv_sec * kUsPerSecond + time->tv_nsec / kNsPerUs + read_offset_us();
    time->tv_sec = us / kUsPerSecond;
    time->tv_nsec = us % kUsPerSecond * kNsPerUs;
  }
  return result;
}

extern "C" __attribute__((visibility("default"))) int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / kNsPerUs;
  return result;
}
// NOLINTEND(readability-identifier-naming)
