// The levels at which a block list has entries: the prefix lengths of its networks, or the label counts of
// its domain names. A query looks up a text at these levels only, so they decide its cost.
//
//   form            level             is
//   cidr            0 .. 32           the prefix length of a network of IPv4
//                   33 .. 161         33 more than the prefix length of a network of IPv6
//   domain-suffix   1 .. 127          the number of labels
//   others          none
//
// A filter records its own levels: for every level that its entries have, it also holds a level key, which
// no text can spell. Opening the filter queries it for all level keys. So levels need no storage outside
// the filter, and they are inserted, merged and copied like keys.
//
//   form            level key
//   cidr            the family (4 or 6) and the prefix length: the first bytes of a network's key
//   domain-suffix   0 and the number of labels
//
// Invariant: a level key is inserted before the first key of its level, and is never removed. A false
// positive among level keys costs one more lookup for each text. Source: docs/formats/block-list-keys.md.
// block_list.h reads the levels of a filter.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "bloomery/hash/network.h"

namespace bloomery {

class KeyLevels {
 public:
  static constexpr std::size_t kMost = 162;

  // Returns the levels that keys of a form can have.
  static KeyLevels all_of(KeyForm form);
  // Returns the level of the networks of a family and prefix length.
  static constexpr std::size_t of_network(AddressFamily family, unsigned prefix_length) {
    return prefix_length + (family == AddressFamily::kIpv6 ? std::size_t{33} : 0);
  }
  // Returns the level of a key of the form, or nothing if the form has no levels. Precondition: the form
  // made `key`.
  static std::optional<std::size_t> of_key(KeyForm form, std::span<const std::byte> key);

  bool has(std::size_t level) const { return levels_[level]; }
  void add(std::size_t level) { levels_.set(level); }
  bool empty() const { return levels_.none(); }
  std::size_t count() const { return levels_.count(); }
  KeyLevels& operator|=(const KeyLevels& other) {
    levels_ |= other.levels_;
    return *this;
  }
  // Calls visit(level) for each level, in ascending order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t level = 0; level < kMost; ++level) {
      if (levels_[level]) {
        visit(level);
      }
    }
  }

  friend bool operator==(const KeyLevels&, const KeyLevels&) = default;

 private:
  std::bitset<kMost> levels_;
};

// Appends the level key. Precondition: the form has the level.
void append_level_key(KeyWriter& writer, KeyForm form, std::size_t level);
Hash128 level_hash(KeyForm form, std::size_t level, const HashSpec& hash);

// The maximal number of questions of a URL: 5 hosts times 6 paths.
inline constexpr std::size_t kMostUrlQuestions = 30;

// Returns the maximal number of questions that one text asks of a list with these levels; 1 for a form that
// is not one of block lists. For cidr this is the maximum over the two families. An IPv4-mapped spelling of
// an address also asks for networks of IPv6 that contain all of IPv4, which are rare.
std::size_t most_questions(KeyForm form, const KeyLevels& levels);

// Returns "IPv4 /8 /24, IPv6 /32", "1, 2 and 4 labels", or an empty text if there are no levels.
std::string describe(KeyForm form, const KeyLevels& levels);

}  // namespace bloomery
