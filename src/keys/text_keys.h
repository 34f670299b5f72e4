// The keys of a text, for a filter of any key form. For programs whose texts are not lines of
// a file (KeyMaker).
//
//   purpose   form           keys
//   kAsk      block lists    the questions; the text is in the list if one of them matches
//   kAsk      all others     one
//   kInsert   block lists    the level key, if the entry's level is new here, and the key of the entry
//   kInsert   all others     one
//   kName     all            one: the key of the entry, for removal
//
// A composite key consists of several texts, each after its length. Source: NativeFilter::key_of(), which
// makes the same keys except for URLs and block lists.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_levels.h"
#include "bloomery/hash/key_writer.h"
#include "keys/block_list_keys.h"
#include "keys/formed_text.h"

namespace bloomery {

enum class TextPurpose { kAsk, kInsert, kName };

// Threads: one at a time.
class TextKeys {
 public:
  TextKeys(const KeyTreatment& treatment, TextPurpose purpose);

  // Sets the levels of queries. By default a query covers all levels.
  void ask_at(const KeyLevels& levels) { levels_ = levels; }

  // Makes the keys of the texts. keys() returns them. Errors: kInvalidArgument for a wrong number of texts,
  // or for a text that is not of the form.
  Status make(std::span<const std::string_view> texts);
  // Returns the bytes of the keys, valid until the next make().
  std::span<const std::span<const std::byte>> keys() const { return keys_; }

 private:
  Status make_composite(std::span<const std::string_view> texts);
  Status make_entry(std::string_view text);

  KeyTreatment treatment_;
  TextPurpose purpose_;
  FormedText formed_;
  std::optional<BlockListKeys> list_;
  KeyLevels levels_;
  KeyLevels inserted_;  // the levels whose keys were already made here
  KeyWriter writer_;
  std::vector<std::size_t> ends_;
  std::vector<std::span<const std::byte>> keys_;
};

}  // namespace bloomery
