// Allocations that fail, for a program that replaces operator new (tests/store/allocation_test.cc): the n-th
// one of a thread while the fault is on, once or from then on.
//
// The simulated disk is the machine and not the process. So under its mutex no allocation is counted.
#pragma once

#include <cstdint>
#include <mutex>

namespace bloomery::store::sim {

struct AllocationFault {
  bool is_on = false;
  int pauses = 0;
  std::uint64_t fails_at = 0;  // from 1 on; 0: never
  bool is_forever = false;
  std::uint64_t count = 0;

  bool has_failed() const { return fails_at != 0 && count >= fails_at; }
  // Counts an allocation. Returns true if it is to fail.
  bool refuses() {
    if (!is_on || pauses > 0) {
      return false;
    }
    ++count;
    return is_forever ? has_failed() : count == fails_at;
  }
};

inline thread_local AllocationFault allocation_fault;

class MachineMutex {
 public:
  void lock() {
    mutex_.lock();
    ++allocation_fault.pauses;
  }
  void unlock() {
    --allocation_fault.pauses;
    mutex_.unlock();
  }

 private:
  std::recursive_mutex mutex_;
};

}  // namespace bloomery::store::sim
