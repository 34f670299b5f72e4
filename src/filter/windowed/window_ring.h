// The generations of a windowed filter: which table takes keys, which are forgotten, and since when.
//
//    0  kind | 4 generations G | 8 length W | 16 current | 24 progress
//   32  clock reading: boot id 16, since boot 8, wall 8
//   64  keys given to table 0, 1, ... G, 8 each | zeroes to a multiple of 64 | G + 1 tables
//
// `current` is the table that takes keys; the one behind it, round the ring, is the oldest. The current
// generation is `progress` keys, or nanoseconds at the clock reading, into its g. A rotation clears the
// oldest table, makes it the current one, and begins it. By count it happens just before the key that would
// be one too many; by age whenever a writer looks and it is due.
//
// The front stands in the payload itself, as little-endian words, and is brought up to date by every writer,
// so that the payload can be written as it lies at any moment. It is not the truth for readers: `turn_` is.
//
// Readers never change anything. They leave out of the answer what a rotation that is due would clear, so
// they answer alike whether one has happened, whether one can (a mapped file), and beside one. turn_ is twice
// the number of rotations since the opening, and odd while tables are being cleared. Nothing is inserted
// while it is odd and nothing is cleared while it is even; so a no stands when turn_ is what it was before
// the first bit was read. (A key that moves from an old generation to a new one while it is read could
// otherwise be missed in both.)
//
// Time within a process is the boot clock alone; from the file to its opening elapsed_ns() decides. Not here:
// keys and their bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "filter/native/filter_body.h"

namespace bloomery {

class WindowRing : public PayloadFront {
 public:
  // What a reader sees at one moment.
  struct View {
    std::uint64_t turn;
    std::uint64_t current;   // the table that takes keys, or took them before the rotations that are due
    std::uint64_t due;       // 0 to G + 1
    std::uint64_t progress;  // of the generation that is current once these are done
  };

  static constexpr std::uint64_t front_bytes_for(std::uint32_t generations) {
    return 64 + (std::uint64_t{generations} + 8) / 8 * 64;
  }

  // Of a payload of zeroes: writes its front. The window is checked.
  static std::unique_ptr<WindowRing> begun(std::span<std::byte> payload, const Window& window,
                                           WindowClock clock);
  // The window in the front of a payload of any bytes and size. Errors: kCorruption, when anything in the
  // front is what no writer leaves, with its place in the file.
  static Result<Window> window_in(std::span<const std::byte> payload);
  // Of a body whose payload has a front that window_in() accepts and G + 1 tables of one size. Rotates what
  // is due, when it is writable and not a mapping that would copy what is written. A dirty one is taken as
  // having just begun its current generation.
  static std::unique_ptr<WindowRing> resumed(const FilterBody& body, WindowClock clock);

  std::uint64_t byte_size() const override { return front_bytes_for(window_.generations); }
  void clear() override;

  const Window& window() const { return window_; }
  std::uint64_t tables() const { return std::uint64_t{window_.generations} + 1; }
  std::uint64_t table_words() const { return table_words_; }
  std::uint64_t* table(std::uint64_t index) const { return tables_ + index * table_words_; }
  // Keys given to a table since it was cleared.
  std::uint64_t keys(std::uint64_t index) const;

  // For readers: the view of now, and whether no rotation has begun or ended since. Tables of the ages
  // view.due to G are live; an age is counted from when the rotations that are due are done.
  View view() const;
  bool unchanged(const View& view) const;
  std::uint64_t table_of_age(const View& view, std::uint64_t age) const {
    return (view.current + tables() - (age - view.due)) % tables();
  }

  // For writers, who hold the mutex, or the filter alone.
  std::mutex& mutex() const { return mutex_; }
  // The view of writers: nothing is due.
  View held_view() const;
  // Rotates what is due by the clock.
  void advance();
  // How many more keys the current generation takes, after a rotation where it takes none; at least 1.
  std::uint64_t room();
  // Notes keys that went into the current generation, at most room() of them.
  void count_current(std::uint64_t keys);
  // Notes keys that a merge brought into a table.
  void count_merged(std::uint64_t index, std::uint64_t keys);

 private:
  WindowRing(std::span<std::byte> payload, const Window& window, WindowClock clock);
  bool by_age() const { return window_.kind == WindowKind::kAge; }
  std::uint64_t since_origin(std::uint64_t since_boot_ns) const;
  std::uint64_t missing(std::uint64_t turn, std::uint64_t since_boot_ns) const;
  View view_at(std::uint64_t turn, std::uint64_t since_boot_ns) const;
  void rotate(std::uint64_t times);
  std::uint64_t shortest_as(std::uint64_t times) const;
  ClockReading last_reading() const;
  void note(const ClockReading& reading, std::uint64_t progress);

  std::uint64_t* front_;
  std::uint64_t* tables_;
  std::uint64_t table_words_;
  Window window_;
  WindowClock clock_;
  std::uint64_t first_ = 0;  // current when turn_ was 0
  // Whether the clock reading in the front is one of this process, or of a file whose rotations were left to the first
  // writer. Writers alone look at it.
  bool noted_ = true;
  bool doubtful_ = false;        // a dirty file that is only read: its progress is taken as 0
  std::uint64_t origin_ns_ = 0;  // of the boot clock, when the generation of turn_ = 0 began; modulo 2^64
  std::atomic<std::uint64_t> turn_{0};
  mutable std::mutex mutex_;
};

}  // namespace bloomery
