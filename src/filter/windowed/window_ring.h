// The generations of a windowed filter: which table receives keys, which tables are forgotten, and since
// when.
//
//    offset of the payload
//       0   kind (4 bytes), generations G (4)
//       8   length W
//      16   current
//      24   progress
//      32   clock reading: boot id (16 bytes), time since boot (8), wall time (8)
//      64   keys inserted into table 0, 1, ... G (8 bytes each), zeroes to a multiple of 64
//           G + 1 tables
//
//    the ring with G = 3 and current = 2; the next rotation clears table 3 and makes it the current one
//
//       table      0          1          2          3
//       age        2          1          0          3, the oldest
//
// `current` is the table that receives keys. The next one round the ring is the oldest. The `progress` of the
// current generation is its number of inserted keys, or its age in nanoseconds at the clock reading. A
// rotation clears the oldest table and makes it the current one, which begins a new generation. By count it
// happens just before the key that would be one too many. By age it happens when a writer finds it due.
//
// The front is in the payload itself, as little-endian words. Every writer keeps it up to date, so the
// payload can be saved unchanged at any moment. Readers rely on `turn_`, not on the front.
//
// Readers never change anything. They skip the tables that a due rotation would clear. So their answers are
// the same before, during and after the rotation, and if it is impossible (a mapped file).
//
// `turn_` is twice the number of rotations since the opening, and odd while tables are being cleared. Nothing
// is inserted while it is odd, and nothing is cleared while it is even. So a no holds if turn_ has not
// changed since before the first bit was read. Without this rule a key that moves from an old generation to a
// new one during the query could be missed in both.
//
// Other processes. A reader may map a file that another process updates in place. Its ring then follows the
// file:
//
//    1. It skips no table. A table that is due by the clock may have been cleared already and contain new
//       keys.
//    2. It queries all tables, and compares `current`, the turn of the file and the header before and after.
//       The writer changes one of them before it clears a table. So a no holds if none of them has changed.
//    3. If too many rotations overtake it, it answers maybe.
//
// The turn of the file is the word of the time since boot. By age it grows with each rotation anyway. By
// count a clean file has 0 there, and while a file is updated in place the word counts rotations. The header
// distinguishes one update from the next. HeaderWatch detects a writer and reads these words of the file; the
// ring follows from then on, until the file is opened again.
//
// Within a process, time is only the boot clock. elapsed_ns() computes the time between the file's clock
// reading and its opening. Not here: keys and their bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "filter/native/filter_body.h"

namespace bloomery {

class WindowRing : public PayloadFront {
 public:
  // The state that a reader sees at one moment.
  struct View {
    std::uint64_t turn;
    std::uint64_t current;           // the table that receives keys, or did before the due rotations
    std::uint64_t due;               // rotations that are due, 0 to G + 1
    std::uint64_t progress;          // progress of the generation that is current after them
    bool follows = false;            // another process rotates the tables
    std::uint64_t file_current = 0;  // if it follows: the two words of the file that a rotation changes
    std::uint64_t file_turn = 0;
    HeaderWatch::Stamp header = {};
  };

  static constexpr std::uint64_t front_bytes_for(std::uint32_t generations) {
    return 64 + (std::uint64_t{generations} + 8) / 8 * 64;
  }

  // Begins a ring in a payload of zeroes, and writes its front. Precondition: the window was checked.
  static std::unique_ptr<WindowRing> begun(std::span<std::byte> payload, const Window& window,
                                           WindowClock clock);
  // The state of a front: settled if no update in place is running or was interrupted.
  enum class Front { kSettled, kUnsettled };
  // Returns the window in the front of a payload of any bytes and size. Errors: kCorruption, with the offset
  // in the file, if no writer would have left such a front.
  static Result<Window> window_in(std::span<const std::byte> payload, Front front = Front::kSettled);
  // Returns the state of a body's front.
  static Front front_of(const FilterBody& body) {
    return body.header.dirty || body.is_updated_by_others() ? Front::kUnsettled : Front::kSettled;
  }
  // Continues the ring of a body. Precondition: window_in() accepts its front, and G + 1 tables of one size
  // follow. Does the due rotations if the body is writable and not a copy-on-write mapping. The current
  // generation of a dirty file counts as just begun.
  static std::unique_ptr<WindowRing> resumed(const FilterBody& body, WindowClock clock);

  // For readers of an immutable payload, without a ring. Precondition: window_in() returned `window`, and the
  // address is a multiple of 8.
  //
  // Returns the rotations that are due at `now`, at most G + 1: as many tables, the oldest first, are
  // forgotten. The result equals view().due of a ring that resumes at `now` without writing.
  static std::uint64_t due_in(std::span<const std::byte> payload, const Window& window,
                              const ClockReading& now);
  // The state of the rotations that were done, from the front.
  struct Rotated {
    std::uint64_t current;                // table i steps before it, modulo G + 1, has age i
    std::span<const std::uint64_t> keys;  // inserted into each table
  };
  static Rotated rotated_in(std::span<const std::byte> payload, const Window& window);

  std::uint64_t byte_size() const override { return front_bytes_for(window_.generations); }
  void clear() override;
  std::vector<std::byte> image() const override;
  void settle() override;

  const Window& window() const { return window_; }
  std::uint64_t tables() const { return std::uint64_t{window_.generations} + 1; }
  std::uint64_t table_words() const { return table_words_; }
  std::uint64_t* table(std::uint64_t index) const { return tables_ + index * table_words_; }
  // Returns the keys inserted into a table since it was cleared.
  std::uint64_t keys(std::uint64_t index) const;

  // For readers: view() returns the present view, and unchanged() true if no rotation has begun or ended
  // since. Tables of the ages view.due to G are live. Ages count from the moment when the due rotations are
  // done.
  View view() const;
  bool unchanged(const View& view) const;
  // Returns true if another process updates the file, or has done so since it was opened.
  bool follows() const;
  std::uint64_t table_of_age(const View& view, std::uint64_t age) const {
    return (view.current + tables() - (age - view.due)) % tables();
  }

  // For writers, which hold the mutex or have exclusive use of the filter.
  std::mutex& mutex() const { return mutex_; }
  // Returns the view of writers, for whom no rotation is due.
  View held_view() const;
  // Does the rotations that are due by the clock.
  void advance();
  // Returns how many more keys the current generation accepts, at least 1. Rotates first if it is full.
  std::uint64_t room();
  // Counts keys that were inserted into the current generation, at most room() of them.
  void count_current(std::uint64_t keys);
  // Counts keys that a merge added to a table.
  void count_merged(std::uint64_t index, std::uint64_t keys);

 private:
  WindowRing(std::span<std::byte> payload, const Window& window, WindowClock clock);
  bool by_age() const { return window_.kind == WindowKind::kAge; }
  std::uint64_t file_word(std::size_t word) const;
  std::uint64_t since_origin(std::uint64_t since_boot_ns) const;
  std::uint64_t missing(std::uint64_t turn, std::uint64_t since_boot_ns) const;
  View view_at(std::uint64_t turn, std::uint64_t since_boot_ns) const;
  void rotate(std::uint64_t times);
  void note(const ClockReading& reading, std::uint64_t progress);

  std::uint64_t* front_;
  std::uint64_t* tables_;
  std::uint64_t table_words_;
  Window window_;
  WindowClock clock_;
  std::uint64_t first_ = 0;  // the current table when turn_ was 0
  // True if this process wrote the clock reading in the front. It is false for a file whose rotations are
  // left to the first writer. Only writers use it.
  bool noted_ = true;
  bool doubtful_ = false;  // a dirty file that is only read: its progress counts as 0
  bool shared_ = false;    // the file is updated in place, and other processes may read it
  HeaderWatch watch_;
  mutable std::atomic<bool> follows_{false};
  std::uint64_t origin_ns_ = 0;  // boot clock when the generation of turn_ = 0 began, modulo 2^64
  std::atomic<std::uint64_t> turn_{0};
  mutable std::mutex mutex_;
};

}  // namespace bloomery
