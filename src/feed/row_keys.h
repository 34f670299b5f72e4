// Makes the key of a row: the texts of its key columns, in the form that the filter records.
//
// A NULL counts as an empty text. No comparison in SQL finds such a row, so the key would not be needed; but it costs one key
// and spares a rule. A text that is not of the key form (a NULL as int64, "abc" as hex) gives no key, since no question for
// it could be asked either. Such rows are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "feed/key_batch.h"

namespace bloomery::feed {

class RowKeys {
 public:
  explicit RowKeys(const KeyTreatment& treatment) : treatment_(treatment) {}

  // Adds the key of one row. Precondition: as many fields as the treatment has parts.
  void add(std::span<const std::optional<std::string_view>> fields, KeyBatch& batch) {
    writer_.clear();
    for (const std::optional<std::string_view>& field : fields) {
      const std::size_t start = writer_.begin_part();
      if (!append_formed(writer_, field.value_or(std::string_view()), treatment_)) {
        ++without_key_;
        return;
      }
      if (treatment_.parts != 1) {
        writer_.end_part(start);
      }
    }
    batch.add(writer_.bytes());
  }
  // Returns how many rows had no key of the form.
  std::uint64_t without_key() const { return without_key_; }

 private:
  KeyTreatment treatment_;
  KeyWriter writer_;
  std::uint64_t without_key_ = 0;
};

}  // namespace bloomery::feed
