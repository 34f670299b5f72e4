// `build -t ribbon --shards I/N`, the second step of a distributed build. It reads the range files of one
// hash range, one file from every machine, and makes a part of the ribbon (filter/ribbon/ribbon_part.h).
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns true if build_part() applies, because the first FILE is a range file of a distributed build.
bool builds_part(const BuildOptions& options);

// Returns the fpp that the options mean for a ribbon of `capacity` keys.
Result<double> ribbon_fpp(const BuildOptions& options, std::uint64_t capacity);

// Returns how many threads can build shards within the memory of the build.
Result<unsigned> part_threads(const BuildOptions& options);

// Returns the exit status. Precondition: the options' keys are parsed, and the output may be written.
Result<int> build_part(const BuildOptions& options, const OutputFile& output);

}  // namespace bloomery::cli
