// The dictionary of a column chunk: its first page has the values, and data pages have indices of them.
//
//   indices = byte width, hybrid runs of that width (hybrid_runs.h)
//
// Writers may store values in a dictionary that no row has. So the dictionary marks the values that a page
// refers to, and passes each of these on once, however many rows have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/parquet/page_values.h"
#include "codec/parquet/value_batch.h"

namespace bloomery::parquet {

class ValueDictionary {
 public:
  // Reads the values of a dictionary page, whose bytes must outlive the dictionary. Errors: those of
  // read_page_values().
  static Result<ValueDictionary> read(const EncodedValues& values, std::shared_ptr<MemoryBudget> memory);

  // Marks the values that the indices of a page refer to. Errors: kCorruption.
  Status mark(const EncodedValues& indices);
  // Adds the marked values to the batch, which must be flushed before the dictionary's page is freed.
  Status add_marked(ValueBatch& batch) const;

 private:
  explicit ValueDictionary(MemoryShare memory) : memory_(std::move(memory)) {}

  MemoryShare memory_;
  std::vector<std::string_view> values_;
  std::vector<std::uint8_t> is_marked_;  // one byte per value: it is written once per row
};

}  // namespace bloomery::parquet
