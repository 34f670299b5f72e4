// AnyFilter is a filter whose type is known only at run time, because the file or the plan names it.
//
// Example:
//    auto filter = AnyFilter::open("keys.filter");
//    const bool maybe = filter->may_contain("a key");
//    const std::string type = filter->type_name();  // for example "blocked:fast"
//
// AnyFilter holds one alternative per filter type and forwards the calls that all types have. Use
// std::visit on `variant()` to reach the calls of a single type.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/filter/exact_set.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/filter_plan.h"
#include "bloomery/filter/fuse_filter.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/typed_calls.h"
#include "bloomery/filter/windowed_filter.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class AnyFilter : public TypedCalls<AnyFilter>, public TypedRemovals<AnyFilter> {
 public:
  using Variant = std::variant<BloomFilter, BlockedBloomFilter, RibbonFilter, CountingBloomFilter,
                               QuotientFilter, ScalableFilter, WindowedFilter, ExactSet, FuseFilter>;
  // Inserts may be refused: some types refuse keys when they are full, and static types refuse every key.
  static constexpr bool kMayRefuse = true;

  // Each filter type converts to AnyFilter implicitly.
  AnyFilter(BloomFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(BlockedBloomFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(RibbonFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(CountingBloomFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(QuotientFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(ScalableFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(WindowedFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(ExactSet set) : filter_(std::move(set)) {}
  AnyFilter(FuseFilter filter) : filter_(std::move(filter)) {}

  // Opens a filter of the type that the file's header names. Options and errors are those of
  // BloomFilter::open() and view(), plus the errors of that type.
  static Result<AnyFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<AnyFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  const Variant& variant() const { return filter_; }
  Variant& variant() { return filter_; }
  // Returns the base that all types share: plan, counts and file. The calls below forward to it and are
  // documented in native_filter.h.
  NativeFilter& native();
  const NativeFilter& native() const;

  FilterType type() const { return native().type(); }
  std::uint64_t capacity() const { return native().capacity(); }
  double target_fpp() const { return native().target_fpp(); }
  std::uint64_t inserted() const { return native().inserted(); }
  std::uint64_t byte_size() const { return native().byte_size(); }
  std::uint64_t file_bytes() const { return native().file_bytes(); }
  bool is_writable() const { return native().is_writable(); }
  const HashSpec& hash_spec() const { return native().hash_spec(); }
  const KeyTreatment& key_treatment() const { return native().key_treatment(); }
  template <Key K>
  Hash128 hash(const K& key) const {
    return native().hash(key);
  }
  Result<Hash128> key_of(std::string_view text) const { return native().key_of(text); }
  Result<Hash128> key_of(std::span<const std::string_view> parts) const { return native().key_of(parts); }
  Result<Hash128> key_of(std::initializer_list<std::string_view> parts) const {
    return native().key_of(parts);
  }
  const std::string& metadata() const { return native().metadata(); }
  Status set_metadata(std::string text) { return native().set_metadata(std::move(text)); }
  std::vector<Hash128> exceptions() const { return native().exceptions(); }
  bool is_exception(const Hash128& hash) const { return native().is_exception(hash); }
  Status add_as_exceptions(std::span<const Hash128> hashes) { return native().add_as_exceptions(hashes); }
  Status save(const std::string& path, const SaveTo& to = {}) const { return native().save(path, to); }
  void serialize(std::string& out) const { native().serialize(out); }

  // Returns "bloom", "blocked:fast", "blocked:dense", "ribbon", "counting", "quotient", "scalable",
  // "windowed", "exact", "fuse" or "fuse:dense".
  std::string type_name() const;
  // Returns the bits of the payload. For a Bloom filter this is m; for a counting filter it is 4 m.
  std::uint64_t bits() const;
  // Returns k, the number of hash functions, or its counterpart:
  //
  //   ribbon       the columns of the narrower width
  //   fuse         the bits of a fingerprint
  //   quotient     the remainder bits of its plan
  //   scalable     k of the first layer
  std::uint32_t hash_count() const;
  // Returns true if the filter is static: it accepts no keys once it is built.
  bool is_static() const;
  // Returns true if keys can be removed.
  bool can_remove() const;
  // Returns true if Access::kUpdateInPlace can open the filter's file. Open a filter of another type with
  // Access::kCopyLocked and save it over its file.
  bool updates_in_place() const;
  // Returns how many more keys can be inserted until the filter reaches its capacity. For filters that
  // grow, and for windowed filters by count, this is any number.
  std::uint64_t room() const;

  bool may_contain(const Hash128& hash) const;
  // Inserts a key. Returns false, and changes nothing, if the filter refuses the key. The reasons are:
  //
  //   ribbon, fuse it is static and refuses every key
  //   quotient     it is full
  //   scalable     the memory for its next layer is lacking
  //   exact set    the memory for the filter that it becomes is lacking
  //
  // An exact set that outgrows its threshold becomes the filter of its plan, which then inserts the key.
  //
  // Threads: no other thread may use a quotient filter or an exact set during the call. A scalable filter
  // allows concurrent calls. Both hold whatever `sharing` says.
  [[nodiscard]] bool insert(const Hash128& hash);
  TestedInsert test_and_insert(const Hash128& hash);
  // Removes one insertion of the key. Returns false if the key is certainly absent. Remove only keys that
  // were inserted; the header of the filter's type states the contract. Precondition: can_remove().
  bool remove(const Hash128& hash);
  // Returns an upper bound of the key's count, or nothing if any count is possible. Precondition:
  // can_remove().
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // These accept keys of any type (typed_calls.h).
  using TypedCalls::insert;
  using TypedCalls::may_contain;
  using TypedCalls::test_and_insert;
  using TypedRemovals::count_at_most;
  using TypedRemovals::remove;

  // Batches. Answer i is bit i mod 64 of word i / 64, as in BloomFilter. The batches that insert return the
  // number of refused keys. test_and_insert_batch() answers "new" for a refused key too.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  // Answers 1 for a removed key and 0 for a refused one, which is certainly absent. Returns the number of
  // refused keys. Precondition: can_remove().
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);
  // Answers 1 for each key that needs an exception in order to be answered no. These are the keys that the
  // filter matches. For an exact set they are the absent keys, because the filter that it becomes may match
  // them.
  void needs_exception_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Removes every key; exceptions stay. Errors: kInvalidArgument for a static filter, which never changes.
  Status clear();
  // Inserts every key of `other`, which must have the same plan. Errors: kInvalidArgument, naming all
  // differences, also if the types differ. Use concatenate() of their type to join parts of static filters.
  Status merge(const AnyFilter& other);

  // Returns true if the filter denies keys that it would match: by exceptions, or by a ribbon's exception
  // column.
  bool has_exceptions() const;

  // Returns Ok, or the damage found so far. Some filters verify themselves only during queries, and a
  // mapped file may have been truncated (see file_status()).
  Status status() const;
  // Verifies what open() deferred.
  Status verify() const;

  // These forward to the filter's own type.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  bool over_capacity() const;

 private:
  std::uint64_t test_and_insert_outgrowing(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                           Sharing sharing);
  // Replaces the exact set by the filter of its plan. After an error nothing has changed.
  Status outgrow(const ExactSet& set);
  // Replaces the exact set by `grown`.
  void become(AnyFilter grown);
  // Merges if at least one of the two is an exact set.
  Status merge_exact(const AnyFilter& other);

  Variant filter_;
};

// Makes an empty filter of a plan, or an ExactSet if the plan begins as one. Errors: kInvalidArgument and
// kCapacity of planned_size(). Also kCapacity if the machine lacks the memory, and kInvalidArgument for
// static types, which are built from their keys.
Result<AnyFilter> make_filter(const FilterPlan& plan);

// Makes the filter that an exact set becomes, with all its keys. Errors: kInvalidArgument or kCapacity of
// make_filter(); kCapacity if the filter refuses keys.
Result<AnyFilter> outgrown(const ExactSet& set);

}  // namespace bloomery
