// The dialect of RedisBloom's BF.* filters, as BF.SCANDUMP returns them and BF.LOADCHUNK accepts them.
//
//   building  redisbloom[:expansion=N][,nonscaling]     BF.RESERVE with the plan's error rate and capacity
//   opening   redisbloom                                a stream of answers, or NAME.header (dump.h)
//
// Source: docs/formats/redisbloom.md. Not here: RDB files, cuckoo filters, valkey-bloom (a different format).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/endian.h"
#include "bloomery/filter/sizing.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/modulo.h"
#include "codec/plan.h"
#include "codec/probes.h"
#include "codec/redisbloom/dump.h"
#include "codec/stepped_fpp.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

using redisbloom::ChainHeader;
using redisbloom::ChainLink;
using redisbloom::KeyHash;
using redisbloom::ScalingChain;

constexpr std::uint32_t kDefaultExpansion = 2;
constexpr double kMaxError = 0.25;           // the largest that BF.RESERVE accepts
constexpr std::size_t kPrefetchedKeys = 16;  // keys whose bits are prefetched together

class RedisBloomFilter final : public DialectFilter {
 public:
  explicit RedisBloomFilter(redisbloom::Dump dump) : dump_(std::move(dump)) {}

  std::string dialect() const override { return "redisbloom"; }
  DialectFacts facts() const override;

  bool may_contain(std::string_view key) const override { return chain().test(chain().hash(key)); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override;
  // Errors: kCapacity, if the chain cannot grow, is full, and does not contain the key.
  Result<bool> insert(std::string_view key) override { return dump_.chain.add(chain().hash(key)); }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override;
  Status merge(const DialectFilter& other) override;

  double current_fpp() const override;
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override { return write_dump(chain(), dump_.has_end, sink); }

 private:
  const ScalingChain& chain() const { return dump_.chain; }
  const ChainHeader& header() const { return chain().header(); }
  std::uint64_t set_bits(std::size_t link) const;
  double fill(std::size_t link) const;
  double fpp_of(std::size_t link) const;

  redisbloom::Dump dump_;
};

std::uint64_t RedisBloomFilter::set_bits(std::size_t link) const {
  // Ignores the bits after the last position, which old filters may have.
  const std::uint64_t used = header().links[link].used_bits();
  std::span<const std::byte> left = chain().bytes_of(link).first(used / 8);
  std::uint64_t count = 0;
  for (std::uint64_t i = used / 8 * 8; i < used; ++i) {
    count += std::uint64_t{chain().bits_of(link).test(i)};
  }
  for (; left.size() >= 8; left = left.subspan(8)) {
    count += static_cast<std::uint64_t>(std::popcount(load_little64(left.data())));
  }
  for (const std::byte byte : left) {
    count += static_cast<std::uint64_t>(std::popcount(std::to_integer<std::uint8_t>(byte)));
  }
  return count;
}

double RedisBloomFilter::fill(std::size_t link) const {
  const auto used = static_cast<double>(header().links[link].used_bits());
  return std::min(static_cast<double>(set_bits(link)) / used, 1.0);
}

DialectFacts RedisBloomFilter::facts() const {
  const ChainLink& first = header().links.front();
  const bool scales = (header().options & redisbloom::kNoScaling) == 0;
  DialectFacts facts;
  facts.capacity = 0;
  for (std::size_t link = 0; link < header().links.size(); ++link) {
    facts.bits += header().links[link].bits;
    facts.set_bits += set_bits(link);
    *facts.capacity += header().links[link].entries;
  }
  facts.hash_count = header().links.size() == 1 ? first.hash_count : 0;
  if (const double asked = scales ? first.error * 2 : first.error; check_fpp(asked)) {
    facts.target_fpp = asked;
  }
  facts.inserted = header().size();
  facts.more = {{"links", std::to_string(header().links.size())},
                {"expansion", scales ? std::to_string(header().growth) : "none (nonscaling)"},
                {"hash", (header().options & redisbloom::kForce64) != 0 ? "MurmurHash64A" : "MurmurHash2"},
                {"options", std::to_string(header().options)}};
  return facts;
}

void RedisBloomFilter::may_contain_batch(std::span<const std::string_view> keys,
                                         std::span<std::uint64_t> answers) const {
  std::array<KeyHash, probes::kGroup> hashes;
  for (std::size_t start = 0; start < keys.size(); start += probes::kGroup) {
    const auto group = keys.subspan(start, std::min(probes::kGroup, keys.size() - start));
    std::ranges::transform(group, hashes.begin(), [this](std::string_view key) { return chain().hash(key); });
    answers[start / probes::kGroup] = chain().test_group(std::span(hashes).first(group.size()));
  }
}

Result<std::uint64_t> RedisBloomFilter::insert_batch(std::span<const std::string_view> keys) {
  std::array<KeyHash, kPrefetchedKeys> hashes;
  std::uint64_t changed = 0;
  for (std::size_t start = 0; start < keys.size(); start += kPrefetchedKeys) {
    const auto group = keys.subspan(start, std::min(kPrefetchedKeys, keys.size() - start));
    for (std::size_t i = 0; i < group.size(); ++i) {
      hashes[i] = chain().hash(group[i]);
      chain().prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool change, dump_.chain.add(hashes[i]));
      changed += std::uint64_t{change};
    }
  }
  return changed;
}

Status RedisBloomFilter::merge(const DialectFilter&) {
  return Error(
      ErrorCode::kUnsupported, dialect(),
      "RedisBloom has no merge: a chain grows by the number of keys in its last link, and how many two "
      "chains share cannot be told");
}

double RedisBloomFilter::current_fpp() const {
  double no = 1;
  for (std::size_t link = 0; link < header().links.size(); ++link) {
    no *= 1 - fpp_of(link);
  }
  return 1 - no;
}

// Bit i of a key is at (a + i b) mod m, in 64 bits; a and b have 64 bits, or 32 in old filters.
double RedisBloomFilter::fpp_of(std::size_t link) const {
  const std::uint64_t bits = header().links[link].used_bits();
  const std::uint32_t hash_count = header().links[link].hash_count;
  const bool is_wide = (header().options & redisbloom::kForce64) != 0;
  const std::uint64_t greatest = ~std::uint64_t{0} >> (is_wide ? 0 : 32);
  const Modulo modulo(bits);
  const auto is_set = [&](std::uint64_t position) { return chain().bits_of(link).test(position); };
  SampleNumbers numbers;
  SteppedFpp fpp({.bits = bits, .set_bits = set_bits(link), .hash_count = hash_count}, is_set,
                 [&](std::uint64_t first, std::uint64_t second, SampleNumbers& random) {
                   const std::uint64_t a = random.with_rest(first, bits, greatest);
                   const std::uint64_t rest = second >= first ? second - first : second + bits - first;
                   const std::uint64_t b = is_wide ? random.with_rest(second, bits, greatest) - a
                                                   : random.with_rest(rest, bits, greatest);
                   for (std::uint32_t i = 2; i < hash_count; ++i) {
                     if (!is_set(modulo.of(a + i * b))) {
                       return false;
                     }
                   }
                   return true;
                 });
  return fpp.estimate(kMostSamples, numbers);
}

Result<double> RedisBloomFilter::estimated_count() const {
  double count = 0;
  for (std::size_t link = 0; link < header().links.size(); ++link) {
    const double filled = fill(link);
    if (filled >= 1) {
      return Error::capacity("redisbloom", "every bit is set: the number of keys cannot be told");
    }
    const ChainLink& shape = header().links[link];
    count -= std::log1p(-filled) * static_cast<double>(shape.used_bits()) / shape.hash_count;
  }
  return count;
}

struct RedisBloomOptions {
  bool nonscaling = false;
  std::uint32_t expansion = kDefaultExpansion;
  bool names_expansion = false;
};

Result<std::uint32_t> read_expansion(std::string_view text) {
  const auto value = number_from_text<std::uint32_t>(text);
  if (!value || *value > redisbloom::kMaxExpansion) {
    return unknown_option("redisbloom", "expansion of 0 to 32768", text);
  }
  return *value;
}

// Reads options like BF.RESERVE: an expansion of 0 means nonscaling; nonscaling excludes any other expansion.
Result<RedisBloomOptions> read_redisbloom_options(std::string_view option) {
  constexpr std::string_view kExpansion = "expansion=";
  RedisBloomOptions options;
  bool expands = false;
  for (const std::string_view word : option_words(option)) {
    if (word == "nonscaling") {
      options.nonscaling = true;
    } else if (word.starts_with(kExpansion)) {
      BLOOMERY_ASSIGN_OR_RETURN(options.expansion, read_expansion(word.substr(kExpansion.size())));
      options.names_expansion = true;
      expands = options.expansion > 0;
    } else {
      return unknown_option("redisbloom", "expansion=N or nonscaling", word);
    }
  }
  if (options.nonscaling && expands) {
    return Error::invalid_argument("redisbloom", "option: expected expansion=N or nonscaling, found both");
  }
  options.nonscaling |= options.expansion == 0;
  return options;
}

// Checks that the options do not contradict a file.
Status check_redisbloom_file(const RedisBloomOptions& options, const ChainHeader& header) {
  const bool scales = (header.options & redisbloom::kNoScaling) == 0;
  if (options.nonscaling && scales) {
    return Error::invalid_argument("redisbloom header",
                                   "expected a filter that does not grow, as named, found one "
                                   "that does (expansion=" +
                                       std::to_string(header.growth) + ")");
  }
  if (options.names_expansion && !options.nonscaling && (!scales || options.expansion != header.growth)) {
    return Error::invalid_argument(
        "redisbloom header", "expansion: expected " + std::to_string(options.expansion) +
                                 " as named, found " +
                                 (scales ? std::to_string(header.growth) : "a filter that does not grow"));
  }
  return {};
}

RecognisedDialect recognise_redisbloom(std::span<const std::byte> file) {
  return {.name = "redisbloom",
          .recognition = redisbloom::looks_like_dump(file) ? Recognition::kCertain : Recognition::kNo};
}

Result<std::unique_ptr<DialectFilter>> open_redisbloom(const DialectSource& source, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const RedisBloomOptions options, read_redisbloom_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(redisbloom::Dump dump, redisbloom::read_dump(source.bytes, source.path));
  BLOOMERY_RETURN_IF_ERROR(check_redisbloom_file(options, dump.chain.header()));
  // The links need as many bytes as the file, or its chunk files. That number is only known here.
  BLOOMERY_ASSIGN_OR_RETURN(auto charged,
                            source.charged("redisbloom chain", dump.chain.header().data_bytes()));
  std::unique_ptr<DialectFilter> filter = std::make_unique<RedisBloomFilter>(std::move(dump));
  filter->hold(std::move(charged));
  return filter;
}

// A save writes one file, and the chunk files next to a header would no longer match it.
Status check_is_one_file(const std::string& path) {
  return path.ends_with(".header")
             ? Status(Error::invalid_argument(
                   path, "expected a dump in one file, found a header with chunks beside it"))
             : Status();
}

Result<std::unique_ptr<DialectBuilder>> build_redisbloom(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const RedisBloomOptions options, read_redisbloom_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  const std::uint32_t flags = redisbloom::kForce64 | redisbloom::kNoRounding |
                              (options.nonscaling ? redisbloom::kNoScaling : std::uint32_t{0});
  BLOOMERY_ASSIGN_OR_RETURN(ScalingChain chain, ScalingChain::create(plan.capacity, std::min(fpp, kMaxError),
                                                                     flags, options.expansion));
  return inserting_builder(std::make_unique<RedisBloomFilter>(redisbloom::Dump{.chain = std::move(chain)}));
}

}  // namespace

Dialect redisbloom_dialect() {
  return {.description = {.name = "redisbloom",
                          .options = "expansion=N, nonscaling",
                          .summary = "RedisBloom's BF.SCANDUMP header and chunks",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_redisbloom,
          .open = open_redisbloom,
          .build = build_redisbloom,
          .check_update = check_is_one_file};
}

}  // namespace bloomery
