// An exact set stores all keys and answers exactly while they are few. When it outgrows a threshold, it
// becomes the filter of its plan.
//
// Example:
//    const FilterPlan plan{.capacity = 1'000'000, .fpp = 0.01, .exact_below = 1000};
//    auto filter = make_filter(plan);                    // a Result<AnyFilter>: an ExactSet for now
//    const auto refused = filter->insert_batch(hashes);  // the 1001st key makes it a BlockedBloomFilter
//
// The set stores the 128 bits of every key's hash, so it distinguishes keys better than any filter does:
// two of 10^9 keys share all bits with a probability of 10^-21. Any filter can be made of these hashes,
// since all filters use the same hash. A key costs 30 to 60 bytes in memory. In a file it costs 16 bytes,
// or 24 if keys can be removed.
//
// A set by itself only reports that it is full. AnyFilter turns it into a filter when an insert or a
// merge() needs the room. The file keeps its name and its plan, and callers notice no difference except the
// first false positive. Redis changes the encoding of a small set in the same way. A filter never becomes a
// set again.
//
// A set whose plan is a counting or quotient filter stores counts and removes exactly: it always refuses an
// absent key. With any other plan the set does not remove keys, because the filter that it will become
// could not.
//
// Threads: const calls may run concurrently; a call that changes the set must run alone.
//
// Limits: the set does not accept ready digests, because it needs their high words. It cannot become a
// ribbon, which is built from all its keys, nor a windowed filter, which would need their ages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/filter_plan.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_calls.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class ExactPayload;

class ExactSet : public NativeFilter, public TypedCalls<ExactSet>, public TypedRemovals<ExactSet> {
 public:
  // Inserts may be refused.
  static constexpr bool kMayRefuse = true;

  // Makes an empty set that becomes a filter of `plan` above plan.exact_below keys. Errors:
  // kInvalidArgument and kCapacity of planned_size(). Also kInvalidArgument for a threshold of 0, for ready
  // digests, or for a type that the set cannot become.
  static Result<ExactSet> for_plan(const FilterPlan& plan);

  // Opens a set with the options and errors of BloomFilter::open() and view(). The keys are read into
  // memory for every access mode, so the set is always writable. Errors: also kInvalidArgument for
  // Access::kUpdateInPlace. To change a set in a file, open it with kCopyLocked and save it over itself.
  static Result<ExactSet> open(const std::string& path, const OpenOptions& options = {});
  static Result<ExactSet> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes the set has the precondition is_writable().
  //
  // Returns false, and changes nothing, if the key would exceed the threshold, or if memory is lacking.
  [[nodiscard]] bool insert(const Hash128& hash);
  // Returns true if and only if the key is in.
  bool may_contain(const Hash128& hash) const { return count(hash) != 0; }
  // Inserts a key, and returns whether it was new, or refused.
  TestedInsert test_and_insert(const Hash128& hash);
  // Returns how often the key was inserted, minus how often it was removed; at most 1 if the plan does not
  // count.
  std::uint64_t count(const Hash128& hash) const;
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const { return count(hash); }
  bool can_remove() const;
  // Removes one insertion of a key. Returns false if the key is not in. Precondition: can_remove().
  bool remove(const Hash128& hash);

  // These accept keys of any type (typed_calls.h).
  using TypedCalls::insert;
  using TypedCalls::may_contain;
  using TypedCalls::test_and_insert;
  using TypedRemovals::count_at_most;
  using TypedRemovals::remove;

  // Batches are equivalent to single calls in order, with the answer bitmap of BloomFilter. The batches
  // that insert return the number of refused keys; test_and_insert_batch() answers "new" for a refused key
  // too. A batch that changes the set must run alone, whatever `sharing` says.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  // Inserts in order until a key is refused. Returns how many keys were inserted.
  [[nodiscard]] std::size_t insert_front(std::span<const Hash128> hashes);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Answers 1 for a removed key. Returns the number of absent keys. Precondition: can_remove().
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  using NativeFilter::clear;

  // Inserts all keys of `other`. After an error nothing has changed:
  //
  //   kInvalidArgument   the plans differ; the message names all differences
  //   kCapacity          the union would exceed the threshold (see has_room_for()), memory is lacking, or a
  //                      count would exceed 64 bits
  Status merge(const ExactSet& other);
  // Returns true if the keys of both sets together stay within the threshold.
  bool has_room_for(const ExactSet& other) const;

  // Calls `use` for every key in the set, with its count, ascending by (low, high). Keys that are
  // exceptions are included.
  void for_each(const std::function<void(const Hash128& hash, std::uint64_t count)>& use) const;

  const FilterPlan& plan() const;
  // Returns the number of different keys in the set.
  std::uint64_t size() const;
  // Returns the used share of the threshold.
  double fill_ratio() const;
  double current_fpp() const { return 0; }
  double estimated_count() const { return static_cast<double>(size()); }
  bool over_capacity() const { return false; }

 private:
  ExactSet(std::unique_ptr<FilterBody> body, std::unique_ptr<ExactPayload> payload);
  static Result<ExactSet> from_body(std::unique_ptr<FilterBody> body);

  ExactPayload* payload_;  // owned by the body
};

}  // namespace bloomery
