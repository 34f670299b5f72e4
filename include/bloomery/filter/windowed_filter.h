// The windowed filter expires old keys. It holds the keys of the last W inserts, or of the last W
// nanoseconds.
//
// Example:
//    const Window window = Window::time(std::chrono::minutes(5));   // in 4 generations of 75 s
//    const std::uint64_t busiest = 1'000'000;                       // keys that may come within 75 s
//    auto nonces = WindowedFilter::for_capacity(busiest * window.generations, 1e-6, {.window = window});
//    const bool is_replay = !nonces->test_and_insert("a nonce");   // seen in the last five minutes
//
//    auto recent = WindowedFilter::for_capacity(0, 0.01, {.window = Window::keys(1'000'000)});
//
// The filter has G + 1 blocked Bloom tables of one shape, in rotation: one receives keys, and G are full.
// The share of a generation is g = ceil(W / G) (window.h). When the current generation has reached its
// share, the oldest table is cleared and becomes the current one.
//
// Guarantee. A key is remembered for at least W after its last insert, and forgotten after (G + 1) g. If G
// divides W this is W and one generation. Inserting a present key renews it. A forgotten key only matches
// as a false positive.
//
//   window     remembered at least                     forgotten
//   by count   through the next W inserts; every       from insert number (G + 1) g on
//              insert counts, repeats too
//   by age     until W after its insert read the       from (G + 1) g on
//              clock
//
// After a merge, the keys of the other filter are remembered for at least W and less than W + 2 g. Our own
// keys are remembered as without the merge.
//
// False positives. A table is sized for ceil(capacity / G) keys (by count: g keys). Its share of the fpp is
//
//   1 - (1 - fpp)^(1/(G+1))
//
// so that with all tables full the filter has at most `fpp`. The filter needs 1 + 1/G times the bits of a
// filter for the window, and a little more because G + 1 tables share the fpp.
//
// By age, capacity = keys of the busiest generation x generations, because keys may arrive unevenly. An
// overfull generation does not make the filter forget early. Instead the fpp rises; over_capacity() and
// current_fpp() report this. If all keys of `capacity` arrive in one of 4 generations, an fpp of 1e-6
// becomes 0.015.
//
// Time (window_clock.h). Within one boot of the machine, a wall clock that jumps changes nothing, neither
// in a process nor from one process to the next through the file. Across a reboot, a wall clock that was
// set back lets no time pass, so keys are remembered longer, never shorter. One that was set forward looks
// like time that passed. A file that is opened after its keys have expired has forgotten them, even if it
// is opened read-only.
//
// Files. The filter can be updated in place. If two processes would rotate one file, the second is refused
// when it opens the file. Others may map and query it meanwhile. From then on they forget only what the
// writer clears, so they remember no shorter than the writer does. With accept_dirty, a file that an
// interrupted update left dirty is opened as if its current generation had just begun. Its clock reading
// may be half old and half new, so earlier time does not count. Keys from before the update are remembered
// at least as long as they would have been. Insert the keys of the update again, as with any filter. A
// read-only opening behaves the same each time.
//
// Threads:
//   - insert, test_and_insert, their batches and advance() acquire one mutex, a batch once. So if several
//     threads call test_and_insert() for one key at once, exactly one of them gets "new".
//   - may_contain, its batch and the other const calls may run concurrently with them. They need no lock
//     and change nothing. Only a call that is overtaken by eight rotations in a row waits for the mutex.
//   - A key whose insert has returned is answered maybe as long as it is remembered, however often the
//     filter rotates meanwhile.
//   - merge(), clear() and moving the filter must run alone. save() may run concurrently with queries.
//
// Cost. A query reads up to G + 1 cache lines, newest first. By age it also reads the clock once (a batch:
// once for 4,096 keys). An insert is one cache line. A rotation clears one table, at the speed of memory,
// in the call in which it is due; advance() lets a caller choose the moment.
//
// By count, the same calls produce the same bytes; by age, they do so with the same clock readings.
//
// Limits: the filter does not expire a single key, expire exactly at W, keep the order of keys, or resist
// keys chosen by someone who knows the seed.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/build_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_calls.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class WindowRing;

// The present state of a generation. Ages are keys inserted, or nanoseconds passed, since an insert into
// the generation. They bound the ages of its keys; keys from a merge may be up to g older.
struct WindowGeneration {
  std::uint64_t keys = 0;  // keys inserted into the generation, repeats included
  std::uint64_t newest_age = 0;
  std::uint64_t oldest_age = 0;
};

class WindowedFilter : public NativeFilter, public TypedCalls<WindowedFilter> {
 public:
  // Inserts are never refused.
  static constexpr bool kMayRefuse = false;

  // Makes an empty filter for `capacity` different keys in options.window, at `fpp`. By count the window is
  // the capacity; pass 0 or its length. Errors: kInvalidArgument of windowed_shape_for_fpp(); kCapacity if
  // the machine lacks the memory.
  static Result<WindowedFilter> for_capacity(std::uint64_t capacity, double fpp,
                                             const FilterOptions& options);
  // Makes a filter and inserts the keys of a range in order; the oldest key must come first. If the window is
  // by count, the last keys are remembered, at least W of them.
  template <std::ranges::input_range Range>
  static Result<WindowedFilter> build(Range&& keys, double fpp, const FilterOptions& options) {
    return build_filter<WindowedFilter>(keys, fpp, options);
  }

  // Opens a filter with the options and errors of BloomFilter::open() and view(). A copy clears expired
  // generations at once by the clock, and a mapping clears them with the first insert. The answers are the
  // same.
  static Result<WindowedFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<WindowedFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes bits has the precondition is_writable().
  //
  // Inserts a key and returns true; this filter never refuses.
  bool insert(const Hash128& hash);
  bool may_contain(const Hash128& hash) const;
  // Inserts or renews a key, and returns whether it was certainly absent.
  TestedInsert test_and_insert(const Hash128& hash);

  // These accept keys of any type (typed_calls.h).
  using TypedCalls::insert;
  using TypedCalls::may_contain;
  using TypedCalls::test_and_insert;

  // Batches, with the answer bitmap of BloomFilter. No key is refused, so the batches that insert return 0.
  // By age, one reading of the clock serves all inserts of a batch.
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Clears the generations that have expired by the clock, as the next insert would. By count this does
  // nothing.
  void advance();

  // Inserts every key of `other`, generation by generation. If the other's current generation is younger
  // than ours, each of its generations is merged into the next younger one of ours, so that no key is
  // forgotten early. Our own keys are not renewed, so repeated merges cannot keep a key for ever. Errors:
  // kInvalidArgument, naming all differences between the plans or the windows.
  Status merge(const WindowedFilter& other);

  const Window& window() const;
  // Returns the shape of each table.
  const BlockedShape& shape() const { return shape_; }
  // Returns the maximal number of different keys that a generation is sized for.
  std::uint64_t generation_capacity() const;
  // Returns all G + 1 generations, the current one first.
  std::vector<WindowGeneration> generations() const;

  // These are computed from the fill of the generations that have not expired; each call reads all their
  // bits once (about 10 GB/s). A key that was renewed may count in several generations.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  // Returns true if a generation clearly has more keys than it is sized for.
  bool over_capacity() const;

 private:
  WindowedFilter(const BlockedShape& shape, std::unique_ptr<FilterBody> body, WindowRing* ring);
  static Result<WindowedFilter> from_body(std::unique_ptr<FilterBody> body, WindowClock clock);
  template <typename Ask>
  [[nodiscard]] bool ask_steadily(Ask ask) const;
  void ask_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::vector<std::uint64_t> live_tables() const;
  double estimated_count(std::uint64_t table) const;

  BlockedShape shape_;
  WindowRing* ring_;  // owned by the body
};

}  // namespace bloomery
