#include "codec/cassandra/cassandra_filter.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/endian.h"
#include "base/message.h"
#include "bloomery/filter/sizing.h"
#include "codec/big_words.h"
#include "codec/cassandra/cassandra_sizing.h"
#include "codec/cassandra/component_file.h"
#include "codec/merge_rule.h"
#include "codec/stepped_fpp.h"

namespace bloomery {
namespace {

constexpr const char* kCassandra = "cassandra";
constexpr const char* kCassandraHeaderSubject = "cassandra header";

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

Result<WordBits> read_words(const std::byte* bytes, const CassandraHeader& header,
                            const CassandraLayout& layout) {
  if (layout.big_endian_words) {
    return read_big_words(bytes, header.words);
  }
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  std::memcpy(bits.words().data(), bytes, bits.byte_size());
  return bits;
}

}  // namespace

// Nothing follows the words. A file of another size is truncated, extended, or of another kind.
Result<CassandraHeader> read_cassandra_header(std::span<const std::byte> file) {
  if (file.size() < CassandraHeader::kBytes) {
    return Error::corruption(kCassandraHeaderSubject, file.size(), "8 bytes",
                             "the end after " + std::to_string(file.size()));
  }
  const CassandraHeader header{.hash_count = load_big32(file.data()), .words = load_big32(file.data() + 4)};
  if (header.hash_count == 0 || header.hash_count > kMostCassandraHashes) {
    return Error::corrupt_field(kCassandraHeaderSubject, 0, "hash count", "1 to 14", header.hash_count);
  }
  if (header.words == 0 || (file.size() - CassandraHeader::kBytes) % 8 != 0 ||
      (file.size() - CassandraHeader::kBytes) / 8 != header.words) {
    return Error::corrupt_field(
        kCassandraHeaderSubject, 4, "words",
        message("the words of a file of ", file.size(), " bytes, which is 8 and 8 for each"), header.words);
  }
  return header;
}

Result<CassandraLayout> cassandra_layout_of(std::string_view option, const std::optional<SSTableName>& name) {
  if (option.empty() && !name) {
    return Error::invalid_argument(
        kCassandra,
        "expected the version of the sstable, by an option such as cassandra:nb or by a name such as "
        "nb-1-big-Filter.db, since it decides which bits are a key's");
  }
  if (!option.empty() && name && name->version != option) {
    return Error::invalid_argument(kCassandra, "version: expected " + name->version +
                                                   " as the file is named, found " + std::string(option));
  }
  return cassandra_layout(option.empty() ? std::string_view(name->version) : option);
}

CassandraFilter::CassandraFilter(const CassandraHeader& header, CassandraLayout layout, WordBits bits,
                                 std::optional<SSTableStatistics> statistics)
    : header_(header),
      layout_(std::move(layout)),
      scheme_(header.bits(), header.hash_count, layout_.order),
      bits_(std::move(bits)),
      statistics_(std::move(statistics)) {}

Result<std::unique_ptr<CassandraFilter>> CassandraFilter::open(const DialectSource& source,
                                                               std::string_view option) {
  const std::optional<SSTableName> name = sstable_name_of(source.path);
  BLOOMERY_ASSIGN_OR_RETURN(CassandraLayout layout, cassandra_layout_of(option, name));
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
                            read_words(source.bytes.data() + CassandraHeader::kBytes, header, layout));
  auto filter =
      std::make_unique<CassandraFilter>(header, std::move(layout), std::move(bits), std::move(statistics));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<CassandraFilter>> CassandraFilter::empty(const CassandraHeader& header,
                                                                CassandraLayout layout) {
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  return std::make_unique<CassandraFilter>(header, std::move(layout), std::move(bits), std::nullopt);
}

std::string CassandraFilter::dialect() const {
  return std::string(kCassandra) + ":" + layout_.version;
}

std::uint64_t CassandraFilter::may_contain_hashes(std::span<const Hash128> hashes) const {
  std::uint64_t answers = 0;
  if (!probes::prefetches(bits_)) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      answers |= probes::all_of_key(bits_, scheme_, scheme_.begin(hashes[i])) << i;
    }
    return answers;
  }
  std::array<probes::Held<CassandraProbes>, probes::kGroup> held;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    probes::hold<0>(bits_, scheme_, scheme_.begin(hashes[i]), header_.hash_count, held[i]);
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    answers |= probes::held_set(bits_, scheme_, held[i], header_.hash_count) << i;
  }
  return answers;
}

double CassandraFilter::current_fpp() const {
  return stepped_fpp(bits_, scheme_);
}

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
    return Error::capacity(kCassandra, "every bit is set: the number of keys cannot be told");
  }
  return estimated_key_count({.bits = bits_.size(), .hash_count = header_.hash_count}, set_bits);
}

Status CassandraFilter::write(const Sink& sink) const {
  std::array<std::byte, CassandraHeader::kBytes> header;
  store_big(header.data(), header_.hash_count);
  store_big(header.data() + 4, header_.words);
  BLOOMERY_RETURN_IF_ERROR(sink(header));
  return layout_.big_endian_words ? write_big_words(bits_, sink) : sink(std::as_bytes(bits_.words()));
}

}  // namespace bloomery
