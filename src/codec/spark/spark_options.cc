#include "codec/spark/spark_options.h"

#include <string>

#include "codec/plan.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

template <typename Number>
Result<Number> option_number(std::string_view word, std::size_t prefix, const char* expected) {
  const std::string_view digits = word.substr(prefix);
  const std::optional<Number> number = number_from_text<Number>(digits);
  if (!number) {
    return unknown_option("spark", expected, word);
  }
  return *number;
}

Error contradicts(const std::string& what, std::int64_t named, std::int64_t found) {
  return Error::invalid_argument("spark header", what + ": expected " + std::to_string(named) +
                                                     " as named, found " + std::to_string(found));
}

}  // namespace

Result<SparkOptions> read_spark_options(std::string_view option) {
  SparkOptions options;
  for (const std::string_view word : option_words(option)) {
    if (word == "v1" || word == "v2") {
      const SparkVersion version = word == "v1" ? SparkVersion::kV1 : SparkVersion::kV2;
      if (options.version.value_or(version) != version) {
        return unknown_option("spark", "one of v1 and v2", option);
      }
      options.version = version;
    } else if (word.starts_with("seed=")) {
      BLOOMERY_ASSIGN_OR_RETURN(options.seed,
                                option_number<std::int32_t>(word, 5, "seed=N with N from -2^31 to 2^31 - 1"));
    } else if (word.starts_with("bits=")) {
      BLOOMERY_ASSIGN_OR_RETURN(options.bits,
                                option_number<std::uint64_t>(word, 5, "bits=N with N of at least 1"));
    } else {
      return unknown_option("spark", "v1, v2, seed=N or bits=N", word);
    }
  }
  if (options.version == SparkVersion::kV1 && options.seed) {
    return unknown_option("spark", "no seed with v1, which has none", option);
  }
  return options;
}

Status check_spark_file(const SparkOptions& options, const SparkHeader& header) {
  if (options.version && *options.version != header.version) {
    return contradicts("version", static_cast<int>(*options.version), static_cast<int>(header.version));
  }
  if (options.seed && header.version == SparkVersion::kV1) {
    return Error::invalid_argument("spark header",
                                   "seed: expected a filter of version 2, found one of version 1");
  }
  if (options.seed && *options.seed != header.seed) {
    return contradicts("seed", *options.seed, header.seed);
  }
  if (options.bits && *options.bits / 64 + (*options.bits % 64 != 0 ? 1 : 0) != header.words) {
    return Error::invalid_argument("spark header", "bits: expected the words of " +
                                                       std::to_string(*options.bits) + " as named, found " +
                                                       std::to_string(header.words) + " words");
  }
  return {};
}

}  // namespace bloomery
