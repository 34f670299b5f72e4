// A filter whose type is known only when the program runs, because the file or the plan names it.
//
// Example:
//    auto filter = AnyFilter::open("keys.filter");
//    const bool maybe = filter->may_contain("a key");
//    const std::string type = filter->type_name();  // for example "blocked:fast"
//
// AnyFilter holds one alternative per filter type and forwards the calls that all types have. Reach the calls
// of a single type with std::visit on `variant()`.
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
  // Inserts may be refused: some types refuse keys when they are full, and a ribbon refuses every key.
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

  // Opens a filter of the type that the file's header names, as open() and view() of that type do.
  static Result<AnyFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<AnyFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  const Variant& variant() const { return filter_; }
  Variant& variant() { return filter_; }
  // Returns the part that all types share: plan, counts and file. The calls below forward to it and are
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
  // "windowed" or "exact".
  std::string type_name() const;
  // Returns the bits of the payload. For a Bloom filter this is m; for a counting filter it is 4 m.
  std::uint64_t bits() const;
  // Returns k, the number of hash functions, or what takes its place:
  //
  //   ribbon       the columns of its narrower width
  //   quotient     the remainder bits of its plan
  //   scalable     k of its first layer
  std::uint32_t hash_count() const;
  // Returns whether the filter is static: it takes no keys once it is built.
  bool is_static() const;
  // Returns whether keys can be removed.
  bool can_remove() const;
  // Returns whether Access::kUpdateInPlace can open the filter's file. A filter of another type is opened
  // with Access::kCopyLocked and saved over its file.
  bool updates_in_place() const;
  // Returns how many more keys can be inserted until the filter is full by its plan. For filters that grow,
  // and for those that forget by count, this is any number.
  std::uint64_t room() const;

  bool may_contain(const Hash128& hash) const;
  // Inserts a key. Returns false if the filter refuses the key; nothing has changed then. The reasons are:
  //
  //   ribbon       it is static and refuses every key
  //   quotient     it is full
  //   scalable     there is no memory for its next layer
  //   exact set    there is no memory for the filter that it becomes
  //
  // An exact set that outgrows its threshold becomes the filter of its plan, which then takes the key.
  //
  // Threads: a quotient filter or an exact set must not be used by another thread meanwhile. A scalable
  // filter may be. This holds whatever `sharing` says.
  [[nodiscard]] bool insert(const Hash128& hash);
  TestedInsert test_and_insert(const Hash128& hash);
  // Removes one insertion of the key. Returns false if the key is certainly absent. Remove only what was
  // inserted; the header of the filter's type gives the contract. Precondition: can_remove().
  bool remove(const Hash128& hash);
  // Returns an upper bound of the key's count, or nothing if any count is possible. Precondition:
  // can_remove().
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // The same calls for keys of any type that append_key() knows. An integer counts by the width of its type
  // (see of()). Precondition: the hash is not kReadyDigest.
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

  // Batches, with answers as in BloomFilter. The batches that insert return how many keys were refused.
  // test_and_insert_batch() answers "new" for a refused key too.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  // Answers 1 for a removed key and 0 for a refused one, which is certainly absent. Returns how many were
  // refused. Precondition: can_remove().
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);
  // Answers 1 for each key that needs an exception if it must be answered no. These are the keys that the
  // filter matches. For an exact set they are the keys that are absent, since the filter that it becomes may
  // match them.
  void needs_exception_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Forgets every key; exceptions stay. Errors: kInvalidArgument for a ribbon, which never changes.
  Status clear();
  // Adds every key of `other`, which must have the same plan. Errors: kInvalidArgument, naming what differs,
  // also if the types differ. Parts of ribbons are joined by RibbonFilter::concatenate() instead.
  Status merge(const AnyFilter& other);

  // Returns whether the filter denies keys that it would match: by exceptions, or by a ribbon's exception
  // column.
  bool has_exceptions() const;

  // Returns Ok, or the damage found so far. Some filters verify themselves only while they are asked, and a
  // mapped file may have been cut (see file_status()).
  Status status() const;
  // Verifies what open() has left for later.
  Status verify() const;

  // These do what the calls of the filter's own type do.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  bool over_capacity() const;

 private:
  std::uint64_t test_and_insert_outgrowing(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                           Sharing sharing);
  // Becomes the filter that its exact set has outgrown to. After an error nothing has changed.
  Status outgrow(const ExactSet& set);
  // Puts `grown` in the place of the exact set.
  void become(AnyFilter grown);
  // Merges where at least one of the two is an exact set.
  Status merge_exact(const AnyFilter& other);

  Variant filter_;
};

// Makes an empty filter of a plan, or an ExactSet where the plan begins as one. Errors: those of
// planned_size(). Also kCapacity if the machine lacks the memory, and kInvalidArgument for kRibbon, which is
// built from its keys.
Result<AnyFilter> make_filter(const FilterPlan& plan);

// Makes the filter that an exact set becomes, with all its keys in it. Errors: those of making the filter;
// kCapacity if it refuses keys.
Result<AnyFilter> outgrown(const ExactSet& set);

}  // namespace bloomery
