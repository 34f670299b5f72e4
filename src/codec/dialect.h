// A dialect as the list of dialects sees it: one row of names and functions, given by each folder below this
// one.
//
// To add one: src/codec/<system>/<system>_dialect.{h,cc} with a function `Dialect <system>_dialect()`, a line
// in src/dialects/dialects.cc, its sources in CMakeLists.txt. A folder includes base, hash, compress, filter,
// the files that lie in codec itself, and no other system's folder.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_description.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// The bytes of one file.
struct DialectSource {
  std::span<const std::byte> bytes;
  // Of the file, for a format that has others beside it; empty for bytes in memory.
  std::string path;
  // A filter that reads `bytes` after its opening holds this (DialectFilter::hold); null when the caller
  // keeps them.
  std::shared_ptr<const void> owner;
  // Whatever is kept of the file is charged to it; null where nobody counts.
  std::shared_ptr<MemoryBudget> memory = {};

  // Charges `bytes_kept` for as long as what it returns lives: for DialectFilter::hold(). Errors: kCapacity, of
  // `part`.
  Result<std::shared_ptr<const void>> charged(const char* part, std::uint64_t bytes_kept) const {
    auto share = std::make_shared<MemoryShare>(memory);
    BLOOMERY_RETURN_IF_ERROR(share->add(part, bytes_kept));
    return std::shared_ptr<const void>(std::move(share));
  }
};

struct Dialect {
  DialectDescription description;
  // Reads no more of the file than what tells: a header, a footer, an array of offsets. Never fails.
  RecognisedDialect (*recognise)(std::span<const std::byte> file);
  // `option` is what stands behind the colon, empty for none. Trusts nothing in the file.
  Result<std::unique_ptr<DialectFilter>> (*open)(const DialectSource& source, std::string_view option);
  // Null where filters of this dialect are only read.
  Result<std::unique_ptr<DialectBuilder>> (*build)(const DialectPlan& plan, std::string_view option);
};

}  // namespace bloomery
