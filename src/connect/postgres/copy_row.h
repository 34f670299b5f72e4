// Parses one row of COPY ... TO STDOUT in text format: fields are separated by tabs, NULL is \N, and a
// backslash escapes ambiguous bytes.
//
// Source: PostgreSQL 15, documentation, COPY, "Text Format".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::postgres {

// The fields of a row; a NULL is an empty optional. The values are valid until the next read().
class CopyRow {
 public:
  // Reads a row with or without its newline. Errors: kCorruption if it does not have `columns` fields.
  Status read(std::string_view line, std::size_t columns);
  const std::vector<std::optional<std::string_view>>& fields() const { return fields_; }

 private:
  std::string text_;  // the unescaped fields
  std::vector<std::optional<std::string_view>> fields_;
};

}  // namespace bloomery::postgres
