// The record of a resumable build: the command, the output and the inputs that its folder belongs to.
//
// It is a text of lines "NAME: VALUE". A build resumes only if it would write exactly the same text, so that
// the progress of one build is never used for another build:
//
//    word     each word of the command line, except --force, --summary and --no-summary
//    output   the file, as an absolute path
//   input    each file: name, device, inode, size, and the time of its last change; "a stream" for a pipe
//    hash     its id, its seed, and the id of its key
//
// Streams cannot be compared, so for a stream only the other lines decide.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "cli/build_plan.h"

namespace bloomery::cli {

// Errors: kNotFound or kIo for an input file.
Result<std::string> resume_record(const BuildPlan& plan, const HashSpec& hash);

// Returns the first differing line, as "expected WANTED, found FOUND".
std::string record_difference(const std::string& wanted, const std::string& found);

}  // namespace bloomery::cli
