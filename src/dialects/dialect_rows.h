// The rows of the list of dialects, for code of this project. Programs use bloomery/dialects/dialects.h.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/dialect.h"

namespace bloomery {

// The row of HFiles, in hfile_dialect.cc.
Dialect hfile_dialect();

// Returns all rows, in alphabetical order. They never change.
std::span<const Dialect> dialect_rows();

// NAME or NAME:OPTION. `option` is a view of the text that was parsed.
struct NamedDialect {
  const Dialect* row;  // for an unknown name one with all defaults; never null
  std::string_view option;

  bool is_known() const { return !row->description.name.empty(); }
};
NamedDialect named_dialect(std::string_view text);

// Checks, before any key is read, that a new filter of the dialect may have this path
// (DialectFilter::check_path()). Errors: kInvalidArgument.
Status check_output_of_dialect(const std::string& path, std::string_view dialect);

}  // namespace bloomery
