// One row of COPY ... TO STDOUT in text format: fields between tabs, \N for NULL, and backslashes before
// ambiguous bytes.
//
// Source: PostgreSQL 15, documentation, COPY, "Text Format".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::postgres {

// The fields of a row; nothing for NULL. The values are valid until the next read().
class CopyRow {
 public:
  // Reads a row with its newline or without. Errors: kCorruption unless it has `columns` fields.
  Status read(std::string_view line, std::size_t columns);
  const std::vector<std::optional<std::string_view>>& fields() const { return fields_; }

 private:
  std::string text_;  // of the fields, unescaped
  std::vector<std::optional<std::string_view>> fields_;
};

}  // namespace bloomery::postgres
