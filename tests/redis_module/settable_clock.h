// A server's wall clock that a test sets. It takes effect in servers that are started while the object exists.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/base/test_folder.h"

namespace bloomery {

class SettableClock {
 public:
  explicit SettableClock(const TestFolder& folder) {
    const std::string path = folder.path("clock");
    std::ofstream(path, std::ios::binary) << std::string(sizeof(std::int64_t), '\0');
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    offset_us_ = static_cast<std::int64_t*>(
        ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
    ::setenv("BLOOMERY_CLOCK", path.c_str(), 1);
    ::setenv("LD_PRELOAD", BLOOMERY_SET_CLOCK, 1);
  }
  SettableClock(const SettableClock&) = delete;
  SettableClock& operator=(const SettableClock&) = delete;
  ~SettableClock() {
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("BLOOMERY_CLOCK");
    ::munmap(offset_us_, sizeof(std::int64_t));
  }

  // Sets the clock forward, or back if the time is below 0.
  void step(std::chrono::microseconds time) {
    __atomic_fetch_add(offset_us_, time.count(), __ATOMIC_ACQ_REL);
  }

 private:
  std::int64_t* offset_us_;
};

}  // namespace bloomery
