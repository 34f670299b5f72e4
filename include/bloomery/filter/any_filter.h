// A filter of whatever type the file says, for tools that take what they are given.
//
//   auto filter = AnyFilter::open("keys.filter");
//   filter->may_contain("a key");
//
// One alternative per type. Calls that all types have are forwarded; what only one type does is behind
// std::visit on `variant()`.
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
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/filter/windowed_filter.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class AnyFilter : public TypedViews<AnyFilter> {
 public:
  using Variant = std::variant<BloomFilter, BlockedBloomFilter, RibbonFilter, CountingBloomFilter,
                               QuotientFilter, ScalableFilter, WindowedFilter, ExactSet>;
  // Whether an insert may be refused: of some types, and always of a ribbon.
  static constexpr bool kMayRefuse = true;

  // Every filter is one, without saying so.
  AnyFilter(BloomFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(BlockedBloomFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(RibbonFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(CountingBloomFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(QuotientFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(ScalableFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(WindowedFilter filter) : filter_(std::move(filter)) {}
  AnyFilter(ExactSet set) : filter_(std::move(set)) {}

  // As the open() and view() of the type that the header names.
  static Result<AnyFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<AnyFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  const Variant& variant() const { return filter_; }
  Variant& variant() { return filter_; }
  // Plan, counts and file of whatever type it is. The calls below that have a name of NativeFilter's are its.
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

  // "bloom", "blocked:fast", "blocked:dense", "ribbon", "counting", "quotient", "scalable", "windowed" or
  // "exact".
  std::string type_name() const;
  // The payload's, or of a bloom filter m. Of a counting filter 4 for each counter.
  std::uint64_t bits() const;
  // k; of a ribbon the columns of its narrower width; of a quotient filter the remainder bits of its plan; of
  // a scalable filter that of its first layer.
  std::uint32_t hash_count() const;
  // A static filter takes no keys once it is built.
  bool is_static() const;
  // It takes keys out again.
  bool can_remove() const;
  // Access::kUpdateInPlace opens it. The others are opened with kCopyLocked and saved over their file.
  bool updates_in_place() const;
  // Keys that may be inserted until it is full by its plan: any number where that grows or forgets by count.
  std::uint64_t room() const;

  bool may_contain(const Hash128& hash) const;
  // An exact set that has outgrown its threshold becomes the filter of its plan, and takes the rest.
  //
  // Inserts. False: the key was refused, and nothing has changed. A ribbon refuses every key, a quotient filter when it
  // is full, a scalable one without memory for its next layer, an exact set without memory for what it
  // becomes. (Of a quotient filter or an exact set whoever writes is alone, and a scalable one is shared,
  // whatever `sharing` says.)
  [[nodiscard]] bool insert(const Hash128& hash);
  TestedInsert test_and_insert(const Hash128& hash);
  // Takes out one of the key. False: it is certainly absent. Remove only what was inserted: see the filter's
  // own header. Precondition: can_remove().
  bool remove(const Hash128& hash);
  // An upper bound of how often the key is in; nothing where any number is possible. Precondition:
  // can_remove().
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // Keys of any type that append_key() knows; integers by the width of their type (see of()). Precondition:
  // the hash is not kReadyDigest.
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash(key));
  }
  template <Key K>
  [[nodiscard]] bool insert(const K& key) {
    return insert(hash(key));
  }
  template <Key K>
  TestedInsert test_and_insert(const K& key) {
    return test_and_insert(hash(key));
  }
  template <Key K>
  bool remove(const K& key) {
    return remove(hash(key));
  }
  template <Key K>
  std::optional<std::uint64_t> count_at_most(const K& key) const {
    return count_at_most(hash(key));
  }

  // Batches, with answers as in BloomFilter. Those that insert return how many keys were refused;
  // test_and_insert answers "new" for a refused key too.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  // Answers 1 for removed, 0 for refused: the key is certainly absent. Returns how many were refused.
  // Precondition: can_remove().
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);
  // Answers 1 for keys that an exception is of use for: those it matches, and, of an exact set, those that
  // are not in, since what it becomes may match them.
  void needs_exception_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Forgets every key; exceptions stay. Errors: kInvalidArgument for a ribbon, which is as it was built.
  Status clear();
  // Errors: kInvalidArgument, naming what differs, types included. Of ribbons: RibbonFilter::concatenate().
  Status merge(const AnyFilter& other);

  // Keys it would match are denied: exceptions, or those that a ribbon's exception column rejects.
  bool has_exceptions() const;

  // Ok, or the damage found so far in a filter that verifies itself while it is asked, or whose file was cut
  // (file_status()).
  Status status() const;
  // Verifies what open() has left for later.
  Status verify() const;

  // As the type's own.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  bool over_capacity() const;

 private:
  std::uint64_t test_and_insert_outgrowing(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                           Sharing sharing);
  // Becomes what its exact set has outgrown to. Errors: nothing has changed then.
  Status outgrow(const ExactSet& set);
  // Takes the place of its exact set.
  void become(AnyFilter grown);
  // Merges where one of the two is an exact set.
  Status merge_exact(const AnyFilter& other);

  Variant filter_;
};

// An empty filter of a plan; an ExactSet where the plan begins as one. Errors: as planned_size(); kCapacity
// when the machine lacks the memory; kInvalidArgument for kRibbon, which is built from its keys.
Result<AnyFilter> make_filter(const FilterPlan& plan);

// The filter that an exact set becomes, with all its keys in. Errors: those of making it; kCapacity where it
// refuses keys.
Result<AnyFilter> outgrown(const ExactSet& set);

}  // namespace bloomery
