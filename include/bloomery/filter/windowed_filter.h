// The windowed filter: it forgets. Keys of the last W inserts, or of the last W nanoseconds, are in.
//
//   const Window window = Window::time(std::chrono::minutes(5));
//   auto nonces = WindowedFilter::for_capacity(1'000'000, 1e-6, {.window = window});
//   if (!nonces->test_and_insert(nonce)) { ... }   // a replay: seen in the last five minutes
//
//   auto recent = WindowedFilter::for_capacity(0, 0.01, {.window = Window::keys(1'000'000)});
//
// G + 1 blocked Bloom tables of one shape, in rotation: one takes keys, G are full. When the current
// generation has had its share g = ceil(W / G) the oldest is cleared and becomes the current one (window.h).
//
// Guarantee. A key is remembered for at least W after its last insert, and forgotten after (G + 1) g, which
// is W and one generation where G divides W:
//
//   by count   through the next W inserts at least; from the (G + 1) g th on it is forgotten. Every insert
//              counts, repeats too.
//   by age     until W after the call that inserted it looked at the clock, at least; from (G + 1) g on it is
//              forgotten.
//
// Forgotten means: matched by chance only. An insert of a key that is in renews it. After a merge the keys of
// the other filter are remembered for at least W and less than W + 2 g; ours as without the merge.
//
// False positives. A table is sized for ceil(capacity / G) keys (by count, g) at 1 - (1 - fpp)^(1/(G+1)), so
// with all of them full the filter has at most `fpp`. Nothing is forgotten early because a generation is
// overfull: fpp rises then, over_capacity() and current_fpp() tell. 1 + 1/G times the bits of a filter for
// the window and a little for the fpp that G + 1 tables share.
//
// Time. window_clock.h: within one boot of the machine, in a process and from one to the next through the
// file, a wall clock that jumps changes nothing. Over a boot, one that was set back lets no time pass
// (remembered longer, never shorter); one that was set forward cannot be told from time that passed. A file
// that is opened after its keys' time, also read-only, has forgotten them.
//
// Files. Update in place works: the second of two processes that would rotate one file is refused at its
// opening. Of a file that an interrupted update left dirty, opened with accept_dirty, the current generation
// is taken as having just begun, when it is opened: its clock reading may be half of one, so no time counts
// before. Keys of before the update are remembered at least as long as they would have been. What the update
// inserted should be inserted again, as in any filter. A read-only opening takes it so each time.
//
// Threads: insert, test_and_insert, their batches and advance() take one mutex, a batch once; so exactly one
// of several concurrent test_and_insert() calls for one key hears "new". may_contain, its batch and the other
// const calls run beside them: they take no lock, and change nothing; only one that is overtaken by eight
// rotations in a row waits for the mutex. A key whose insert has returned answers maybe as long as it is
// remembered, whatever is rotated meanwhile. merge(), clear() and moving the filter need it alone; save()
// may run beside queries.
//
// Cost: a query looks at up to G + 1 cache lines, newest first, and by age at the clock once (a batch, once
// for 4,096 keys). An insert is one cache line. A rotation clears one table, at the speed of memory, in the
// call that finds it due; advance() lets a caller choose the moment. By count the same calls give the same
// bytes; by age with the same clock readings.
//
// What it does not do: forget a single key, forget exactly at W, keep the order of keys, or resist keys
// chosen by someone who knows the seed.
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
#include "bloomery/filter/typed_view.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class WindowRing;

// A generation as it stands. Ages are keys inserted, or nanoseconds passed, since an insert into it: the
// newest and the oldest that are possible (from keys that a merge brought, up to g more).
struct WindowGeneration {
  std::uint64_t keys = 0;  // given to it, repeats included
  std::uint64_t newest_age = 0;
  std::uint64_t oldest_age = 0;
};

class WindowedFilter : public NativeFilter, public TypedViews<WindowedFilter> {
 public:
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = false;

  // An empty filter for `capacity` different keys in options.window, at `fpp`. By count the capacity is the
  // window itself: 0 or its length. Errors: windowed_shape_for_fpp(); kCapacity when the machine lacks the
  // memory.
  static Result<WindowedFilter> for_capacity(std::uint64_t capacity, double fpp,
                                             const FilterOptions& options);
  // A filter of all keys of a range, the oldest first. By count the window decides how many of them are
  // remembered.
  template <std::ranges::input_range Range>
  static Result<WindowedFilter> build(Range&& keys, double fpp, const FilterOptions& options) {
    return build_filter<WindowedFilter>(keys, fpp, options);
  }

  // As BloomFilter::open() and view(). What is due by the clock is forgotten at once by a copy, and by a
  // mapping with the first insert; answers are the same.
  static Result<WindowedFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<WindowedFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes bits: is_writable().
  //
  // Never refuses: true.
  bool insert(const Hash128& hash);
  bool may_contain(const Hash128& hash) const;
  // Inserts, or renews, and returns whether the key was certainly not in.
  TestedInsert test_and_insert(const Hash128& hash);

  // Keys of any type that append_key() knows. Precondition: the hash is not kReadyDigest.
  template <Key K>
  bool insert(const K& key) {
    return insert(hash(key));
  }
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash(key));
  }
  template <Key K>
  TestedInsert test_and_insert(const K& key) {
    return test_and_insert(hash(key));
  }

  // Batches; answers as in BloomFilter, none is refused. By age one look at the clock stands for all inserts
  // of a batch.
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Clears now what is due by the clock, which the next insert would do. By count nothing ever is.
  void advance();

  // Adds every key of `other`, generation to generation; where its current one is younger than ours each
  // goes into the next younger of ours, so that none is forgotten early. Ours are not held back: merging
  // again and again keeps nothing for ever. Errors: kInvalidArgument, naming all that differs between the
  // plans or the windows.
  Status merge(const WindowedFilter& other);

  const Window& window() const;
  // Of each table.
  const BlockedShape& shape() const { return shape_; }
  // The most different keys that a generation is sized for.
  std::uint64_t generation_capacity() const;
  // All G + 1, the current one first.
  std::vector<WindowGeneration> generations() const;

  // Of the generations that are not forgotten, from their fill; each reads all bits once (about 10 GB/s). A
  // key that was renewed may count in several.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  // A generation has clearly more keys than it is sized for.
  bool over_capacity() const;

 private:
  WindowedFilter(const BlockedShape& shape, std::unique_ptr<FilterBody> body, WindowRing* ring);
  static Result<WindowedFilter> from_body(std::unique_ptr<FilterBody> body, WindowClock clock);
  template <typename Ask>
  void ask_steadily(Ask ask) const;
  void ask_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::vector<std::uint64_t> live_tables() const;
  double estimated_count(std::uint64_t table) const;

  BlockedShape shape_;
  WindowRing* ring_;  // in the body
};

}  // namespace bloomery
