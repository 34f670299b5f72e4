// A windowed filter's file in a key. It is read-only, and forgets as the file itself would.
//
// An answer depends on the bytes and on the clock of the moment alone: it is the answer of a WindowedFilter that opens the file
// at that moment. The bytes never change, so a copy, a replica with the same clock, and a key that was saved and loaded answer
// alike.
//
//   window      forgets
//   by count    nothing more: no keys come
//   by age      the oldest generations, one after the other, until all G + 1 are past; then every answer is no
//   by age, with a clock behind the one that the file was written by     nothing: no time has passed, says window_clock.h
//
// Not here: how time counts (filter/windowed/window_ring.h). Threads: const calls may run together.
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
  // The bytes outlive it, and nobody writes them; their address is a multiple of 64. Precondition: the checksums in the header
  // hold. Errors: kCorruption for a header or payload that no such filter has.
  Status finish(const NativeHeader& header, std::span<const std::byte> file);
  bool is_finished() const { return !payload_.empty(); }

  // The calls below are for a file that is finished.
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                   const ClockReading& now = read_machine_clock()) const;
  // The generations that are not forgotten, and their keys.
  struct Remembered {
    std::uint64_t generations = 0;
    std::uint64_t keys = 0;  // that these were given, repeats included
  };
  Remembered remembered(const ClockReading& now = read_machine_clock()) const;

 private:
  // The generations of age 0 to remembered - 1 are asked.
  std::uint64_t remembered_generations(const ClockReading& now) const;
  std::uint64_t table_of_age(std::uint64_t age) const;

  Window window_;
  BlockedShape shape_;
  std::span<const std::byte> payload_;
  ExceptionTable exceptions_;
};

}  // namespace bloomery
