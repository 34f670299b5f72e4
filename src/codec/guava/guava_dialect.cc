#include "codec/guava/guava_dialect.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/choice_names.h"
#include "base/endian.h"
#include "codec/big_words.h"
#include "codec/guava/guava_probes.h"
#include "codec/guava/guava_sizing.h"
#include "codec/guava/mitz64_kernel.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/probes.h"

namespace bloomery {
namespace {

constexpr std::size_t kHeaderBytes = 6;

enum class Strategy : std::uint8_t { kMitz32 = 0, kMitz64 = 1 };  // the ordinal in the file

constexpr ChoiceNames<Strategy, 2> kStrategies{
    {{{Strategy::kMitz32, "mitz32"}, {Strategy::kMitz64, "mitz64"}}}};

struct Header {
  Strategy strategy;
  std::uint32_t hash_count;
  std::uint32_t words;

  std::uint64_t bits() const { return std::uint64_t{words} * 64; }
};

Result<Header> read_header(std::span<const std::byte> file) {
  if (file.size() < kHeaderBytes) {
    return Error::corruption("guava header", file.size(), "6 bytes",
                             "the end after " + std::to_string(file.size()));
  }
  const auto strategy = std::to_integer<unsigned>(file[0]);
  if (strategy > 1) {
    return Error::unsupported("guava header", 0,
                              "strategy: expected 0 or 1, found " + std::to_string(strategy));
  }
  const auto hash_count = std::to_integer<std::uint32_t>(file[1]);
  if (hash_count == 0) {
    return Error::corrupt_field("guava header", 1, "hash count", "1 to 255", "0");
  }
  const std::uint32_t words = load_big32(file.data() + 2);
  if (words == 0 || words > 0x7fffffff) {
    return Error::corrupt_field("guava header", 2, "words", "1 to 2147483647", words);
  }
  if ((file.size() - kHeaderBytes) / 8 < words) {
    return Error::corrupt_field(
        "guava header", 2, "words",
        "at most the " + std::to_string((file.size() - kHeaderBytes) / 8) + " that the file has", words);
  }
  return Header{.strategy = static_cast<Strategy>(strategy), .hash_count = hash_count, .words = words};
}

class GuavaFilter final : public DialectFilter {
 public:
  GuavaFilter(const Header& header, WordBits bits, std::vector<std::byte> behind)
      : header_(header), scheme_(scheme_of(header)), bits_(std::move(bits)), behind_(std::move(behind)) {}

  std::string dialect() const override {
    return std::string("guava:") + kStrategies.name_of(header_.strategy);
  }

  DialectFacts facts() const override {
    DialectFacts facts;
    facts.bits = bits_.size();
    facts.hash_count = header_.hash_count;
    facts.set_bits = bits_.count();
    facts.more = {
        {"strategy", header_.strategy == Strategy::kMitz32 ? "MURMUR128_MITZ_32" : "MURMUR128_MITZ_64"}};
    if (!behind_.empty()) {
      facts.more.emplace_back("bytes behind the filter", std::to_string(behind_.size()));
    }
    return facts;
  }

  bool may_contain(std::string_view key) const override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      return mitz64_.may_contain(bits_, *mitz64, key);
    }
    return probes::may_contain(bits_, std::get<Mitz32>(scheme_), key);
  }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      mitz64_.may_contain_batch(bits_, *mitz64, keys, answers);
    } else {
      probes::may_contain_batch(bits_, std::get<Mitz32>(scheme_), keys, answers);
    }
  }
  Result<bool> insert(std::string_view key) override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      return mitz64_.insert(bits_, *mitz64, key);
    }
    return probes::insert(bits_, std::get<Mitz32>(scheme_), key);
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      return mitz64_.insert_batch(bits_, *mitz64, keys);
    }
    return probes::insert_batch(bits_, std::get<Mitz32>(scheme_), keys);
  }

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override { return std::pow(bits_.fill(), header_.hash_count); }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  using Scheme = std::variant<Mitz32, Mitz64>;

  static Scheme scheme_of(const Header& header) {
    return header.strategy == Strategy::kMitz32 ? Scheme(Mitz32(header.bits(), header.hash_count))
                                                : Scheme(Mitz64(header.bits(), header.hash_count));
  }

  Header header_;
  Scheme scheme_;
  const Mitz64Kernel& mitz64_ = chosen_mitz64_kernel();
  WordBits bits_;
  std::vector<std::byte> behind_;  // the bytes of the file after the words, as they were
};

// Guava's putAll() has this rule.
Status GuavaFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaFilter* const guava, same_dialect(*this, other));
  Differences differences;
  differences.compare("hash count", header_.hash_count, guava->header_.hash_count);
  differences.compare("bits", bits_.size(), guava->bits_.size());
  differences.compare("strategy", static_cast<int>(header_.strategy),
                      static_cast<int>(guava->header_.strategy));
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  bits_.unite(guava->bits_);
  return {};
}

// This is Guava's approximateElementCount().
Result<double> GuavaFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity("guava", "every bit is set: the number of keys cannot be told");
  }
  const auto bits = static_cast<double>(bits_.size());
  const double fill = static_cast<double>(set_bits) / bits;
  return std::floor(-std::log1p(-fill) * bits / header_.hash_count + 0.5);
}

Status GuavaFilter::write(const Sink& sink) const {
  std::array<std::byte, kHeaderBytes> header;
  header[0] = static_cast<std::byte>(header_.strategy);
  header[1] = static_cast<std::byte>(header_.hash_count);
  store_big(header.data() + 2, header_.words);
  BLOOMERY_RETURN_IF_ERROR(sink(header));
  BLOOMERY_RETURN_IF_ERROR(write_big_words(bits_, sink));
  return behind_.empty() ? Status() : sink(behind_);
}

struct Options {
  std::optional<Strategy> strategy;
  GuavaHashCountRule rule = GuavaHashCountRule::kFromBits;
};

Result<Options> read_options(std::string_view option) {
  Options options;
  for (const std::string_view word : option_words(option)) {
    if (const auto strategy = kStrategies.find(word)) {
      options.strategy = *strategy;
    } else if (word == "k-new") {
      options.rule = GuavaHashCountRule::kFromFpp;
    } else {
      return unknown_option("guava", "mitz32, mitz64 or k-new", word);
    }
  }
  return options;
}

RecognisedDialect recognise(std::span<const std::byte> file) {
  const Result<Header> header = read_header(file);
  if (!header || file.size() != kHeaderBytes + header.value().bits() / 8) {
    return {.name = "guava", .recognition = Recognition::kNo};
  }
  return {.name = std::string("guava:") + kStrategies.name_of(header.value().strategy),
          .recognition = Recognition::kMaybe};
}

Result<std::unique_ptr<DialectFilter>> open(const DialectSource& source, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const Options options, read_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(const Header header, read_header(source.bytes));
  if (options.strategy && *options.strategy != header.strategy) {
    return Error::invalid_argument(
        "guava header", std::string("strategy: expected ") + kStrategies.name_of(*options.strategy) +
                            " as named, found " + kStrategies.name_of(header.strategy));
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("guava filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, read_big_words(source.bytes.data() + kHeaderBytes, header.words));
  const auto behind = source.bytes.subspan(kHeaderBytes + bits.byte_size());
  std::unique_ptr<DialectFilter> filter = std::make_unique<GuavaFilter>(
      header, std::move(bits), std::vector<std::byte>(behind.begin(), behind.end()));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const Options options, read_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaShape shape, guava_shape(plan.capacity, fpp, options.rule));
  const Header header{.strategy = options.strategy.value_or(Strategy::kMitz64),
                      .hash_count = shape.hash_count,
                      .words = shape.words};
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  return inserting_builder(std::make_unique<GuavaFilter>(header, std::move(bits), std::vector<std::byte>()));
}

}  // namespace

Dialect guava_dialect() {
  return {.description = {.name = "guava",
                          .options = "mitz32|mitz64, k-new",
                          .summary = "Guava's BloomFilter.writeTo()",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise,
          .open = open,
          .build = build};
}

}  // namespace bloomery
