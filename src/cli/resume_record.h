// The record of a build that can be resumed: which command, which input and which output its folder is for.
//
// It is a text of lines "NAME: VALUE". A build goes on only if it would write the very same text, so that the work
// of one build is never taken for that of another:
//
//    word     each word of the command line, but for --force, --summary and --no-summary
//    output   the file, as an absolute path
//    input    each file: name, device, inode, size, and the time of its last change; "a stream" for a pipe
//    hash     its id, its seed, and the id of its key
//
// Nobody can tell whether two streams have the same keys. So of a stream the rest of the record decides.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Errors: kNotFound, kIo for an input.
Result<std::string> resume_record(const BuildOptions& options, const HashSpec& hash);

// Returns the first difference, as "expected WANTED, found FOUND".
std::string record_difference(const std::string& wanted, const std::string& found);

}  // namespace bloomery::cli
