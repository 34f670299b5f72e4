// The dialect of the "SimpleBloomFilter" that Java tutorials copy from each other. It is a BitSet whose
// number of bits is a power of two, with one polynomial hash over UTF-16 units per seed.
//
//   r = 0
//   for each unit u: r = seed r + u mod 2^32
//   position r mod bits
//
// A file has one of two forms:
//
//   bytes   BitSet.toByteArray(): bit i is bit i mod 8 of byte i / 8; zero bytes at the end are dropped
//   words   BitSet.toLongArray(), each word little-endian
//
// The file stores neither the number of bits nor the seeds, so the option names both. Keys are UTF-16 units,
// little-endian (key form utf16). A key with an odd number of bytes is not a string: insert refuses it, and a
// query answers maybe. Source: docs/formats/simple-java.md.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/filter/sizing.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/probes.h"
#include "codec/simple_java/simple_java_probes.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kDefaultBits = std::uint64_t{1} << 25;    // 2 << 24
constexpr std::uint64_t kMaxBitSetBits = std::uint64_t{1} << 30;  // the largest power of two in a Java int
// The usual seeds are the last seven. Two other sets exist: the last six, and all eight.
constexpr std::array<std::uint32_t, 8> kSeeds = {3, 5, 7, 11, 13, 31, 37, 61};
constexpr std::size_t kDefaultSeeds = 7;

enum class Form { kBytes, kWords };

struct SimpleJavaOptions {
  std::optional<std::uint64_t> bits;
  std::size_t seeds = kDefaultSeeds;  // the number of kSeeds in use, counted from the end
  Form form = Form::kBytes;

  std::span<const std::uint32_t> seed_list() const { return std::span(kSeeds).last(seeds); }
};

class SimpleJavaFilter final : public DialectFilter {
 public:
  SimpleJavaFilter(const SimpleJavaOptions& options, WordBits bits)
      : options_(options), probes_(bits.size(), options.seed_list()), bits_(std::move(bits)) {}

  std::string dialect() const override;
  DialectFacts facts() const override;

  bool may_contain(std::string_view key) const override {
    return is_cut(key) || probes::may_contain(bits_, probes_, key);
  }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override;
  Result<bool> insert(std::string_view key) override {
    BLOOMERY_RETURN_IF_ERROR(check_key(key));
    return probes::insert(bits_, probes_, key);
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override;

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override { return fpp_at_fill(bits_.fill(), probes_.hash_count()); }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  // True if the key ends inside a UTF-16 unit, so that it is no Java string.
  static bool is_cut(std::string_view key) { return key.size() % 2 != 0; }
  static Status check_key(std::string_view key);

  SimpleJavaOptions options_;
  SimpleJavaProbes probes_;
  WordBits bits_;
};

std::string SimpleJavaFilter::dialect() const {
  std::string name = "simple-java:bits=" + std::to_string(bits_.size());
  if (options_.seeds != kDefaultSeeds) {
    name += ",seeds" + std::to_string(options_.seeds);
  }
  return name + (options_.form == Form::kWords ? ",words" : "");
}

DialectFacts SimpleJavaFilter::facts() const {
  DialectFacts facts;
  facts.bits = bits_.size();
  facts.hash_count = probes_.hash_count();
  facts.set_bits = bits_.count();
  std::string seeds;
  for (const std::uint32_t seed : options_.seed_list()) {
    seeds += (seeds.empty() ? "" : " ") + std::to_string(seed);
  }
  facts.more.emplace_back("seeds", seeds);
  return facts;
}

void SimpleJavaFilter::may_contain_batch(std::span<const std::string_view> keys,
                                         std::span<std::uint64_t> answers) const {
  probes::may_contain_batch(bits_, probes_, keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers[i / 64] |= std::uint64_t{is_cut(keys[i])} << (i % 64);
  }
}

Status SimpleJavaFilter::check_key(std::string_view key) {
  if (is_cut(key)) {
    return Error::invalid_argument(
        "simple-java key",
        "expected UTF-16 units, found an odd number of bytes, " + std::to_string(key.size()));
  }
  return {};
}

Result<std::uint64_t> SimpleJavaFilter::insert_batch(std::span<const std::string_view> keys) {
  const auto cut = std::ranges::find_if(keys, is_cut);
  const std::span<const std::string_view> whole(keys.begin(), cut);
  const std::uint64_t changed = probes::insert_batch(bits_, probes_, whole);
  if (cut != keys.end()) {
    BLOOMERY_RETURN_IF_ERROR(check_key(*cut));
  }
  return changed;
}

// Does the same as BitSet.or(), for filters with the same shape and seeds.
Status SimpleJavaFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const SimpleJavaFilter* const simple, same_dialect(*this, other));
  Differences differences;
  differences.compare("bits", bits_.size(), simple->bits_.size());
  differences.compare("seeds", options_.seeds, simple->options_.seeds);
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  bits_.unite(simple->bits_);
  return {};
}

Result<double> SimpleJavaFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity("simple-java", "every bit is set: the number of keys cannot be told");
  }
  return estimated_key_count({.bits = bits_.size(), .hash_count = probes_.hash_count()}, set_bits);
}

// Returns the bytes without trailing zeros.
std::span<const std::byte> without_zeros_behind(std::span<const std::byte> bytes) {
  while (!bytes.empty() && bytes.back() == std::byte{0}) {
    bytes = bytes.first(bytes.size() - 1);
  }
  return bytes;
}

Status SimpleJavaFilter::write(const Sink& sink) const {
  const std::span<const std::byte> all = std::as_bytes(bits_.words());
  const std::size_t size = without_zeros_behind(all).size();
  const std::size_t whole_words = (size + 7) / 8 * 8;
  const auto bytes = all.first(options_.form == Form::kWords ? whole_words : size);
  return bytes.empty() ? Status() : sink(bytes);
}

Result<std::uint64_t> read_bits(std::string_view word) {
  const auto bits = number_from_text<std::uint64_t>(word.substr(word.find('=') + 1));
  if (!bits || !std::has_single_bit(*bits) || *bits > kMaxBitSetBits) {
    return unknown_option("simple-java", "bits= and a power of two up to 2^30", word);
  }
  return *bits;
}

Result<SimpleJavaOptions> read_simple_java_options(std::string_view option) {
  SimpleJavaOptions options;
  for (const std::string_view word : option_words(option)) {
    if (word.starts_with("bits=")) {
      BLOOMERY_ASSIGN_OR_RETURN(options.bits, read_bits(word));
    } else if (word == "seeds6" || word == "seeds7" || word == "seeds8") {
      options.seeds = static_cast<std::size_t>(word.back() - '0');
    } else if (word == "words") {
      options.form = Form::kWords;
    } else {
      return unknown_option("simple-java", "bits=N, seeds6, seeds7, seeds8 or words", word);
    }
  }
  return options;
}

// Never recognises a file, because any bytes could be such a filter.
RecognisedDialect recognise_simple_java(std::span<const std::byte>) {
  return {.name = "simple-java", .recognition = Recognition::kNo};
}

// Precondition: the last byte is not zero, or there is none.
std::uint64_t bits_up_to_last(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return 0;
  }
  return (bytes.size() - 1) * 8 +
         static_cast<std::uint64_t>(std::bit_width(std::to_integer<unsigned>(bytes.back())));
}

// The file does not store the number of bits. If the option does not name it, a set bit in the upper half
// must prove that the filter has the usual size. With a wrong size, queries of inserted keys would return no.
Status check_bits(std::uint64_t used, const SimpleJavaOptions& options) {
  const std::uint64_t bits = options.bits.value_or(kDefaultBits);
  if (used > bits) {
    return Error::invalid_argument("simple-java", "bits: expected all below " + std::to_string(bits) +
                                                      ", found bit " + std::to_string(used - 1) + " set");
  }
  if (!options.bits && used <= bits / 2) {
    return Error::invalid_argument(
        "simple-java", "bits: expected bits=N, since no bit from " + std::to_string(bits / 2) +
                           " on is set and the filter may have fewer than " + std::to_string(bits));
  }
  return {};
}

// A BitSet is written without trailing zeros: without zero bytes, or without zero words. Words are accepted
// without the option `words` too, since they have the same bits. `used` is the number of bytes up to the
// last nonzero byte.
Status check_simple_java_is_made(const DialectSource& source, std::size_t used,
                                 const SimpleJavaOptions& options) {
  if (source.bytes.empty()) {
    return source.doubted("simple-java", "expected a filter of some keys, found no byte");
  }
  const std::size_t words = (used + 7) / 8 * 8;
  const std::size_t made = options.form == Form::kWords ? words : used;
  if (source.bytes.size() != made && source.bytes.size() != words) {
    return source.doubted("simple-java", "expected the end behind the last bit that is set, at " +
                                             std::to_string(made) + " bytes, found " +
                                             std::to_string(source.bytes.size()));
  }
  return {};
}

Result<std::unique_ptr<DialectFilter>> open_simple_java(const DialectSource& source,
                                                        std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const SimpleJavaOptions options, read_simple_java_options(option));
  if (options.form == Form::kWords && source.bytes.size() % 8 != 0) {
    return Error::corruption("simple-java", source.bytes.size(), "words of 8 bytes", "the end inside one");
  }
  const std::span<const std::byte> bytes = without_zeros_behind(source.bytes);
  BLOOMERY_RETURN_IF_ERROR(check_simple_java_is_made(source, bytes.size(), options));
  BLOOMERY_RETURN_IF_ERROR(check_bits(bits_up_to_last(bytes), options));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(options.bits.value_or(kDefaultBits)));
  std::ranges::copy(bytes, std::as_writable_bytes(bits.words()).begin());
  std::unique_ptr<DialectFilter> filter = std::make_unique<SimpleJavaFilter>(options, std::move(bits));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_simple_java(const DialectPlan&, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const SimpleJavaOptions options, read_simple_java_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(options.bits.value_or(kDefaultBits)));
  return inserting_builder(std::make_unique<SimpleJavaFilter>(options, std::move(bits)));
}

}  // namespace

Dialect simple_java_dialect() {
  return {.description = {.name = "simple-java",
                          .options = "bits=N, seeds6|seeds7|seeds8, words",
                          .summary = "the SimpleBloomFilter of Java tutorials, as its BitSet",
                          .sized_by = SizedBy::kOption,
                          .usual_key_form = KeyForm::kUtf16},
          .recognise = recognise_simple_java,
          .open = open_simple_java,
          .build = build_simple_java,
          .opens_any_bytes = true};
}

}  // namespace bloomery
