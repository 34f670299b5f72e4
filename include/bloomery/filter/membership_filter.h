// The concepts that filter types satisfy. A template over MembershipFilter accepts every filter type.
//
//   MembershipFilter   is queried, saved and measured: all types, AnyFilter too
//   DynamicFilter      inserts keys and merges: all but RibbonFilter, which is built from its keys
//   RemovingFilter     also removes keys and counts them: CountingBloomFilter, QuotientFilter, ExactSet
//
// insert() returns true if the key is in. A type has kMayRefuse if it may refuse an insert because it is
// full or lacks memory to grow. Such a type, and AnyFilter, marks its inserts [[nodiscard]]; its batches
// return the number of refused keys. A refused key that nobody notices would be a false negative.
//
// The library checks each of its types against these concepts at compile time.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

template <typename Filter>
concept MembershipFilter = std::movable<Filter> &&
    requires(const Filter& filter, const Hash128& hash, std::span<const Hash128> hashes,
             std::span<std::uint64_t> answers, std::span<const std::byte> bytes, const std::string& path,
             std::string& out, const OpenOptions& options, const SaveTo& to,
             std::span<const std::string_view> parts) {
  { Filter::open(path, options) } -> std::same_as<Result<Filter>>;
  { Filter::view(bytes, options) } -> std::same_as<Result<Filter>>;
  { filter.save(path, to) } -> std::same_as<Status>;
  { filter.serialize(out) } -> std::same_as<void>;

  { filter.may_contain(hash) } -> std::same_as<bool>;
  { filter.may_contain(std::string_view()) } -> std::same_as<bool>;
  { filter.may_contain(std::uint64_t{}) } -> std::same_as<bool>;
  { filter.may_contain_batch(hashes, answers) } -> std::same_as<void>;
  { filter.hash(std::string_view()) } -> std::same_as<Hash128>;
  { filter.key_of(std::string_view()) } -> std::same_as<Result<Hash128>>;
  { filter.key_of(parts) } -> std::same_as<Result<Hash128>>;
  { filter.template of<std::int64_t>().may_contain(1) } -> std::same_as<bool>;

  { filter.type() } -> std::same_as<FilterType>;
  { filter.capacity() } -> std::same_as<std::uint64_t>;
  { filter.target_fpp() } -> std::same_as<double>;
  { filter.inserted() } -> std::same_as<std::uint64_t>;
  { filter.byte_size() } -> std::same_as<std::uint64_t>;
  { filter.file_bytes() } -> std::same_as<std::uint64_t>;
  { filter.hash_spec() } -> std::same_as<const HashSpec&>;
  { filter.key_treatment() } -> std::same_as<const KeyTreatment&>;
  { filter.metadata() } -> std::same_as<const std::string&>;
  { filter.exceptions() } -> std::same_as<std::vector<Hash128>>;
  { filter.is_exception(hash) } -> std::same_as<bool>;

  { filter.fill_ratio() } -> std::same_as<double>;
  { filter.current_fpp() } -> std::same_as<double>;
  { filter.estimated_count() } -> std::same_as<double>;
  { filter.over_capacity() } -> std::same_as<bool>;
};

template <typename Filter>
concept DynamicFilter = MembershipFilter<Filter> &&
    requires(Filter& filter, const Filter& other, const Hash128& hash, std::span<const Hash128> hashes,
             std::span<std::uint64_t> answers) {
  { Filter::kMayRefuse } -> std::convertible_to<bool>;
  { filter.insert(hash) } -> std::same_as<bool>;
  { filter.insert(std::string_view()) } -> std::same_as<bool>;
  { filter.insert_batch(hashes) } -> std::same_as<std::uint64_t>;
  { filter.insert_batch(hashes, Sharing::kExclusive) } -> std::same_as<std::uint64_t>;
  { filter.test_and_insert(hash) } -> std::same_as<TestedInsert>;
  { filter.test_and_insert(std::string_view()) } -> std::same_as<TestedInsert>;
  { filter.test_and_insert_batch(hashes, answers) } -> std::same_as<std::uint64_t>;
  { filter.test_and_insert_batch(hashes, answers, Sharing::kExclusive) } -> std::same_as<std::uint64_t>;
  { filter.merge(other) } -> std::same_as<Status>;
};

template <typename Filter>
concept RemovingFilter = DynamicFilter<Filter> &&
    requires(Filter& filter, const Filter& asked, const Hash128& hash, std::span<const Hash128> hashes,
             std::span<std::uint64_t> answers) {
  { filter.remove(hash) } -> std::same_as<bool>;
  { filter.remove(std::string_view()) } -> std::same_as<bool>;
  { filter.remove_batch(hashes, answers) } -> std::same_as<std::uint64_t>;
  { asked.count_at_most(hash) } -> std::same_as<std::optional<std::uint64_t>>;
  { asked.count_at_most(std::string_view()) } -> std::same_as<std::optional<std::uint64_t>>;
};

}  // namespace bloomery
