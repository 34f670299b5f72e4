// Opens, recognises and makes filters of other systems. Each dialect has a name.
//
// Example:
//    auto builder = build_dialect("guava", {.capacity = 1000, .fpp = 0.01, .bits_per_key = {}});
//    Status added = (*builder)->add(keys);
//    auto filter = (*builder)->finish();
//    Status saved = (*filter)->save("keys.guava", {.replace = true});
//
//    auto opened = open_dialect("keys.guava", "guava");
//    const bool maybe = (*opened)->may_contain("a key");
//
// A dialect is named NAME or NAME:OPTION[,OPTION...]: "guava", "guava:mitz32", "simple-java:bits=65536".
// All functions are safe from any thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_description.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// Returns all dialects in alphabetical order.
std::vector<DialectDescription> dialects();
// Returns the description of a dialect such as "guava:mitz64", or nothing for an unknown name.
std::optional<DialectDescription> describe_dialect(std::string_view dialect);

// Returns the candidate dialects for the bytes of a file: the certain ones, or else the possible ones. A
// format that any bytes could have is never among them.
std::vector<RecognisedDialect> recognise_dialects(std::span<const std::byte> file);
// Recognises the file `path`, whose name may identify the dialect, too (nb-1-big-Filter.db). Errors:
// kNotFound, kIo.
Result<std::vector<RecognisedDialect>> recognise_dialects(const std::string& path);

// Opens the file `path`. Without a name, the file's dialect must be certain, since a wrong dialect would
// cause false negatives. To save the filter over the file later, acquire a FileLock before opening it and
// pass it to save().
//
// The filter keeps at most the bytes of its file in memory. If the file is compressed, `memory` limits what
// it keeps.
//
// Errors:
//
//   kNotFound, kIo     the file cannot be read
//   kInvalidArgument   the name or option is unknown, or contradicts the file; or no name is given and the
//                      bytes are ambiguous, and then the message names the candidates
//   kCorruption, kUnsupported, kCapacity
Result<std::unique_ptr<DialectFilter>> open_dialect(const std::string& path, std::string_view dialect = {},
                                                    const FileMemory& memory = {},
                                                    MissingFilters missing = MissingFilters::kRefuse);
// Opens bytes in memory, which must outlive the filter. Errors: those of open_dialect() except kNotFound
// and kIo.
Result<std::unique_ptr<DialectFilter>> view_dialect(std::span<const std::byte> file,
                                                    std::string_view dialect = {},
                                                    const FileMemory& memory = {},
                                                    MissingFilters missing = MissingFilters::kRefuse);

// Begins a new filter. Errors: kInvalidArgument for an unknown name or option or an impossible plan. Also
// kUnsupported if filters of this dialect can only be read, and kCapacity.
Result<std::unique_ptr<DialectBuilder>> build_dialect(std::string_view dialect, const DialectPlan& plan);

}  // namespace bloomery
