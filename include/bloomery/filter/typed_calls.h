// The calls of a filter that accept keys of any type.
//
//   TypedCalls      insert, may_contain, test_and_insert, and the views for one integer type (typed_view.h)
//   TypedRemovals   remove, count_at_most
//
// A filter type inherits them, and brings into its class those that it has for a hash:
//
//    class F : public NativeFilter, public TypedCalls<F> {
//      bool insert(const Hash128& hash);
//      using TypedCalls::insert;                // filter.insert("a key"), filter.insert(std::uint64_t{42})
//
// A key is of any type that append_key() knows (bloomery/hash/key_writer.h). An integer is hashed with the
// width of its type; of() gives a view that accepts one width only. Precondition of each call: the filter's
// hash is not kReadyDigest. Errors, cost and threads are those of the call for the key's hash.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

template <typename Filter>
class TypedCalls : public TypedViews<Filter> {
 public:
  // Returns true if the key is in, and false if the filter refused it.
  template <Key K>
  bool insert(const K& key) requires(!RefusingFilter<Filter>) {
    return self().insert(self().hash(key));
  }
  template <Key K>
  [[nodiscard]] bool insert(const K& key) requires(RefusingFilter<Filter>) {
    return self().insert(self().hash(key));
  }
  template <Key K>
  bool may_contain(const K& key) const {
    const auto& filter = static_cast<const Filter&>(*this);
    return filter.may_contain(filter.hash(key));
  }
  template <Key K>
  TestedInsert test_and_insert(const K& key) {
    return self().test_and_insert(self().hash(key));
  }

 private:
  Filter& self() { return static_cast<Filter&>(*this); }
};

template <typename Filter>
class TypedRemovals {
 public:
  template <Key K>
  bool remove(const K& key) {
    auto& filter = static_cast<Filter&>(*this);
    return filter.remove(filter.hash(key));
  }
  template <Key K>
  std::optional<std::uint64_t> count_at_most(const K& key) const {
    const auto& filter = static_cast<const Filter&>(*this);
    return filter.count_at_most(filter.hash(key));
  }
};

}  // namespace bloomery
