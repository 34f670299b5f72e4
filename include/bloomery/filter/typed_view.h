// A view of a filter for one type of integer keys. No call through it accepts a key of another width.
//
// Example:
//    auto filter = BlockedBloomFilter::for_capacity(1000, 0.01);
//    auto ids = filter->of<std::int64_t>();
//    ids.insert(42);                             // hashes 8 bytes, as do all keys through this view
//    const bool maybe = ids.may_contain(42L);    // the same key
//    // ids.may_contain(std::uint64_t{42});      // does not compile: not every value is an int64_t
//
// Without the view, the width of a key is that of its C++ type, and 42 and 42L are different keys. The
// bytes are those that append_key() writes for the type: little-endian two's complement, equal to the key
// forms int32 and int64 of the tools.
//
// The view refers to the filter, which must outlive it and must not move. Cost and threads are those of the
// filter.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "bloomery/base/force_inline.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

// A numeric type that is neither bool nor a character type.
template <typename T>
concept IntegerKey =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// An integer type whose values are all values of T.
template <typename U, typename T>
concept FitsInto = IntegerKey<U> &&
    std::in_range<T>(std::numeric_limits<U>::min()) && std::in_range<T>(std::numeric_limits<U>::max());

// A filter type whose inserts may be refused.
template <typename Filter>
concept RefusingFilter = requires {
  requires Filter::kMayRefuse;
};

// A filter from which keys of a type can be removed, and one that counts them.
template <typename Filter, typename T>
concept RemovesKeys = requires(Filter& filter, T key) {
  filter.remove(key);
};
template <typename Filter, typename T>
concept CountsKeys = requires(Filter& filter, T key) {
  filter.count_at_most(key);
};

template <typename Filter, IntegerKey T>
class TypedView {
 public:
  explicit TypedView(Filter& filter) : filter_(&filter) {}

  template <FitsInto<T> Key>
  BLOOMERY_FORCE_INLINE bool may_contain(Key key) const {
    return filter_->may_contain(static_cast<T>(key));
  }

  // Returns true if the key is in, and false if the filter refused it.
  template <FitsInto<T> Key>
  BLOOMERY_FORCE_INLINE bool insert(Key key) const requires(!RefusingFilter<Filter>) {
    return filter_->insert(static_cast<T>(key));
  }
  template <FitsInto<T> Key>
  [[nodiscard]] bool insert(Key key) const requires(RefusingFilter<Filter>) {
    return filter_->insert(static_cast<T>(key));
  }
  template <FitsInto<T> Key>
  BLOOMERY_FORCE_INLINE TestedInsert test_and_insert(Key key) const {
    return filter_->test_and_insert(static_cast<T>(key));
  }

  // These calls exist only for filters that remove or count keys.
  template <FitsInto<T> Key>
  bool remove(Key key) const requires RemovesKeys<Filter, T> {
    return filter_->remove(static_cast<T>(key));
  }
  template <FitsInto<T> Key>
  std::optional<std::uint64_t> count_at_most(Key key) const requires CountsKeys<Filter, T> {
    return filter_->count_at_most(static_cast<T>(key));
  }

 private:
  Filter* filter_;
};

// Adds the views to a filter type.
template <typename Filter>
class TypedViews {
 public:
  template <IntegerKey T>
  TypedView<Filter, T> of() & {
    return TypedView<Filter, T>(static_cast<Filter&>(*this));
  }
  template <IntegerKey T>
  TypedView<const Filter, T> of() const& {
    return TypedView<const Filter, T>(static_cast<const Filter&>(*this));
  }
  // Forbids a view of a temporary filter.
  template <IntegerKey T>
  void of() && = delete;
};

}  // namespace bloomery
