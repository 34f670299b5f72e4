// The arguments of a command, with their types: errors name the argument and what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "cli/shell/shell_value.h"

namespace bloomery::cli {

// Errors of all: kInvalidArgument, with the name as its subject. A text may also be a number or a truth
// value, which is then text as Ruby's to_s.
Result<std::string> text_argument(std::string_view name, const ShellValue& value);
Result<std::int64_t> whole_argument(std::string_view name, const ShellValue& value);
Result<bool> truth_argument(std::string_view name, const ShellValue& value);
// A text, or a list of texts.
Result<std::vector<std::string>> texts_argument(std::string_view name, const ShellValue& value);
// Splits "f:q" as HBase does. "f" and "f:" have no qualifier.
RequestedColumn column_of_text(std::string_view text);
// Milliseconds since 1970.
Result<std::int64_t> timestamp_argument(const ShellValue& value);

// Reads the values of a hash by their names.
class ShellOptions {
 public:
  explicit ShellOptions(const ShellHash& hash) : hash_(hash), is_taken_(hash.size()) {}

  // Returns null if the hash has no such name, or nil.
  const ShellValue* take(std::string_view name);
  Result<std::optional<std::string>> take_text(std::string_view name);
  Result<std::optional<std::int64_t>> take_whole(std::string_view name);
  Result<bool> take_truth(std::string_view name);
  // Returns an error if the hash has a name that was not taken. `known` lists the names for its message.
  Status check_all_taken(std::string_view command, std::string_view known) const;

 private:
  const ShellHash& hash_;
  std::vector<bool> is_taken_;
};

}  // namespace bloomery::cli
