// The side table of a filter: hashes of keys that it matches although they are known not to be in it
// ("exceptions"). Looked at only after a positive, with both words of the hash.
//
//   entry | entry | ...     of 16 bytes: low word, high word, little-endian; ascending by (low, high)
//
// Bytes are the same in memory and in a file: owned, mapped, or mapped to be written. An exception is
// withdrawn when its key becomes a member. The size stays, and so does the order: the run of entries that
// equal it is overwritten with the value next to it, so equal neighbours are one exception. When the last one
// goes there is no value left to write: live() is then 0, and the entries mean nothing.
//
// Most keys that are asked about are members, and no exceptions: a bitmap of 16 to 32 bits an entry, which is
// made when the table is, says of all but one in 16 that no entry begins with their leading bits. It is never
// changed: of a withdrawn exception it says too much, which costs a lookup.
//
// A lookup starts where the low word would be if low words were spread evenly between the first and the last,
// corrects that twice by what it finds there, and doubles its steps from there: a cache line or two of a
// uniform table, O(log n) of any other. A withdrawal takes as long as writing the run. Runs stay short when
// withdrawals come in any order but that of the table from its first entry on (or n of them would write
// n^2 / 2 entries).
//
// Threads: contains() and clear_excepted() run beside withdraw(), and answer as if each withdrawal happened
// at one moment. An entry being two words, a reader could meet the low word of one hash with the high word of
// another: a hash that no one put there, perhaps of a member, which must not be denied. So a writer makes
// `version` odd before its first store and even after its last; a reader whose version was odd, or is another
// one afterwards, forgets what it saw and looks again under the writers' mutex. Every entry is stored with
// release and loaded with acquire: who has loaded a word of a withdrawal therefore finds the odd version, or
// a later one. A withdraw() that has returned is seen by whoever knows of it, as with any store. Not here:
// readers in other processes while one withdraws (they have no version; the file is marked dirty); checksums
// (native_file.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::size_t kExceptionBytes = 16;

class ExceptionTable {
 public:
  // An empty table.
  ExceptionTable() = default;
  // A table that was moved from is empty.
  ExceptionTable(ExceptionTable&&) noexcept = default;
  ExceptionTable& operator=(ExceptionTable&&) noexcept = default;

  // Owns the hashes, sorted, each once.
  static ExceptionTable of(std::vector<Hash128> hashes);

  // Over bytes that outlive the table; those that can be written are written by no one else.
  //   live  how many different entries there are, or 0 when all were withdrawn
  // Precondition: a multiple of 16 bytes, at a multiple of 8. Bytes that fail check() lead to wrong answers,
  // never out of the table.
  static ExceptionTable over(std::span<std::byte> bytes, std::uint64_t live);
  static ExceptionTable over(std::span<const std::byte> bytes, std::uint64_t live);
  // Over bytes of which a crash left some as they were before withdrawals, some as after: whatever entries
  // are there are put in order and are live. One that was withdrawn may be back; the insert that did so is
  // lost too, and is to be made again.
  static ExceptionTable mended(std::span<std::byte> bytes);

  // Errors: kCorruption, with the offset in `bytes`, unless entries ascend and `live` of them are different.
  // Precondition: a multiple of 16 bytes.
  static Status check(std::span<const std::byte> bytes, std::uint64_t live);

  bool contains(const Hash128& hash) const;

  // Clears bit i % 64 of answers[i / 64] for every hashes[i] that is an exception. Costs next to nothing
  // where no bit is set.   Precondition: a bit for each hash.
  void clear_excepted(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Withdraws one exception; false when it is none (any more): of several callers one hears true.
  // Precondition: is_writable().
  bool withdraw(const Hash128& hash);

  // Exceptions not withdrawn.
  std::uint64_t live() const {
    return shared_ == nullptr ? 0 : shared_->live.load(std::memory_order_relaxed);
  }
  bool empty() const { return live() == 0; }
  bool is_writable() const { return writable_; }
  // All entries, as they go to a file together with live(). Not beside withdraw().
  std::span<const std::byte> bytes() const;
  // The exceptions not withdrawn, ascending.
  std::vector<Hash128> entries() const;

 private:
  // What stays where it is when the table is moved.
  struct Shared {
    explicit Shared(std::uint64_t count) : live(count) {}

    std::mutex mutex;  // of those who write, and of readers whom they disturbed
    std::atomic<std::uint64_t> version = 0;
    std::atomic<std::uint64_t> live;
  };

  ExceptionTable(std::span<std::byte> bytes, bool writable, std::uint64_t live);

  Hash128 entry(std::size_t index) const;
  void store(std::size_t index, const Hash128& hash);
  std::uint64_t bitmap_position(std::uint64_t low) const { return low >> bitmap_shift_; }
  bool may_begin(std::uint64_t low) const {
    const std::uint64_t position = bitmap_position(low);
    return ((bitmap_[position / 64] >> (position % 64)) & 1) != 0;
  }
  std::size_t likely_position(std::uint64_t low) const;
  std::size_t corrected_position(std::size_t position, std::uint64_t low) const;
  void prefetch(std::size_t position) const;
  std::size_t lower_bound(const Hash128& hash, std::size_t position) const;
  bool holds(const Hash128& hash, std::size_t position) const;
  bool contains_near(const Hash128& hash, std::size_t position) const;
  std::uint64_t excepted(std::span<const Hash128> hashes, std::uint64_t asked) const;
  void overwrite(std::size_t begin, std::size_t end, const Hash128& value);

  std::vector<Hash128> owned_;
  std::uint64_t* words_ = nullptr;  // two an entry; never written unless writable_
  std::size_t count_ = 0;           // of entries, live or not
  bool writable_ = false;
  std::uint64_t first_low_ = 0;        // of the first entry as it was; guesses need no more
  double entries_per_low_ = 0;         // on average between the first and the last
  std::vector<std::uint64_t> bitmap_;  // bit i: an entry's low word begins with the bits of i
  unsigned bitmap_shift_ = 0;
  std::unique_ptr<Shared> shared_;  // none: the table has no entries
};

}  // namespace bloomery
