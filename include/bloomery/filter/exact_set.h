// Exact while small: a set of keys that is kept whole, and answers exactly, until it outgrows a threshold and
// becomes the filter that was planned.
//
//   FilterPlan plan{.type = FilterType::kBlocked, .capacity = 1'000'000, .fpp = 0.01, .exact_below = 1000};
//   auto filter = make_filter(plan);     // Result<AnyFilter>: an ExactSet for now
//   filter->insert_batch(hashes);        // the 1001st different key makes it a BlockedBloomFilter
//
// The set keeps the 128 bits of every key's hash (30 to 60 bytes a key in memory, 16 in a file, 24 where keys
// can be removed), so that it knows keys apart by more than any filter does: two of 10^9 keys share all bits
// with a probability of 10^-21. From it any filter can be made, since all take the same hash.
//
// AnyFilter does the becoming, in insert_batch() and merge(): by itself a set only says that it is full. As
// Redis changes the encoding of a set, the file keeps its name and its plan, and who asks it hears no
// difference but the first *maybe* that is wrong. What has become a filter stays one.
//
// A set whose plan is a counting or quotient filter keeps counts, and removes exactly: a key that is not in
// is always refused. For other plans it does not remove, as the filter it will become could not.
//
// Threads: everything const may run together; what changes the set needs it alone. What it does not do: know
// ready digests, whose high words are missing; become a ribbon, which is built from all its keys, or a
// window, which would need their ages.
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
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class ExactPayload;

class ExactSet : public NativeFilter, public TypedViews<ExactSet> {
 public:
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = true;

  // An empty set that will become a filter of `plan` above plan.exact_below keys. Errors: those of
  // planned_size(); kInvalidArgument for a threshold of 0, for ready digests, or for a type that it cannot
  // become.
  static Result<ExactSet> for_plan(const FilterPlan& plan);

  // As BloomFilter::open() and view(). The keys are read to memory whatever the access, so that the set
  // is always writable. Errors: also
  // kInvalidArgument for Access::kUpdateInPlace: who changes a set opens it with kCopyLocked and saves it
  // over itself.
  static Result<ExactSet> open(const std::string& path, const OpenOptions& options = {});
  static Result<ExactSet> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes it: is_writable().
  //
  // False: the key would be one more than the threshold, or memory is lacking; nothing has changed.
  [[nodiscard]] bool insert(const Hash128& hash);
  // Exactly whether it is in.
  bool may_contain(const Hash128& hash) const { return count(hash) != 0; }
  // Inserts, and returns whether the key was new, or refused.
  TestedInsert test_and_insert(const Hash128& hash);
  // How often it was inserted, less what was removed; at most 1 where the plan does not count.
  std::uint64_t count(const Hash128& hash) const;
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const { return count(hash); }
  bool can_remove() const;
  // False: the key is not in. Precondition: can_remove().
  bool remove(const Hash128& hash);

  // Keys of any type that append_key() knows; integers by the width of their type (see of()).
  template <Key K>
  [[nodiscard]] bool insert(const K& key) {
    return insert(hash(key));
  }
  template <Key K>
  TestedInsert test_and_insert(const K& key) {
    return test_and_insert(hash(key));
  }
  template <Key K>
  std::optional<std::uint64_t> count_at_most(const K& key) const {
    return count_at_most(hash(key));
  }
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash(key));
  }
  template <Key K>
  bool remove(const K& key) {
    return remove(hash(key));
  }

  // Batches, with answers as in BloomFilter; the same as single calls, in order. Those that insert return how
  // many keys were refused; test_and_insert answers "new" for a refused key too. Whoever writes is alone,
  // whatever `sharing` says.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  // Inserts in order until one is refused; returns how many are in.
  [[nodiscard]] std::size_t insert_front(std::span<const Hash128> hashes);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Answers 1 for removed; returns how many were not in. Precondition: can_remove().
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  using NativeFilter::clear;

  // Inserts all of `other`. Errors: kInvalidArgument, naming all that differs between the plans; kCapacity
  // where some would pass the threshold (see has_room_for()), without memory, or where counts would pass 64
  // bits. Nothing has changed then.
  Status merge(const ExactSet& other);
  // Whether the keys of both are no more than the threshold.
  bool has_room_for(const ExactSet& other) const;

  // Calls `use` for every key that is in, ascending by (low, high), with its count. Exceptions are not taken
  // out.
  void for_each(const std::function<void(const Hash128& hash, std::uint64_t count)>& use) const;

  const FilterPlan& plan() const;
  // Different keys that are in.
  std::uint64_t size() const;
  // Of the threshold.
  double fill_ratio() const;
  double current_fpp() const { return 0; }
  double estimated_count() const { return static_cast<double>(size()); }
  bool over_capacity() const { return false; }

 private:
  ExactSet(std::unique_ptr<FilterBody> body, std::unique_ptr<ExactPayload> payload);
  static Result<ExactSet> from_body(std::unique_ptr<FilterBody> body);

  ExactPayload* payload_;  // the body's
};

}  // namespace bloomery
