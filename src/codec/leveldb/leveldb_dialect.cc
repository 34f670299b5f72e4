// The dialect of LevelDB's filters: a single one (raw), a table's filter block, or a table file.
// Layouts and deviations: docs/formats/leveldb.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/filter/sizing.h"
#include "codec/dialect.h"
#include "codec/leveldb/filter_block.h"
#include "codec/leveldb/raw_filter.h"
#include "codec/leveldb/table_filter.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/probes.h"
#include "codec/sstable/table_file.h"
#include "codec/stepped_fpp.h"

namespace bloomery {
namespace {

// A single LevelDB filter in a file: "leveldb:raw".

class LevelDbFilter final : public DialectFilter {
 public:
  LevelDbFilter(WordBits bits, std::uint32_t hash_count)
      : bits_(std::move(bits)), scheme_(bits_.size(), hash_count) {}

  std::string dialect() const override { return "leveldb:raw"; }

  DialectFacts facts() const override {
    DialectFacts facts;
    facts.bits = bits_.size();
    facts.hash_count = scheme_.hash_count();
    facts.set_bits = bits_.count();
    facts.more = {{"form", "one filter"}};
    if (matches_all()) {
      facts.more.emplace_back("matches", "every key, since k is not from 1 to 30");
    }
    return facts;
  }

  bool may_contain(std::string_view key) const override {
    return matches_all() || probes::may_contain(bits_, scheme_, key);
  }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    if (matches_all()) {
      DialectFilter::may_contain_batch(keys, answers);
    } else {
      probes::may_contain_batch(bits_, scheme_, keys, answers);
    }
  }
  // A filter that matches every key already contains all keys.
  Result<bool> insert(std::string_view key) override {
    return !matches_all() && probes::insert(bits_, scheme_, key);
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    return matches_all() ? 0 : probes::insert_batch(bits_, scheme_, keys);
  }

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override { return matches_all() ? 1 : stepped_fpp(bits_, scheme_); }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override {
    BLOOMERY_RETURN_IF_ERROR(sink(std::as_bytes(bits_.words()).first(bits_.size() / 8)));
    const auto k = static_cast<std::byte>(scheme_.hash_count());
    return sink({&k, 1});
  }

 private:
  bool matches_all() const { return leveldb_matches_all(scheme_.hash_count()); }

  WordBits bits_;
  LevelDbProbes scheme_;
};

// LevelDB cannot merge. The union of two filters with the same shape is the filter of both key sets.
Status LevelDbFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const LevelDbFilter* const filter, same_dialect(*this, other));
  Differences differences;
  differences.compare("bits", bits_.size(), filter->bits_.size());
  differences.compare("k", scheme_.hash_count(), filter->scheme_.hash_count());
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  bits_.unite(filter->bits_);
  return {};
}

Result<double> LevelDbFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (matches_all() || set_bits == bits_.size()) {
    return Error::capacity("leveldb", "every key matches: the number of keys cannot be told");
  }
  return estimated_key_count({.bits = bits_.size(), .hash_count = scheme_.hash_count()}, set_bits);
}

// Collects hashes, because the size of the filter follows from their number.
class LevelDbBuilder final : public DialectBuilder {
 public:
  explicit LevelDbBuilder(int bits_per_key) : bits_per_key_(bits_per_key) {}

  Status add(std::span<const std::string_view> keys) override {
    for (const std::string_view key : keys) {
      hashes_.push_back(leveldb_hash(key, TailBytes::kUnsigned));
    }
    return {};
  }
  Result<std::unique_ptr<DialectFilter>> finish() override {
    const std::uint64_t bits = leveldb_bit_bytes(hashes_.size(), bits_per_key_) * 8;
    BLOOMERY_ASSIGN_OR_RETURN(WordBits words, WordBits::zeroed(bits));
    const LevelDbProbes scheme(bits, leveldb_hash_count(bits_per_key_));
    for (const std::uint32_t hash : hashes_) {
      probes::set_all(words, scheme, scheme.begin(hash), scheme.hash_count());
    }
    std::unique_ptr<DialectFilter> filter =
        std::make_unique<LevelDbFilter>(std::move(words), scheme.hash_count());
    return filter;
  }

 private:
  int bits_per_key_;
  std::vector<std::uint32_t> hashes_;
};

constexpr int kMaxBitsPerKey = 1000;  // the limit of check_plan() too

// Returns the smallest integer number of bits per key whose full filter has an fpp of at most `fpp`.
Result<int> leveldb_bits_for_fpp(double fpp) {
  constexpr double kLeastFpp = 1.0 / (std::uint64_t{1} << 32);  // two keys share a 32-bit hash this often
  for (int bits = 1; fpp >= kLeastFpp && bits <= kMaxBitsPerKey; ++bits) {
    const double hash_count = leveldb_hash_count(bits);
    if (std::pow(-std::expm1(-hash_count / bits), hash_count) <= fpp) {
      return bits;
    }
  }
  return Error::invalid_argument(
      "fpp", "LevelDB's hash has 32 bits: expected at least 2^-32, found " + std::to_string(fpp));
}

// Checks that the file has at least the 64 bits of LevelDB's smallest filter, and a k from 1 to 30. Errors:
// kCorruption, unless doubt is accepted.
Status check_leveldb_raw_is_made(const DialectSource& source) {
  constexpr std::size_t kLeastBytes = 9;  // 64 bits and k
  if (source.bytes.size() < kLeastBytes) {
    return source.doubted("leveldb filter", "expected 9 bytes or more, as LevelDB makes them, found " +
                                                std::to_string(source.bytes.size()));
  }
  const auto hash_count = std::to_integer<std::uint32_t>(source.bytes.back());
  if (leveldb_matches_all(hash_count)) {
    return source.doubted(
        "leveldb filter",
        "k in the last byte: expected 1 to 30, as LevelDB makes them, found " + std::to_string(hash_count));
  }
  return {};
}

// Copies the bytes. Errors: kCorruption below 2 bytes; kCapacity.
Result<std::unique_ptr<DialectFilter>> open_leveldb_raw(std::span<const std::byte> file) {
  if (file.size() < 2) {
    return Error::corruption("leveldb filter", 0, "2 bytes or more", file.size());
  }
  const auto bytes = file.first(file.size() - 1);
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(bytes.size() * 8));
  std::ranges::copy(bytes, std::as_writable_bytes(bits.words()).begin());
  std::unique_ptr<DialectFilter> filter =
      std::make_unique<LevelDbFilter>(std::move(bits), std::to_integer<std::uint32_t>(file.back()));
  return filter;
}

// Errors: kInvalidArgument unless the plan has an fpp or an integer number of bits per key.
Result<std::unique_ptr<DialectBuilder>> build_leveldb_raw(const DialectPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const double planned, planned_bits_per_key(plan));
  int bits_per_key = 0;
  if (plan.fpp) {
    BLOOMERY_ASSIGN_OR_RETURN(bits_per_key, leveldb_bits_for_fpp(*plan.fpp));
  } else if (planned == std::floor(planned)) {
    bits_per_key = static_cast<int>(planned);
  } else {
    return Error::invalid_argument(
        "bits per key", "LevelDB takes whole numbers: expected one, found " + std::to_string(planned));
  }
  std::unique_ptr<DialectBuilder> builder = std::make_unique<LevelDbBuilder>(bits_per_key);
  return builder;
}

constexpr const char* kOptions = "raw, block, table, table,policy=leveldb or table,policy=rocksdb";

bool is_rocksdb_table(std::span<const std::byte> file) {
  const Result<sstable::TableFile> table =
      sstable::TableFile::open(file, MemoryBudget::of_file({}, file.size()));
  return table && table.value().is_rocksdb().value_or(false);
}

// A raw filter is never recognised, because any bytes could be one.
RecognisedDialect recognise_leveldb(std::span<const std::byte> file) {
  if (sstable::table_magic(file) == sstable::TableMagic::kLevelDb && !is_rocksdb_table(file)) {
    return {.name = "leveldb:table", .recognition = Recognition::kCertain};
  }
  const bool block = !sstable::ends_like_table(file) && LevelDbFilterBlock::parse(file, 0);
  return {.name = "leveldb:block", .recognition = block ? Recognition::kMaybe : Recognition::kNo};
}

// Without an option, only a table is opened, because only a table identifies itself. Other bytes could be a
// raw filter, a filter block, or a table without its end. The wrong choice would answer no to inserted keys.
Result<std::unique_ptr<DialectFilter>> open_leveldb(const DialectSource& source, std::string_view option) {
  if (option.empty() || option == "table") {
    return open_leveldb_table(source);
  }
  if (option == "table,policy=leveldb") {
    return open_leveldb_table(source, LevelDbPolicy::kLevelDb);
  }
  if (option == "table,policy=rocksdb") {
    return open_leveldb_table(source, LevelDbPolicy::kRocksDb);
  }
  if (option != "raw" && option != "block") {
    return unknown_option("leveldb", kOptions, option);
  }
  if (sstable::ends_like_table(source.bytes)) {
    return Error::invalid_argument(
        "leveldb", "expected leveldb:" + std::string(option) + " as named, found the end of a table");
  }
  if (option == "block") {
    return open_leveldb_block(source);
  }
  BLOOMERY_RETURN_IF_ERROR(check_leveldb_raw_is_made(source));
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("leveldb filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter, open_leveldb_raw(source.bytes));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_leveldb(const DialectPlan& plan, std::string_view option) {
  if (option.empty() || option == "raw") {
    return build_leveldb_raw(plan);
  }
  if (option == "block" || option == "table") {
    return Error(ErrorCode::kUnsupported, "leveldb:" + std::string(option),
                 "made of keys and the offsets of their data blocks (LevelDbFilterBlockWriter), not of keys "
                 "alone");
  }
  return unknown_option("leveldb", kOptions, option);
}

}  // namespace

Dialect leveldb_dialect() {
  static constexpr std::array<std::string_view, 1> kRawOptions = {"raw"};
  return {.description = {.name = "leveldb",
                          .options = "raw|block|table[,policy=leveldb|rocksdb]",
                          .summary = "LevelDB's built-in Bloom filter, alone or in a table (.ldb)",
                          .sized_by = SizedBy::kKeys,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_leveldb,
          .open = open_leveldb,
          .build = build_leveldb,
          .directory = DialectDirectory::kDatabase,
          .raw_options = kRawOptions};
}

}  // namespace bloomery
