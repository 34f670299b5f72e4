// A LeasedFilter is a filter in a file that a feeder keeps current, for any number of processes. Its *no*
// counts only while a lease is valid.
//
// `bloomery feed postgres --file users.leased` follows a database's log and inserts the key of every row
// that commits. It renews the lease as long as it knows that no key is missing. When the feeder dies, lags
// too far or is in doubt, the lease expires, and every answer is *maybe* until it is renewed.
//
// Example:
//    auto users = LeasedFilter::open("users.leased");
//    if (users && !users->may_contain("eve")) {
//      return;   // there was no such row at least --bound ago: do not query the database
//    }
//
// The file is one page that names the current filter: users.leased.7, a native blocked filter. A rebuild
// replaces the name, and the next query opens the new filter. docs/formats/leased-file.md has the bytes.
//
// Invariant: a *no* means that the key was not in the table at the moment `bound` before the call. The
// answer is *maybe* if the page or filter is damaged, the filter cannot be opened, its hash or keys differ
// from those at open(), or the lease has expired.
//
// Cost: besides the filter's own cache line, a query costs two loads of the page, the clock and a shared
// lock. The time is in docs/design/feed.md.
// Threads: all calls may run concurrently. The first query after a new generation waits until it is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

// The state of a leased file at one moment.
struct LeaseState {
  bool holds = false;              // a *no* counts
  std::uint64_t remaining_ns = 0;  // until the lease expires
  // While the lease is valid: every row committed before this moment (CLOCK_BOOTTIME) has its key in the
  // filter.
  std::uint64_t complete_at_ns = 0;
  std::uint64_t generation = 0;  // of the filter that answers; 0: none was complete yet
  std::uint64_t position = 0;    // how far the source was followed: in PostgreSQL's log, an LSN
};

// An answer, and why it is maybe.
enum class LeaseAnswer : std::uint8_t {
  kNo = 0,       // certainly absent, by the invariant at the top of this file
  kMaybe = 1,    // the filter may have the key
  kNoLease = 2,  // maybe: no lease is valid, or the filter is not complete or damaged
};

class LeasedFilter {
 public:
  // Opens the file. The options `recorded_keys`, `secret` and `verify` are used. Without `secret`, the
  // secret of a filter is read from its own key file (PATH.7.key), else from PATH.key, if there is one; the
  // feeder creates it. If there is no filter yet,
  // every answer is *maybe*. Errors: kNotFound; kCorruption or kUnsupported if it is no leased file. Also
  // kInvalidArgument if PATH.key is no secret or readable by others, if a secret is missing, or if the keys
  // were not made from plain text and `recorded_keys` is not kKnown.
  static Result<LeasedFilter> open(const std::string& path, const OpenOptions& options = {});
  // Returns true if the first bytes of a file are those of a leased file.
  static bool is_one(const std::string& path);

  LeasedFilter(LeasedFilter&&) noexcept;
  LeasedFilter& operator=(LeasedFilter&&) noexcept;
  ~LeasedFilter();

  // Returns false if the key is certainly absent, by the invariant at the top of this file.
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash_key(key, hash_spec()));
  }
  bool may_contain(const Hash128& hash) const;
  // Sets bit i of `answers` if key i may be in, and clears it otherwise.
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Returns the same answers with the reason of a maybe.
  LeaseAnswer answer(const Hash128& hash) const;
  // Answers for a text, or for the parts of a composite key; kNoLease if there is no filter yet. The filter
  // that answers makes the key, whatever its secret is. Errors: the others of key_of().
  Result<LeaseAnswer> answer(std::span<const std::string_view> parts) const;

  // Return how keys are hashed and made. From the first call of these, of key_of() or of may_contain() on,
  // this stays so, and a filter with other keys or another secret answers maybe. Before there is a filter,
  // they return the defaults. A file of `bloomery mirror` may have a secret for each filter: use answer(),
  // which fixes nothing.
  const HashSpec& hash_spec() const;
  const KeyTreatment& key_treatment() const;
  // Returns the hash of a text, or of the parts of a composite key, by the treatment. Errors: kNotFound if
  // there is no filter yet; otherwise kInvalidArgument or kUnsupported as NativeFilter::key_of() has them.
  Result<Hash128> key_of(std::string_view text) const;
  Result<Hash128> key_of(std::span<const std::string_view> parts) const;

  LeaseState state() const;
  // Returns the present fpp of the current filter; 1 if there is none. Reads all its bits.
  double current_fpp() const;
  // The capacity and the target fpp of the filter; 0 and 1 if there is none.
  std::uint64_t capacity() const;
  double target_fpp() const;

 private:
  struct Shared;
  explicit LeasedFilter(std::unique_ptr<Shared> shared);

  std::unique_ptr<Shared> shared_;
};

}  // namespace bloomery
