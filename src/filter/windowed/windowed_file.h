// A windowed filter's file in a server's key. It is read-only, and forgets as the file itself would.
//
// An answer depends only on the bytes and on the present time: it is the answer of a WindowedFilter that
// opens the file at that moment. The bytes never change, so a copy, a replica with the same clock, and a key
// that was saved and loaded return the same answers.
//
//   window      forgets
//   by count    nothing more: no keys are inserted
//   by age      the oldest generations, one after the other, until all G + 1 are past and every answer is no;
//               nothing while the clock is earlier than the writer's (window_clock.h: no time has passed)
//
// Not here: the measurement of time (filter/windowed/window_ring.h). Threads: const calls may run together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/exception_table.h"
#include "filter/native/native_header.h"

namespace bloomery {

class WindowedFile {
 public:
  // Precondition: the bytes outlive it and never change, their address is a multiple of 64, and the checksums
  // in the header are right. Errors: kCorruption for a header or payload that is invalid for the type.
  Status finish(const NativeHeader& header, std::span<const std::byte> file);
  bool is_finished() const { return !payload_.empty(); }

  // Precondition of the calls below: is_finished().
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                   const ClockReading& now = read_machine_clock()) const;
  // The generations that are not forgotten, and their keys.
  struct Remembered {
    std::uint64_t generations = 0;
    std::uint64_t keys = 0;  // inserted into these, repeats included
  };
  Remembered remembered(const ClockReading& now = read_machine_clock()) const;

 private:
  // Queries read the generations of age 0 to remembered_generations() - 1.
  std::uint64_t remembered_generations(const ClockReading& now) const;
  std::uint64_t table_of_age(std::uint64_t age) const;

  Window window_;
  BlockedShape shape_;
  std::span<const std::byte> payload_;
  ExceptionTable exceptions_;
};

}  // namespace bloomery
