// The dialect of org.apache.spark.util.sketch.BloomFilter, as its writeTo() writes it. Layout:
// spark_header.h.
//
//   spark[:v1|v2][,seed=N][,bits=N]
//
// Both versions are read; the version word tells which. Spark up to 4.0 knows only version 1; 4.1 makes
// version 2 with seed 0 by default. A long is eight bytes, little-endian; a string is its UTF-8; binary is
// unchanged. The file records neither n nor the fpp, nor the type of its keys. Bytes after the words are
// kept. Source: docs/formats/spark.md.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/sizing.h"
#include "codec/big_words.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/spark/spark_header.h"
#include "codec/spark/spark_kernel.h"
#include "codec/spark/spark_probes.h"
#include "codec/spark/spark_sizing.h"
#include "codec/stepped_fpp.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

// The words of the option after the name `spark`: v1 or v2, seed=N, bits=N.
struct SparkOptions {
  std::optional<SparkVersion> version;
  std::optional<std::int32_t> seed;
  std::optional<std::uint64_t> bits;  // the argument of create(n, bits)
};

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

// Errors: kInvalidArgument for an unknown word, a number out of range, or a seed with version 1.
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

// Checks that the options do not contradict a file. Errors: kInvalidArgument, which names the contradiction.
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

std::string name_of(const SparkHeader& header) {
  return header.version == SparkVersion::kV1
             ? "spark:v1"
             : "spark:v2" + (header.seed == 0 ? "" : ",seed=" + std::to_string(header.seed));
}

class SparkFilter final : public DialectFilter {
 public:
  SparkFilter(const SparkHeader& header, WordBits bits, std::vector<std::byte> behind)
      : header_(header), scheme_(scheme_of(header)), bits_(std::move(bits)), behind_(std::move(behind)) {}

  std::string dialect() const override { return name_of(header_); }
  DialectFacts facts() const override;

  bool may_contain(std::string_view key) const override {
    return std::visit(
        [&](const auto& scheme) { return chosen_spark_kernel(scheme).may_contain(bits_, scheme, key); },
        scheme_);
  }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    std::visit(
        [&](const auto& scheme) {
          chosen_spark_kernel(scheme).may_contain_batch(bits_, scheme, keys, answers);
        },
        scheme_);
  }
  Result<bool> insert(std::string_view key) override {
    return std::visit(
        [&](const auto& scheme) { return chosen_spark_kernel(scheme).insert(bits_, scheme, key); }, scheme_);
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    return std::visit(
        [&](const auto& scheme) { return chosen_spark_kernel(scheme).insert_batch(bits_, scheme, keys); },
        scheme_);
  }

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override {
    return std::visit([&](const auto& scheme) { return stepped_fpp(bits_, scheme); }, scheme_);
  }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  using Scheme = std::variant<SparkV1, SparkV2>;

  static Scheme scheme_of(const SparkHeader& header) {
    return header.version == SparkVersion::kV1
               ? Scheme(SparkV1(header.bits(), header.hash_count))
               : Scheme(SparkV2(header.bits(), header.hash_count, static_cast<std::uint32_t>(header.seed)));
  }

  SparkHeader header_;
  Scheme scheme_;
  WordBits bits_;
  std::vector<std::byte> behind_;  // the bytes of the file after the words, unchanged
};

DialectFacts SparkFilter::facts() const {
  DialectFacts facts;
  facts.bits = bits_.size();
  facts.hash_count = header_.hash_count;
  facts.set_bits = bits_.count();
  facts.more = {{"version", std::to_string(static_cast<int>(header_.version))}};
  if (header_.version == SparkVersion::kV2) {
    facts.more.emplace_back("seed", std::to_string(header_.seed));
  }
  if (!behind_.empty()) {
    facts.more.emplace_back("bytes behind the filter", std::to_string(behind_.size()));
  }
  return facts;
}

// Requires equal versions, sizes, hash counts and seeds, as Spark's mergeInPlace() does.
Status SparkFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const SparkFilter* const spark, same_dialect(*this, other));
  Differences differences;
  differences.compare("version", static_cast<int>(header_.version), static_cast<int>(spark->header_.version));
  differences.compare("bits", bits_.size(), spark->bits_.size());
  differences.compare("hash count", header_.hash_count, spark->header_.hash_count);
  differences.compare("seed", header_.seed, spark->header_.seed);
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  bits_.unite(spark->bits_);
  return {};
}

// Spark has no such function. This is the textbook's formula.
Result<double> SparkFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity("spark", "every bit is set: the number of keys cannot be told");
  }
  const auto bits = static_cast<double>(bits_.size());
  return -std::log1p(-static_cast<double>(set_bits) / bits) * bits / header_.hash_count;
}

Status SparkFilter::write(const Sink& sink) const {
  BLOOMERY_RETURN_IF_ERROR(sink(spark_header_bytes(header_).span()));
  BLOOMERY_RETURN_IF_ERROR(write_big_words(bits_, sink));
  return behind_.empty() ? Status() : sink(behind_);
}

RecognisedDialect recognise_spark(std::span<const std::byte> file) {
  const Result<SparkHeader> header = read_spark_header(file);
  if (!header) {
    return {.name = "spark", .recognition = Recognition::kNo};
  }
  // An intact file is certain: its version and its number of words, 64 bits together, fit the size of the
  // file.
  const bool whole = file.size() == header->filter_bytes();
  return {.name = name_of(*header), .recognition = whole ? Recognition::kCertain : Recognition::kNo};
}

Result<std::unique_ptr<DialectFilter>> open_spark(const DialectSource& source, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const SparkOptions options, read_spark_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(const SparkHeader header, read_spark_header(source.bytes));
  BLOOMERY_RETURN_IF_ERROR(check_spark_file(options, header));
  const auto behind = source.bytes.subspan(header.filter_bytes());
  BLOOMERY_RETURN_IF_ERROR(
      source.check_is_alone("spark filter", header.filter_bytes(), read_spark_header(behind).has_value()));
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("spark filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits,
                            read_big_words(source.bytes.data() + header.byte_size(), header.words));
  std::unique_ptr<DialectFilter> filter = std::make_unique<SparkFilter>(
      header, std::move(bits), std::vector<std::byte>(behind.begin(), behind.end()));
  filter->hold(std::move(charged));
  return filter;
}

// Uses create(n, bits) if the bits are named or follow from bits per key, otherwise create(n, fpp).
Result<SparkShape> planned_shape(const DialectPlan& plan, const SparkOptions& options) {
  if (options.bits) {
    return spark_shape_of_bits(plan.capacity, *options.bits);
  }
  if (!plan.bits_per_key) {
    BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
    return spark_shape(plan.capacity, fpp);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const double bits_per_key, planned_bits_per_key(plan));
  const double bits = std::round(bits_per_key * static_cast<double>(plan.capacity));
  return spark_shape_of_bits(plan.capacity, bits < 0x1p63 ? static_cast<std::uint64_t>(bits)
                                                          : std::numeric_limits<std::uint64_t>::max());
}

Result<std::unique_ptr<DialectBuilder>> build_spark(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const SparkOptions options, read_spark_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(const SparkShape shape, planned_shape(plan, options));
  const SparkHeader header{.version = options.version.value_or(SparkVersion::kV2),
                           .hash_count = shape.hash_count,
                           .seed = options.seed.value_or(0),
                           .words = shape.words};
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  return inserting_builder(std::make_unique<SparkFilter>(header, std::move(bits), std::vector<std::byte>()));
}

}  // namespace

Dialect spark_dialect() {
  return {.description = {.name = "spark",
                          .options = "v1|v2, seed=N, bits=N",
                          .summary = "Spark's BloomFilter.writeTo()",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText,
                          .size_word = "bits="},
          .recognise = recognise_spark,
          .open = open_spark,
          .build = build_spark};
}

}  // namespace bloomery
