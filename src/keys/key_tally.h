// Counts of lines and keys. The counts of several runs add up.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bloomery {

struct KeyTally {
  std::uint64_t taken = 0;          // lines that have a key
  std::uint64_t with_fields = 0;    // lines whose key consists of fields, missing or not
  std::uint64_t without_field = 0;  // those of `with_fields` that lack a field
  std::uint64_t bad = 0;            // lines that were left out: malformed, or not of the key form
  std::uint64_t like_first = 0;     // lines of `with_fields` whose key equals the first one
  std::uint64_t comments = 0;       // lines that were left out as comments
  std::uint64_t without_url = 0;    // lines whose key should be a URL and is none
  std::uint64_t too_deep = 0;       // entries of block lists that queries for deeper URLs do not find

  KeyTally& operator+=(const KeyTally& other) {
    taken += other.taken;
    comments += other.comments;
    with_fields += other.with_fields;
    without_field += other.without_field;
    bad += other.bad;
    like_first += other.like_first;
    without_url += other.without_url;
    too_deep += other.too_deep;
    return *this;
  }
  KeyTally& operator-=(const KeyTally& other) {
    taken -= other.taken;
    comments -= other.comments;
    with_fields -= other.with_fields;
    without_field -= other.without_field;
    bad -= other.bad;
    like_first -= other.like_first;
    without_url -= other.without_url;
    too_deep -= other.too_deep;
    return *this;
  }
};

// Returns the largest of each count.
inline KeyTally largest(const KeyTally& a, const KeyTally& b) {
  return {.taken = std::max(a.taken, b.taken),
          .with_fields = std::max(a.with_fields, b.with_fields),
          .without_field = std::max(a.without_field, b.without_field),
          .bad = std::max(a.bad, b.bad),
          .like_first = std::max(a.like_first, b.like_first),
          .comments = std::max(a.comments, b.comments),
          .without_url = std::max(a.without_url, b.without_url),
          .too_deep = std::max(a.too_deep, b.too_deep)};
}

}  // namespace bloomery
