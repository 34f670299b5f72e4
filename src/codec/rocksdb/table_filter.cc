#include "codec/rocksdb/table_filter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codec/rocksdb/full_filter.h"
#include "codec/rocksdb/table_properties.h"
#include "codec/sstable/block_index.h"
#include "codec/sstable/table_file.h"

namespace bloomery {
namespace {

// RocksDB's policies share these names. TiKV 7.2 to 8.1 appended .FullBloom to them, and reads all names with
// this prefix.
constexpr const char* kFullName = "fullfilter.rocksdb.BuiltinBloomFilter";
constexpr const char* kPartitionedName = "partitionedfilter.rocksdb.BuiltinBloomFilter";

// Returns the extractor of a filter that has only prefixes. `named` is the extractor that the caller names.
Result<RocksDbPrefixExtractor> choose_prefix(const RocksDbTableProperties& properties,
                                             const std::optional<RocksDbPrefixExtractor>& named) {
  const std::string& name = properties.prefix_extractor;
  if (!properties.has_prefixes()) {
    return Error(ErrorCode::kUnsupported, kRocksDbTableSubject,
                 "its filter has neither whole keys nor prefixes: a key cannot be asked for");
  }
  const Result<RocksDbPrefixExtractor> own = RocksDbPrefixExtractor::parse(name);
  if (named && own && *own != *named) {
    return Error::invalid_argument(kRocksDbTableSubject, "expected the prefixes of " + named->name() +
                                                             " as named, found those of " + name);
  }
  if (!own && !named) {
    return Error(ErrorCode::kUnsupported, kRocksDbTableSubject,
                 "its filter has prefixes of keys only, by " + name +
                     ": expected the name of an extractor that does the same");
  }
  return own ? *own : *named;
}

// The filter of a table, in partitions. A full filter is a single partition without an index.
class RocksDbTableFilter final : public DialectFilter {
 public:
  RocksDbTableFilter(const sstable::TableFile& table, std::uint64_t entries,
                     std::optional<RocksDbPrefixExtractor> prefix, sstable::BlockIndex index,
                     std::vector<RocksDbFullFilter> partitions)
      : file_(table.bytes()),
        format_version_(table.footer().format_version),
        integrity_(table.integrity()),
        entries_(entries),
        prefix_(prefix),
        index_(std::move(index)),
        partitions_(std::move(partitions)) {}

  std::string dialect() const override { return "rocksdb:table"; }
  DialectFacts facts() const override;
  bool may_contain(std::string_view key) const override {
    const std::optional<std::string_view> asked = prefix_ ? prefix_->prefix_of(key) : key;
    return !asked || partition_of(key).may_contain(*asked);
  }
  bool can_tell(std::string_view key) const override { return !prefix_ || prefix_->prefix_of(key); }
  bool forces_maybes() const override { return prefix_.has_value(); }
  void filters_say(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    may_contain_batch(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i / 64] &= ~(std::uint64_t{!can_tell(keys[i])} << (i % 64));
    }
  }
  void force_maybes(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i / 64] |= std::uint64_t{!can_tell(keys[i])} << (i % 64);
    }
  }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    if (index_.size() == 0 && !prefix_) {
      partitions_.front().may_contain_batch(keys, answers);
    } else {
      DialectFilter::may_contain_batch(keys, answers);
    }
  }
  bool is_static() const override { return true; }
  Result<bool> insert(std::string_view) override { return only_read(); }
  Status merge(const DialectFilter&) override { return only_read(); }
  double current_fpp() const override {
    if (prefix_) {
      return 1;  // an absent key with the prefix of an inserted key always matches
    }
    // Assumes that absent keys are distributed like the stored keys, so each partition is weighted by its
    // number of keys.
    double sum = 0;
    double all_keys = 0;
    for (const RocksDbFullFilter& partition : partitions_) {
      const double keys = std::max(1.0, keys_of(partition));
      sum += partition.fpp() * keys;
      all_keys += keys;
    }
    return sum / all_keys;
  }
  Result<double> estimated_count() const override {
    double sum = 0;
    for (const RocksDbFullFilter& partition : partitions_) {
      BLOOMERY_ASSIGN_OR_RETURN(const double keys, partition.estimated_count());
      sum += keys;
    }
    return sum;
  }
  Status write(const Sink& sink) const override { return sink(file_); }

 private:
  Error only_read() const {
    return {ErrorCode::kUnsupported, dialect(), "its filter belongs to the table's keys: it is only read"};
  }

  // The bits of a ribbon do not reveal its keys. In RocksDB's usual ribbon a key needs about 7 bits.
  static double keys_of(const RocksDbFullFilter& partition) {
    constexpr double kBitsOfOther = 7;
    const auto keys = partition.estimated_count();
    return keys ? *keys : static_cast<double>(partition.facts().bits) / kBitsOfOther;
  }

  // Finds the partition by the complete key, even if the query is for a prefix.
  const RocksDbFullFilter& partition_of(std::string_view key) const {
    if (index_.size() == 0) {
      return partitions_.front();
    }
    // For a key after the last separator, RocksDB queries the last partition.
    return partitions_[std::min(index_.find(key), partitions_.size() - 1)];
  }

  std::span<const std::byte> file_;
  std::uint32_t format_version_;
  std::string integrity_;
  std::uint64_t entries_;
  std::optional<RocksDbPrefixExtractor> prefix_;  // the filter has prefixes and no whole keys
  sstable::BlockIndex index_;                     // index of the partitions; empty for a full filter
  std::vector<RocksDbFullFilter> partitions_;
};

DialectFacts RocksDbTableFilter::facts() const {
  DialectFacts facts = partitions_.front().facts();
  for (std::size_t i = 1; i < partitions_.size(); ++i) {
    const DialectFacts more = partitions_[i].facts();
    facts.bits += more.bits;
    facts.set_bits += more.set_bits;
  }
  facts.integrity = integrity_;
  facts.more.insert(facts.more.begin(), {{"form", "table"},
                                         {"format version", std::to_string(format_version_)},
                                         {"entries", std::to_string(entries_)}});
  if (prefix_) {
    facts.more.emplace_back("prefixes", prefix_->name());
  }
  if (partitions_.size() > 1) {
    facts.more.emplace_back("partitions", std::to_string(partitions_.size()));
  }
  return facts;
}

Result<RocksDbFullFilter> read_filter(const sstable::TableFile& table, const sstable::BlockHandle& handle) {
  BLOOMERY_ASSIGN_OR_RETURN(const sstable::Block block, table.read(handle, "filter block"));
  return RocksDbFullFilter::open(block.contents(), handle.offset, MemoryShare(table.memory()));
}

struct Partitions {
  sstable::BlockIndex index;
  std::vector<RocksDbFullFilter> filters;
};

Result<Partitions> read_partitions(const sstable::TableFile& table, const sstable::BlockHandle& handle,
                                   const RocksDbTableProperties& properties) {
  if (!properties.is_bytewise()) {
    return Error::unsupported(kRocksDbTableSubject, handle.offset,
                              "expected partitions in bytewise order, found a comparator of its own");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const sstable::Block block, table.read(handle, "filter index block"));
  Partitions partitions;
  BLOOMERY_ASSIGN_OR_RETURN(partitions.index,
                            sstable::BlockIndex::read(block.contents(), handle.offset, properties.index,
                                                      MemoryShare(table.memory())));
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < partitions.index.size(); ++i) {
    const sstable::BlockHandle& part = partitions.index.handle(i);
    if (part.offset < end) {  // otherwise many handles of one block could exhaust the memory
      return Error::corruption(kRocksDbTableSubject, handle.offset,
                               "partition " + std::to_string(i) + ": expected it behind " +
                                   std::to_string(end) + ", found it at " + std::to_string(part.offset));
    }
    BLOOMERY_ASSIGN_OR_RETURN(RocksDbFullFilter filter, read_filter(table, part));
    partitions.filters.push_back(std::move(filter));
    end = part.offset + part.size;
  }
  if (partitions.filters.empty()) {
    return Error::corruption(kRocksDbTableSubject, handle.offset, "one partition or more", "none");
  }
  return partitions;
}

// Checks the handle. In a table without checksums, a damaged handle could select other bytes as the filter.
Status check_place(const sstable::BlockHandle& filter, const RocksDbTableProperties& properties,
                   std::uint64_t index) {
  const bool other_size = properties.filter_bytes != 0 && properties.filter_bytes != filter.size;
  if (other_size || filter.offset < properties.data_bytes || filter.offset > index ||
      filter.size > index - filter.offset) {
    return Error::corruption(kRocksDbTableSubject, filter.offset,
                             "the " + std::to_string(properties.filter_bytes) + " bytes of the filter from " +
                                 std::to_string(properties.data_bytes) + " to the index at " +
                                 std::to_string(index),
                             std::to_string(filter.size) + " bytes at " + std::to_string(filter.offset));
  }
  return {};
}

Result<Partitions> read_filters(const sstable::TableFile& table, const RocksDbTableProperties& properties) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto full, table.find_meta_named_like(kFullName));
  if (full) {
    BLOOMERY_RETURN_IF_ERROR(check_place(*full, properties, table.footer().index.offset));
    BLOOMERY_ASSIGN_OR_RETURN(RocksDbFullFilter filter, read_filter(table, *full));
    Partitions whole;
    whole.filters.push_back(std::move(filter));
    return whole;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto partitioned, table.find_meta_named_like(kPartitionedName));
  if (partitioned) {
    return read_partitions(table, *partitioned, properties);
  }
  // A table that contains only range deletions has no keys, and RocksDB builds no filter for it.
  if (properties.entries != 0 && properties.entries == properties.range_deletions &&
      properties.data_bytes == 0) {
    BLOOMERY_ASSIGN_OR_RETURN(RocksDbFullFilter none, RocksDbFullFilter::open({}, 0));
    Partitions empty;
    empty.filters.push_back(std::move(none));
    return empty;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string names, table.meta_names(""));
  return Error::unsupported(kRocksDbTableSubject, table.footer().metaindex.offset,
                            "expected a full filter in the metaindex, found only " + names);
}

}  // namespace

Result<std::unique_ptr<DialectFilter>> open_rocksdb_table(const DialectSource& source,
                                                          const std::optional<RocksDbPrefixExtractor>& prefix,
                                                          RocksDbAsked asked) {
  BLOOMERY_ASSIGN_OR_RETURN(const sstable::TableFile table,
                            sstable::TableFile::open(source.bytes, source.memory));
  BLOOMERY_ASSIGN_OR_RETURN(const bool rocksdb, table.is_rocksdb());
  if (!rocksdb) {
    return Error::invalid_argument(kRocksDbTableSubject, "expected one that RocksDB wrote, found LevelDB's");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RocksDbTableProperties properties, RocksDbTableProperties::read(table));
  std::optional<RocksDbPrefixExtractor> asked_prefix;
  if (!properties.whole_keys || asked == RocksDbAsked::kPrefixes) {
    BLOOMERY_ASSIGN_OR_RETURN(asked_prefix, choose_prefix(properties, prefix));
  }
  BLOOMERY_ASSIGN_OR_RETURN(Partitions partitions, read_filters(table, properties));
  std::unique_ptr<DialectFilter> filter = std::make_unique<RocksDbTableFilter>(
      table, properties.entries, asked_prefix, std::move(partitions.index), std::move(partitions.filters));
  filter->hold(source.owner);
  return filter;
}

}  // namespace bloomery
