// The dialect of the Go library bits-and-blooms/bloom. Some public lists are published in its format.
// Layout and hashes: docs/formats/bits-and-blooms.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/endian.h"
#include "bloomery/filter/sizing.h"
#include "codec/big_words.h"
#include "codec/bits_and_blooms/bits_and_blooms_probes.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/probes.h"
#include "codec/stepped_fpp.h"

namespace bloomery {
namespace {

constexpr const char* kBitsAndBloomsName = "bits-and-blooms";
constexpr const char* kBitsAndBloomsHeader = "bits-and-blooms header";

struct BitsAndBloomsShape {
  static constexpr std::size_t kHeaderBytes = 24;
  static constexpr std::uint64_t kMostHashes = 4096;

  std::uint64_t bits = 0;
  std::uint32_t hash_count = 0;
};

// The file stores m twice: as the filter's m, and as the length of its bit set. It ends with the last word.
Result<BitsAndBloomsShape> read_bits_and_blooms_shape(std::span<const std::byte> file) {
  if (file.size() < BitsAndBloomsShape::kHeaderBytes) {
    return Error::corruption(kBitsAndBloomsHeader, file.size(), "24 bytes",
                             "the end after " + std::to_string(file.size()));
  }
  const std::uint64_t bits = load_big64(file.data());
  const std::uint64_t hash_count = load_big64(file.data() + 8);
  const std::uint64_t length = load_big64(file.data() + 16);
  const std::uint64_t has = (file.size() - BitsAndBloomsShape::kHeaderBytes) / 8;
  if (bits == 0 || WordBits::word_count(bits) > has) {
    return Error::corrupt_field(kBitsAndBloomsHeader, 0, "m",
                                "1 to the bits of the " + std::to_string(has) + " words that the file has",
                                bits);
  }
  if (hash_count == 0 || hash_count > BitsAndBloomsShape::kMostHashes) {
    return Error::corrupt_field(kBitsAndBloomsHeader, 8, "k", "1 to 4096", hash_count);
  }
  if (length != bits) {
    return Error::corrupt_field(kBitsAndBloomsHeader, 16, "length", "that of m, " + std::to_string(bits),
                                length);
  }
  return BitsAndBloomsShape{.bits = bits, .hash_count = static_cast<std::uint32_t>(hash_count)};
}

std::uint64_t bits_and_blooms_bytes(const BitsAndBloomsShape& shape) {
  return BitsAndBloomsShape::kHeaderBytes + 8 * WordBits::word_count(shape.bits);
}

class BitsAndBloomsFilter final : public DialectFilter {
 public:
  BitsAndBloomsFilter(const BitsAndBloomsShape& shape, WordBits bits)
      : scheme_(shape.bits, shape.hash_count), bits_(std::move(bits)) {}

  std::string dialect() const override { return kBitsAndBloomsName; }
  DialectFacts facts() const override {
    DialectFacts facts;
    facts.bits = bits_.size();
    facts.hash_count = scheme_.hash_count();
    facts.set_bits = bits_.count();
    return facts;
  }
  bool may_contain(std::string_view key) const override { return probes::may_contain(bits_, scheme_, key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    probes::may_contain_batch(bits_, scheme_, keys, answers);
  }
  Result<bool> insert(std::string_view key) override { return probes::insert(bits_, scheme_, key); }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    return probes::insert_batch(bits_, scheme_, keys);
  }

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override {
    return sampled_fpp(bits_, scheme_, [](SampleNumbers& numbers) {
      return BitsAndBloomsProbes::Probe{
          .hashes = {numbers.next(), numbers.next(), numbers.next(), numbers.next()}, .i = 0};
    });
  }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  BitsAndBloomsProbes scheme_;
  WordBits bits_;
};

// Requires equal m and k, as the library's Merge() does.
Status BitsAndBloomsFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const BitsAndBloomsFilter* const filter, same_dialect(*this, other));
  Differences differences;
  differences.compare("m", bits_.size(), filter->bits_.size());
  differences.compare("k", scheme_.hash_count(), filter->scheme_.hash_count());
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  bits_.unite(filter->bits_);
  return {};
}

Result<double> BitsAndBloomsFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity(kBitsAndBloomsName, "every bit is set: the number of keys cannot be told");
  }
  return estimated_key_count({.bits = bits_.size(), .hash_count = scheme_.hash_count()}, set_bits);
}

Status BitsAndBloomsFilter::write(const Sink& sink) const {
  std::array<std::byte, BitsAndBloomsShape::kHeaderBytes> header;
  store_big(header.data(), bits_.size());
  store_big(header.data() + 8, std::uint64_t{scheme_.hash_count()});
  store_big(header.data() + 16, bits_.size());
  BLOOMERY_RETURN_IF_ERROR(sink(header));
  return write_big_words(bits_, sink);
}

RecognisedDialect recognise_bits_and_blooms(std::span<const std::byte> file) {
  const Result<BitsAndBloomsShape> shape = read_bits_and_blooms_shape(file);
  // The file is one if its two copies of m agree and the words fill the rest of the file.
  const bool is_one = shape && file.size() == bits_and_blooms_bytes(*shape);
  return {.name = kBitsAndBloomsName, .recognition = is_one ? Recognition::kCertain : Recognition::kNo};
}

Status check_no_bits_and_blooms_option(std::string_view option) {
  return option.empty() ? Status() : Status(unknown_option(kBitsAndBloomsName, "none", option));
}

Result<std::unique_ptr<DialectFilter>> open_bits_and_blooms(const DialectSource& source,
                                                            std::string_view option) {
  BLOOMERY_RETURN_IF_ERROR(check_no_bits_and_blooms_option(option));
  BLOOMERY_ASSIGN_OR_RETURN(const BitsAndBloomsShape shape, read_bits_and_blooms_shape(source.bytes));
  const std::uint64_t end = bits_and_blooms_bytes(shape);
  BLOOMERY_RETURN_IF_ERROR(source.check_is_alone(
      "bits-and-blooms filter", end, read_bits_and_blooms_shape(source.bytes.subspan(end)).has_value()));
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("bits-and-blooms filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(shape.bits));
  const std::byte* at = source.bytes.data() + BitsAndBloomsShape::kHeaderBytes;
  for (std::uint64_t& word : bits.words()) {
    word = load_big64(at);
    at += 8;
  }
  if (shape.bits % 64 != 0 && bits.words().back() >> (shape.bits % 64) != 0) {
    BLOOMERY_RETURN_IF_ERROR(source.doubted("bits-and-blooms words", "expected no bit behind the last, bit " +
                                                                         std::to_string(shape.bits - 1) +
                                                                         ", found one that is set"));
    bits.words().back() &= ~std::uint64_t{0} >> (64 - shape.bits % 64);
  }
  std::unique_ptr<DialectFilter> filter = std::make_unique<BitsAndBloomsFilter>(shape, std::move(bits));
  filter->hold(std::move(charged));
  return filter;
}

// NewWithEstimates(): m = ceil(-n ln p / (ln 2)^2), k = ceil(m / n ln 2).
Result<std::unique_ptr<DialectBuilder>> build_bits_and_blooms(const DialectPlan& plan,
                                                              std::string_view option) {
  BLOOMERY_RETURN_IF_ERROR(check_no_bits_and_blooms_option(option));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  if (plan.capacity == 0) {
    return Error::invalid_argument(kBitsAndBloomsName, "capacity: expected 1 or more, found 0");
  }
  const auto keys = static_cast<double>(plan.capacity);
  const double bits = std::ceil(-1 * keys * std::log(fpp) / std::pow(std::numbers::ln2, 2));
  if (!(bits <= static_cast<double>(kMaxBloomBits))) {
    return Error::invalid_argument(
        kBitsAndBloomsName, "capacity and fpp: expected at most 2^56 bits, found " + std::to_string(bits));
  }
  const double hash_count = std::ceil(std::numbers::ln2 * bits / keys);
  const BitsAndBloomsShape shape{
      .bits = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bits)),
      .hash_count = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(hash_count))};
  if (shape.hash_count > BitsAndBloomsShape::kMostHashes) {
    return Error::invalid_argument(
        kBitsAndBloomsName, "fpp: expected at most 4096 hashes, found " + std::to_string(shape.hash_count));
  }
  BLOOMERY_ASSIGN_OR_RETURN(WordBits words, WordBits::zeroed(shape.bits));
  return inserting_builder(std::make_unique<BitsAndBloomsFilter>(shape, std::move(words)));
}

}  // namespace

Dialect bits_and_blooms_dialect() {
  return {.description = {.name = kBitsAndBloomsName,
                          .options = "",
                          .summary = "the Go library bits-and-blooms/bloom: WriteTo()",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_bits_and_blooms,
          .open = open_bits_and_blooms,
          .build = build_bits_and_blooms};
}

}  // namespace bloomery
