// `build -t ribbon --resume DIR`: a build whose progress survives kill -9 and a crash of the machine.
//
//   DIR/record                  identifies the build (resume_record.h); locked while a process works
//    DIR/range-I-of-N.hashes     the spool, in 4 to 64 ranges (filter/spool/range_files.h)
//   DIR/spooled                 written when all range files are complete
//   DIR/part.I                  a finished part (filter/ribbon/ribbon_part.h), which replaces its range file
//
// The same command resumes a killed build:
//
//   killed                      continues
//   while it spooled            from the start: it spools again and prints that
//    while it built              after the last finished part; the input is not read again
//   while it wrote the filter   by joining the parts
//
// Once the filter has its name, the folder and its contents are removed. Files of other names are never
// touched: a folder that has such files, and no record, is refused.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: the output may be written.
Result<int> build_resumable(const BuildPlan& plan, const OutputFile& output);

}  // namespace bloomery::cli
