// The keys of a text, for a filter of any key form. It is for programs whose texts do not come from lines (KeyMaker).
//
//   purpose   form           keys
//   kAsk      block lists    the questions; the text is in if one of them is
//   kAsk      all others     one
//   kInsert   block lists    the level key, if the entry's level is new here, and the key of the entry
//   kInsert   all others     one
//   kName     all            one: that of the entry, to remove it
//
// A composite key is made of several texts, each behind its length. Source: NativeFilter::key_of(), which makes the same
// keys but for URLs and block lists.
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

// One thread at a time.
class TextKeys {
 public:
  TextKeys(const KeyTreatment& treatment, TextPurpose purpose);

  // Sets the levels that questions are asked at. Until then all are.
  void ask_at(const KeyLevels& levels) { levels_ = levels; }

  // Makes the keys of the texts. keys() returns them. Errors: kInvalidArgument for a wrong number of texts, or one that
  // is not of the form.
  Status make(std::span<const std::string_view> texts);
  // Returns the bytes of the keys, which hold until the next make().
  std::span<const std::span<const std::byte>> keys() const { return keys_; }

 private:
  Status make_composite(std::span<const std::string_view> texts);
  Status make_entry(std::string_view text);

  KeyTreatment treatment_;
  TextPurpose purpose_;
  FormedText formed_;
  std::optional<BlockListKeys> list_;
  KeyLevels levels_;
  KeyLevels inserted_;  // whose level keys were made here
  KeyWriter writer_;
  std::vector<std::size_t> ends_;
  std::vector<std::span<const std::byte>> keys_;
};

}  // namespace bloomery
