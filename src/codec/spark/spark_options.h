// The words of the option after the name `spark`: v1 or v2, seed=N, bits=N.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/spark/spark_header.h"

namespace bloomery {

struct SparkOptions {
  std::optional<SparkVersion> version;
  std::optional<std::int32_t> seed;
  std::optional<std::uint64_t> bits;  // the argument of create(n, bits)
};

// Errors: kInvalidArgument for an unknown word, a number out of range, or a seed with version 1.
Result<SparkOptions> read_spark_options(std::string_view option);
// Checks that the options do not contradict a file. Errors: kInvalidArgument, which names the contradiction.
Status check_spark_file(const SparkOptions& options, const SparkHeader& header);

}  // namespace bloomery
