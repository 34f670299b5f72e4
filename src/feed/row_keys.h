// Makes the key of a row: the texts of its key columns, in the form that the filter records.
//
// A NULL counts as an empty text. No comparison in SQL finds such a row, so its key is not needed; but it
// costs only one key and avoids a special case. A text that does not have the key form (a NULL as int64,
// "abc" as hex) yields no key, since no query can have it either. Rows without a key are counted.
//
// A row has one key for each combination of its values' spellings. A bool is t and true, so two bool columns
// make four keys.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "connect/postgres/table_watch.h"
#include "feed/key_batch.h"

namespace bloomery::feed {

class RowKeys {
 public:
  explicit RowKeys(const KeyTreatment& treatment, std::vector<postgres::Spelling> spellings = {})
      : treatment_(treatment) {
    set_spellings(std::move(spellings));
  }
  // Sets the spelling of each column; by default each value has one.
  void set_spellings(std::vector<postgres::Spelling> spellings) {
    spellings_ = std::move(spellings);
    spelled_.clear();
    for (std::size_t i = 0; i < spellings_.size(); ++i) {
      if (spellings_[i] != postgres::Spelling::kOne) {
        spelled_.push_back(i);
      }
    }
  }
  // Returns the maximum number of keys of a row.
  std::uint64_t keys_per_row() const { return std::uint64_t{1} << spelled_.size(); }

  // Adds the keys of one row. Precondition: `fields` has one field for each part of the key treatment.
  void add(std::span<const std::optional<std::string_view>> fields, KeyBatch& batch) {
    if (!add_one(fields, batch)) {
      ++without_key_;
      return;
    }
    for (std::uint64_t choice = 1; choice < keys_per_row(); ++choice) {
      if (respell(fields, choice)) {
        (void)add_one(respelled_, batch);  // a text that is not of the key form cannot be queried
      }
    }
  }
  // Returns how many rows yielded no key, because a text did not have the key form.
  std::uint64_t without_key() const { return without_key_; }

 private:
  bool add_one(std::span<const std::optional<std::string_view>> fields, KeyBatch& batch) {
    writer_.clear();
    for (const std::optional<std::string_view>& field : fields) {
      const std::size_t start = writer_.begin_part();
      if (!append_formed(writer_, field.value_or(std::string_view()), treatment_)) {
        return false;
      }
      if (treatment_.parts != 1) {
        writer_.end_part(start);
      }
    }
    batch.add(writer_.bytes());
    return true;
  }

  // Respells the fields whose columns have their bit set in `choice`. Returns false if one of them has no
  // other spelling.
  bool respell(std::span<const std::optional<std::string_view>> fields, std::uint64_t choice) {
    respelled_.assign(fields.begin(), fields.end());
    for (std::size_t bit = 0; bit < spelled_.size(); ++bit) {
      if ((choice >> bit & 1) == 0) {
        continue;
      }
      const std::size_t column = spelled_[bit];
      std::string& text = texts_[bit];
      text = other_spelling(fields[column].value_or(std::string_view()), spellings_[column]);
      if (text.empty()) {
        return false;
      }
      respelled_[column] = text;
    }
    return true;
  }

  // Returns the other spelling of a bool (t: true) or of an address (::1: ::1/128), or an empty text if there
  // is none.
  static std::string other_spelling(std::string_view text, postgres::Spelling spelling) {
    if (spelling == postgres::Spelling::kBool) {
      return text == "t" ? "true" : text == "f" ? "false" : "";
    }
    const bool is_address = !text.empty() && text.find('/') == std::string_view::npos;
    const bool is_long = text.find(':') != std::string_view::npos;
    return is_address ? std::string(text) + (is_long ? "/128" : "/32") : std::string();
  }

  KeyTreatment treatment_;
  std::vector<postgres::Spelling> spellings_;
  std::vector<std::size_t> spelled_;  // indexes of the columns whose values have two spellings
  std::array<std::string, postgres::kMostSpelled> texts_;
  std::vector<std::optional<std::string_view>> respelled_;
  KeyWriter writer_;
  std::uint64_t without_key_ = 0;
};

}  // namespace bloomery::feed
