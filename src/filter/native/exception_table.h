// The table of a filter's exceptions: hashes of keys that the filter matches although they are known not to
// be in it. It is queried only after a positive, with both words of the hash.
//
//    entry | entry | ...     16 bytes each: low word, high word, little-endian; ascending by (low, high)
//
// The bytes are the same in memory and in a file. They are owned, mapped read-only, or mapped writable.
//
// Withdrawing. An exception is withdrawn when its key becomes a member. The size of the table and the order
// stay the same: the run of entries that equal the exception is overwritten with a neighbouring value. So
// equal neighbours are one exception. After the last withdrawal no value is left to write: live() is then 0,
// and the entries mean nothing. A withdrawal costs as much as writing the run. Runs stay short for every
// order of withdrawals except ascending order, in which n of them write n^2 / 2 entries.
//
// Lookups. Most queried keys are members and no exceptions. Therefore a bitmap of 16 to 32 bits for each
// entry rejects all but one key in 16, because no entry begins with their leading bits. The bitmap is made
// with the table and never changes. A withdrawn exception keeps its bit, which costs a lookup. A lookup is an
// interpolation search: it starts where the low word would be if low words were spread evenly between the
// first and the last. It corrects that position twice by the entry found there, and then searches in doubling
// steps. This reads a cache line or two of a uniform table, and costs O(log n) in any other.
//
// Threads. contains() and clear_excepted() may run concurrently with withdraw(), and each withdrawal is
// atomic for them. An entry is two words. So a reader could see the low word of one hash and the high word of
// another: a hash that was never stored, perhaps of a member that must not be denied. This seqlock prevents
// it:
//
//    1. A writer makes `version` odd before its first store and even after its last.
//    2. A reader whose version was odd, or differs afterwards, discards its result.
//    3. It then searches again under the writers' mutex.
//
// Every entry is stored with release and loaded with acquire. A reader that has loaded a word of a withdrawal
// therefore sees the odd version, or a later one. A thread that knows that a withdraw() has returned sees its
// effect, as with any store.
//
// Not here: checksums (native_file.h), and readers in other processes while one process withdraws. Such
// readers see no version, and the file is marked dirty.
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
  // A moved-from table is empty.
  ExceptionTable(ExceptionTable&&) noexcept = default;
  ExceptionTable& operator=(ExceptionTable&&) noexcept = default;

  // Returns a table that owns the hashes, sorted, each once.
  static ExceptionTable of(std::vector<Hash128> hashes);

  // Return a table over bytes that outlive it. If the bytes are writable, nothing else writes them. `live` is
  // the number of different entries, or 0 if all were withdrawn. Precondition: the size is a multiple of 16
  // bytes, and the address a multiple of 8. Bytes that fail check() lead to wrong answers, but never to
  // accesses outside the table.
  static ExceptionTable over(std::span<std::byte> bytes, std::uint64_t live);
  static ExceptionTable over(std::span<const std::byte> bytes, std::uint64_t live);
  // Returns a table over bytes in which a crash has left some withdrawals half done. It sorts all entries and
  // makes them live. A withdrawn one may be back. The insert that withdrew it is lost too, and must be
  // repeated.
  static ExceptionTable mended(std::span<std::byte> bytes);

  // Checks that entries ascend and that `live` of them are different. Precondition: a multiple of 16 bytes.
  // Errors: kCorruption, with the offset in `bytes`.
  static Status check(std::span<const std::byte> bytes, std::uint64_t live);

  bool contains(const Hash128& hash) const;

  // Clears bit i % 64 of answers[i / 64] for every hashes[i] that is an exception. Almost free if no bit is
  // set. Precondition: there is a bit for each hash.
  void clear_excepted(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Withdraws one exception. Returns false if the hash is not an exception (any more): exactly one of several
  // callers gets true. Precondition: is_writable().
  bool withdraw(const Hash128& hash);

  // Returns the number of exceptions that were not withdrawn.
  std::uint64_t live() const {
    return shared_ == nullptr ? 0 : shared_->live.load(std::memory_order_relaxed);
  }
  bool empty() const { return live() == 0; }
  bool is_writable() const { return writable_; }
  // Returns all entries, in the form in which they are written to a file together with live(). Must not run
  // concurrently with withdraw().
  std::span<const std::byte> bytes() const;
  // Returns the exceptions that were not withdrawn, ascending.
  std::vector<Hash128> entries() const;

 private:
  // The members that stay in place when the table is moved.
  struct Shared {
    explicit Shared(std::uint64_t count) : live(count) {}

    std::mutex mutex;  // held by writers, and by readers that retry
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
  std::uint64_t* words_ = nullptr;  // two for each entry; never written unless writable_
  std::size_t count_ = 0;           // entries, live or not
  bool writable_ = false;
  std::uint64_t first_low_ = 0;        // of the first entry when the table was made; only a hint
  double entries_per_low_ = 0;         // average density between the first and the last entry
  std::vector<std::uint64_t> bitmap_;  // bit i says that the low word of an entry begins with the bits of i
  unsigned bitmap_shift_ = 0;
  std::unique_ptr<Shared> shared_;  // null if the table has no entries
};

}  // namespace bloomery
