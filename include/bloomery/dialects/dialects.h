// The dialects this build knows, by name: open, recognise and make filters of other systems.
//
// A dialect is named NAME or NAME:OPTION[,OPTION...] ("guava", "guava:mitz32", "simple-java:bits=65536"). All
// functions are safe from any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_description.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// In alphabetical order.
std::vector<DialectDescription> dialects();

// Returns the dialects that the bytes of a file may be of: the certain ones, else the possible ones. A format
// that any bytes could be of is never among them.
std::vector<RecognisedDialect> recognise_dialects(std::span<const std::byte> file);
// The same for the file `path`. Errors: kNotFound, kIo.
Result<std::vector<RecognisedDialect>> recognise_dialects(const std::string& path);

// Opens the file `path`. Without a name it must be certain which dialect it is of: a wrong one would be a
// wrong no. One that is to be saved over itself is opened under a FileLock, which its save() is given. Keeps no more of
// the file than its bytes, or, of what is compressed, than `memory` allows.
//   Errors: kNotFound, kIo; kInvalidArgument for an unknown name or option, one that contradicts the file, or
//   none where the bytes do not tell (the candidates are named); kCorruption, kUnsupported, kCapacity.
Result<std::unique_ptr<DialectFilter>> open_dialect(const std::string& path, std::string_view dialect = {},
                                                    const FileMemory& memory = {});
// Opens bytes in memory, which must outlive the filter.
Result<std::unique_ptr<DialectFilter>> view_dialect(std::span<const std::byte> file,
                                                    std::string_view dialect = {},
                                                    const FileMemory& memory = {});

// Begins a new filter. Errors: kInvalidArgument for an unknown name or option or an impossible plan;
// kUnsupported where filters of this dialect are only read; kCapacity.
Result<std::unique_ptr<DialectBuilder>> build_dialect(std::string_view dialect, const DialectPlan& plan);

}  // namespace bloomery
