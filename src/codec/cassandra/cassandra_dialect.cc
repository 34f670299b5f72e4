#include "codec/cassandra/cassandra_dialect.h"

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/message.h"
#include "bloomery/filter/sizing.h"
#include "codec/big_words.h"
#include "codec/cassandra/cassandra_kernel.h"
#include "codec/cassandra/cassandra_sizing.h"
#include "codec/cassandra/component_file.h"
#include "codec/cassandra/partition_key.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/stepped_fpp.h"

namespace bloomery {
namespace {

constexpr const char* kName = "cassandra";
constexpr const char* kCassandraHeaderSubject = "cassandra header";
constexpr std::size_t kCassandraHeaderBytes = 8;

struct CassandraHeader {
  std::uint32_t hash_count;
  std::uint32_t words;

  std::uint64_t bits() const { return std::uint64_t{words} * 64; }
};

// Nothing follows the words. A file of another size is truncated, extended, or of another kind.
Result<CassandraHeader> read_cassandra_header(std::span<const std::byte> file) {
  if (file.size() < kCassandraHeaderBytes) {
    return Error::corruption(kCassandraHeaderSubject, file.size(), "8 bytes",
                             "the end after " + std::to_string(file.size()));
  }
  const CassandraHeader header{.hash_count = load_big32(file.data()), .words = load_big32(file.data() + 4)};
  if (header.hash_count == 0 || header.hash_count > kMostCassandraHashes) {
    return Error::corrupt_field(kCassandraHeaderSubject, 0, "hash count", "1 to 14", header.hash_count);
  }
  if (header.words == 0 || (file.size() - kCassandraHeaderBytes) % 8 != 0 ||
      (file.size() - kCassandraHeaderBytes) / 8 != header.words) {
    return Error::corrupt_field(
        kCassandraHeaderSubject, 4, "words",
        message("the words of a file of ", file.size(), " bytes, which is 8 and 8 for each"), header.words);
  }
  return header;
}

class CassandraFilter final : public DialectFilter {
 public:
  CassandraFilter(const CassandraHeader& header, CassandraLayout layout, WordBits bits,
                  std::optional<SSTableStatistics> statistics)
      : header_(header),
        layout_(std::move(layout)),
        scheme_(header.bits(), header.hash_count, layout_.order),
        bits_(std::move(bits)),
        statistics_(std::move(statistics)) {}

  std::string dialect() const override { return std::string(kName) + ":" + layout_.version; }
  DialectFacts facts() const override;

  bool may_contain(std::string_view key) const override { return kernel_.may_contain(bits_, scheme_, key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    kernel_.may_contain_batch(bits_, scheme_, keys, answers);
  }
  Result<bool> insert(std::string_view key) override { return kernel_.insert(bits_, scheme_, key); }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    return kernel_.insert_batch(bits_, scheme_, keys);
  }

  Status check_path(const std::string& path) const override {
    return check_sstable_version(path, layout_.version);
  }
  std::optional<std::string> recorded_key_type() const override {
    return statistics_ ? statistics_->key_type : std::nullopt;
  }
  Status merge(const DialectFilter& other) override;
  double current_fpp() const override { return stepped_fpp(bits_, scheme_); }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  CassandraHeader header_;
  CassandraLayout layout_;
  CassandraProbes scheme_;
  const CassandraKernel& kernel_ = chosen_cassandra_kernel();
  WordBits bits_;
  std::optional<SSTableStatistics> statistics_;
};

DialectFacts CassandraFilter::facts() const {
  DialectFacts facts;
  facts.bits = bits_.size();
  facts.hash_count = header_.hash_count;
  facts.set_bits = bits_.count();
  facts.more = {{"bit_order", layout_.big_endian_words ? "old: big-endian words" : "new: bytes"},
                {"probe_order",
                 layout_.order == CassandraProbeOrder::kFirstHalfFirst ? "old: h1 first" : "new: h2 first"}};
  if (statistics_) {
    facts.target_fpp = statistics_->fpp;
    facts.more.emplace_back("partitioner", statistics_->partitioner);
    if (statistics_->key_type) {
      facts.more.emplace_back("key_type", *statistics_->key_type);
    }
  }
  return facts;
}

// Cassandra never merges filters: it builds a new one when it compacts sstables. This function unites filters
// of one shape and one probe order by OR, whatever the order of their bits in the file.
Status CassandraFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraFilter* const cassandra, same_dialect(*this, other));
  if (layout_.order != cassandra->layout_.order) {
    return Error::invalid_argument("merge", "probe order: expected that of version " + layout_.version +
                                                ", found that of " + cassandra->layout_.version);
  }
  Differences differences;
  differences.compare("hash count", header_.hash_count, cassandra->header_.hash_count);
  differences.compare("bits", bits_.size(), cassandra->bits_.size());
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  bits_.unite(cassandra->bits_);
  return {};
}

Result<double> CassandraFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity(kName, "every bit is set: the number of keys cannot be told");
  }
  return estimated_key_count({.bits = bits_.size(), .hash_count = header_.hash_count}, set_bits);
}

Status CassandraFilter::write(const Sink& sink) const {
  std::array<std::byte, kCassandraHeaderBytes> header;
  store_big(header.data(), header_.hash_count);
  store_big(header.data() + 4, header_.words);
  BLOOMERY_RETURN_IF_ERROR(sink(header));
  return layout_.big_endian_words ? write_big_words(bits_, sink) : sink(std::as_bytes(bits_.words()));
}

// Returns the layout of the version in the option or in the file's own name. The two must agree.
Result<CassandraLayout> layout_of(std::string_view option, const std::optional<SSTableName>& name) {
  if (option.empty() && !name) {
    return Error::invalid_argument(
        kName,
        "expected the version of the sstable, by an option such as cassandra:nb or by a name such as "
        "nb-1-big-Filter.db, since it decides which bits are a key's");
  }
  if (!option.empty() && name && name->version != option) {
    return Error::invalid_argument(
        kName, "version: expected " + name->version + " as the file is named, found " + std::string(option));
  }
  return cassandra_layout(option.empty() ? std::string_view(name->version) : option);
}

// A damaged hash count would cause false negatives. Only this comparison with the fpp of Statistics.db
// detects it.
Status check_hash_count(const CassandraHeader& header, const SSTableStatistics& statistics) {
  const Result<CassandraShape> shape = cassandra_shape(1, statistics.fpp);
  if (shape && shape->hash_count == header.hash_count) {
    return {};
  }
  return Error::corrupt_field(
      kCassandraHeaderSubject, 0, "hash count",
      (shape ? std::to_string(shape->hash_count) : "none") + ", which belongs to the fpp " +
          std::to_string(statistics.fpp) +
          " of Statistics.db (a filter that Cassandra made anew for another fpp is asked without that file)",
      header.hash_count);
}

RecognisedDialect recognise_cassandra(std::span<const std::byte> file) {
  return {.name = kName, .recognition = read_cassandra_header(file) ? Recognition::kMaybe : Recognition::kNo};
}

Result<WordBits> read_words(const std::byte* bytes, const CassandraHeader& header,
                            const CassandraLayout& layout) {
  if (layout.big_endian_words) {
    return read_big_words(bytes, header.words);
  }
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  std::memcpy(bits.words().data(), bytes, bits.byte_size());
  return bits;
}

Result<std::unique_ptr<DialectFilter>> open_cassandra(const DialectSource& source, std::string_view option) {
  const std::optional<SSTableName> name = sstable_name_of(source.path);
  BLOOMERY_ASSIGN_OR_RETURN(CassandraLayout layout, layout_of(option, name));
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraHeader header, read_cassandra_header(source.bytes));
  std::optional<SSTableStatistics> statistics;
  if (name) {
    BLOOMERY_ASSIGN_OR_RETURN(statistics, statistics_beside(source.path, *name, layout));
  }
  if (statistics) {
    BLOOMERY_RETURN_IF_ERROR(check_hash_count(header, *statistics));
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("cassandra filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits,
                            read_words(source.bytes.data() + kCassandraHeaderBytes, header, layout));
  std::unique_ptr<DialectFilter> filter =
      std::make_unique<CassandraFilter>(header, std::move(layout), std::move(bits), std::move(statistics));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_cassandra(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(CassandraLayout layout, layout_of(option, std::nullopt));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraShape shape, cassandra_shape(plan.capacity, fpp));
  const CassandraHeader header{.hash_count = shape.hash_count, .words = shape.words};
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  return inserting_builder(
      std::make_unique<CassandraFilter>(header, std::move(layout), std::move(bits), std::nullopt));
}

// Returns the version in the name of a filter file, even if the file is damaged: opening it reports that.
std::string cassandra_name_by_path(std::string_view path) {
  const std::optional<SSTableName> name = sstable_name_of(path);
  return name && name->component == "Filter.db" && cassandra_layout(name->version)
             ? kName + (":" + name->version)
             : std::string();
}

Status check_new_cassandra_path(const std::string& path, std::string_view option) {
  return option.empty() ? Status() : check_sstable_version(path, option);
}

Status check_form_of_cassandra(std::string_view, KeyForm form) {
  return form == KeyForm::kHex || form == KeyForm::kText
             ? Status()
             : Error::invalid_argument(
                   "key form", message("expected hex or text, for the bytes of Cassandra's keys, found ",
                                       key_form_name(form)));
}

}  // namespace

Dialect cassandra_dialect() {
  return {.description = {.name = kName,
                          .options = "VERSION of the sstable: ia to nc, oa, da",
                          .summary = "Cassandra's Filter.db",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_cassandra,
          .open = open_cassandra,
          .build = build_cassandra,
          .directory = DialectDirectory::kSSTables,
          .name_by_path = cassandra_name_by_path,
          .check_new_path = check_new_cassandra_path,
          .check_form = check_form_of_cassandra,
          .key_type = cassandra_partition_key};
}

}  // namespace bloomery
