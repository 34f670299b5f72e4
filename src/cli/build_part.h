// `build -t ribbon --shards I/N` of range files, the second step of a spread build. The range files of one hash
// range, one from every machine, become a part of the ribbon (filter/ribbon/ribbon_part.h).
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns whether the first FILE is one of the files of a spread build, so that build_part() is meant.
bool builds_part(const BuildOptions& options);

// Returns the fpp of the options for a ribbon of so many keys.
Result<double> ribbon_fpp(const BuildOptions& options, std::uint64_t capacity);

// Returns the threads that build shards in the memory of the build.
Result<unsigned> part_threads(const BuildOptions& options);

// Returns the exit status. Precondition: the options' keys are parsed, and the output may be written.
Result<int> build_part(const BuildOptions& options, const OutputFile& output);

}  // namespace bloomery::cli
