// A filter in a file that a feeder keeps current, for any number of processes. Its *no* counts only while a lease runs.
//
// `bloomery feed postgres --file users.leased` follows a database's log and inserts the key of every row that commits. It
// renews the lease as long as it knows that nothing is missing. When the feeder dies, falls behind or is in doubt, the lease
// runs out, and every answer is *maybe* until it is renewed.
//
// Example:
//    auto users = LeasedFilter::open("users.leased");
//    if (users && !users->may_contain("eve")) {
//      return;   // there was no such row at least --bound ago: do not ask the database
//    }
//
// The file is one page that names the filter of today: users.leased.7, a native blocked filter. A rebuild puts another one
// in its place, and the next question opens that. docs/formats/leased-file.md has the bytes.
//
// Invariant: a *no* means that the key was not in the table at the moment `bound` before the call. Damage, a filter that
// cannot be opened, one whose hash or keys are made otherwise than at open(), and a lease that is over all answer *maybe*.
//
// Cost: a question takes two loads of the page, the clock and a shared lock besides the filter's own cache line. The time is
// in docs/design/feed.md.
// Threads: all calls may run together. A question that finds a new generation waits for its opening, once.
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

// What a leased file is worth at a moment.
struct LeaseState {
  bool holds = false;              // a *no* counts
  std::uint64_t remaining_ns = 0;  // until the lease is over
  // While the lease holds: every row that was committed before this moment (CLOCK_BOOTTIME) has its key in the filter.
  std::uint64_t complete_at_ns = 0;
  std::uint64_t generation = 0;  // of the filter that answers; 0: none was complete yet
  std::uint64_t position = 0;    // how far the source was followed: in PostgreSQL's log, an LSN
};

class LeasedFilter {
 public:
  // Opens the file. Of the options `recorded_keys`, `secret` and `verify` count. Without `secret` that of the file PATH.key is
  // taken, if there is one; the feeder makes it. There need not be a filter yet: every answer is *maybe* then. Errors:
  // kNotFound; kCorruption or kUnsupported if it is no leased file; those of HashSecret::load(); kInvalidArgument if the keys
  // were made otherwise than from plain text and `recorded_keys` does not say kKnown, or if a secret is lacking.
  static Result<LeasedFilter> open(const std::string& path, const OpenOptions& options = {});
  // Returns whether a file is a leased one, by its first bytes.
  static bool is_one(const std::string& path);

  LeasedFilter(LeasedFilter&&) noexcept;
  LeasedFilter& operator=(LeasedFilter&&) noexcept;
  ~LeasedFilter();

  // Returns false if the key is certainly absent, as the invariant says.
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash_key(key, hash_spec()));
  }
  bool may_contain(const Hash128& hash) const;
  // Sets bit i of `answers` if key i may be in, and clears it otherwise.
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // How keys are made and hashed. They are those of the first filter that was opened. If this is asked before there is one,
  // they are the defaults for good, and a filter whose keys are made otherwise answers maybe.
  const HashSpec& hash_spec() const;
  const KeyTreatment& key_treatment() const;
  // Returns the hash of a text, or of the parts of a composite key, by the treatment. Errors: those of NativeFilter::key_of();
  // kNotFound if there is no filter yet.
  Result<Hash128> key_of(std::string_view text) const;
  Result<Hash128> key_of(std::span<const std::string_view> parts) const;

  LeaseState state() const;
  // The fpp of the filter that answers, now; 1 if there is none. Reads all its bits.
  double current_fpp() const;
  // For how many keys the filter was made, and at which fpp; 0 and 1 if there is none.
  std::uint64_t capacity() const;
  double target_fpp() const;

 private:
  struct Shared;
  explicit LeasedFilter(std::unique_ptr<Shared> shared);

  std::unique_ptr<Shared> shared_;
};

}  // namespace bloomery
