#include "codec/leveldb/table_filter.h"

#include <optional>
#include <string>
#include <utility>

#include "codec/leveldb/filter_block.h"
#include "codec/leveldb/manifest.h"
#include "codec/sstable/block_index.h"
#include "codec/sstable/table_file.h"
#include "hash/leveldb_hash.h"

namespace bloomery {
namespace {

constexpr const char* kFilterPrefix = "filter.";  // a policy's name follows it
constexpr const char* kFilterName = "filter.leveldb.BuiltinBloomFilter2";
// goleveldb's name for the same filter. LevelDB before 1.5 used it for a filter whose hash has a signed tail.
constexpr const char* kOldFilterName = "filter.leveldb.BuiltinBloomFilter";

// A filter of a table's metaindex, and the hashes by which it may contain a key.
struct NamedFilter {
  std::string name;
  sstable::BlockHandle handle;
  bool asks_unsigned = true;
  bool asks_signed = false;
};

// The base class of both filters, which are read-only.
class StoredFilters : public DialectFilter {
 public:
  explicit StoredFilters(std::span<const std::byte> file) : file_(file) {}

  bool is_static() const override { return true; }
  Result<bool> insert(std::string_view) override { return only_read(); }
  Status merge(const DialectFilter&) override { return only_read(); }
  Status write(const Sink& sink) const override { return sink(file_); }

 private:
  Error only_read() const {
    return {ErrorCode::kUnsupported, dialect(),
            "each of its filters belongs to data blocks of a table: it is only read"};
  }

  std::span<const std::byte> file_;
};

class BlockFilter final : public StoredFilters {
 public:
  BlockFilter(std::span<const std::byte> file, const LevelDbFilterBlock& filters)
      : StoredFilters(file), filters_(filters) {}

  std::string dialect() const override { return "leveldb:block"; }
  DialectFacts facts() const override {
    DialectFacts facts = filters_.facts();
    facts.more.insert(facts.more.begin(), {"form", "filter block"});
    return facts;
  }
  bool may_contain(std::string_view key) const override {
    return filters_.may_match(leveldb_hash(key, TailBytes::kUnsigned));
  }
  double current_fpp() const override { return filters_.any_fpp(); }
  Result<double> estimated_count() const override { return filters_.estimated_count(); }

 private:
  LevelDbFilterBlock filters_;
};

class LevelDbTableFilter final : public StoredFilters {
 public:
  LevelDbTableFilter(const sstable::TableFile& table, sstable::Block block, const LevelDbFilterBlock& filters,
                     sstable::BlockIndex index, NamedFilter named)
      : StoredFilters(table.bytes()),
        block_(std::move(block)),
        filters_(filters),
        index_(std::move(index)),
        named_(std::move(named)),
        integrity_(table.integrity()) {}

  std::string dialect() const override { return "leveldb:table"; }
  DialectFacts facts() const override {
    DialectFacts facts = filters_.facts();
    facts.integrity = integrity_;
    facts.more.insert(facts.more.begin(),
                      {{"form", "table"}, {"data blocks", std::to_string(index_.size())}});
    if (named_.asks_unsigned && named_.asks_signed) {
      facts.more.emplace_back("hash", "goleveldb's, or that of LevelDB before 1.5: both are asked");
    } else if (named_.name != kFilterName) {
      facts.more.emplace_back("policy", named_.name + ", asked as named by the option");
    }
    return facts;
  }
  // A filter of the old name may contain a key by either of two hashes. They differ if a byte of the key's
  // tail is above 127.
  bool may_contain(std::string_view key) const override {
    const std::size_t block = index_.find(key);
    if (block == index_.size()) {
      return false;
    }
    const std::uint64_t offset = index_.handle(block).offset;
    return (named_.asks_unsigned && filters_.may_match_at(offset, leveldb_hash(key, TailBytes::kUnsigned))) ||
           (named_.asks_signed && filters_.may_match_at(offset, leveldb_hash(key, TailBytes::kSigned)));
  }
  double current_fpp() const override {
    const double of_one_hash = filters_.mean_fpp();
    return named_.asks_unsigned && named_.asks_signed ? 1 - (1 - of_one_hash) * (1 - of_one_hash)
                                                      : of_one_hash;
  }
  Result<double> estimated_count() const override { return filters_.estimated_count(); }

 private:
  sstable::Block block_;  // filters_ views its bytes
  LevelDbFilterBlock filters_;
  sstable::BlockIndex index_;
  NamedFilter named_;
  std::string integrity_;
};

// Checks that the data blocks ascend, do not overlap, and end before the filter block.
Status check_order(const sstable::BlockIndex& index, std::uint64_t filter_offset, std::uint64_t at) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const sstable::BlockHandle& handle = index.handle(i);
    if (handle.offset < end || handle.offset > filter_offset || handle.size > filter_offset - handle.offset) {
      return Error::corruption("table index", at,
                               "data block " + std::to_string(i) + ": expected it from " +
                                   std::to_string(end) + " to " + std::to_string(filter_offset) +
                                   ", found it at " + std::to_string(handle.offset) + " with " +
                                   std::to_string(handle.size) + " bytes");
    }
    end = handle.offset + handle.size;
  }
  return {};
}

// Refuses any comparator but the bytewise one: the index would find the wrong data block, a false negative.
Status check_comparator(const std::string& path) {
  if (path.empty()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> comparator, comparator_beside(path));
  if (comparator && *comparator != kBytewiseComparator) {
    return Error(ErrorCode::kUnsupported, "leveldb table",
                 std::string("expected keys in the order of ") + kBytewiseComparator +
                     ", found a manifest with " + *comparator);
  }
  return {};
}

Result<NamedFilter> filter_by_name(const sstable::TableFile& table) {
  NamedFilter named{.name = kFilterName, .handle = {}};
  BLOOMERY_ASSIGN_OR_RETURN(auto handle, table.find_meta(kFilterName));
  if (!handle) {
    named = {.name = kOldFilterName, .handle = {}, .asks_signed = true};
    BLOOMERY_ASSIGN_OR_RETURN(handle, table.find_meta(kOldFilterName));
  }
  if (!handle) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string names, table.meta_names(kFilterPrefix));
    return Error::unsupported("leveldb table", table.footer().metaindex.offset,
                              std::string("expected ") + kFilterName + " in the metaindex, found " +
                                  (names.empty() ? "no filter" : names));
  }
  named.handle = *handle;
  return named;
}

Result<NamedFilter> only_filter(const sstable::TableFile& table, LevelDbPolicy policy) {
  NamedFilter named{.name = "",
                    .handle = {},
                    .asks_unsigned = policy == LevelDbPolicy::kLevelDb,
                    .asks_signed = policy == LevelDbPolicy::kRocksDb};
  int filters = 0;
  BLOOMERY_RETURN_IF_ERROR(table.visit_meta([&](std::string_view name, const sstable::BlockHandle& handle) {
    if (name.starts_with(kFilterPrefix)) {
      ++filters;
      named.name = name;
      named.handle = handle;
    }
  }));
  if (filters != 1) {
    return Error::unsupported("leveldb table", table.footer().metaindex.offset,
                              "expected one filter in the metaindex, found " + std::to_string(filters));
  }
  return named;
}

}  // namespace

Result<std::unique_ptr<DialectFilter>> open_leveldb_block(const DialectSource& source) {
  BLOOMERY_ASSIGN_OR_RETURN(const LevelDbFilterBlock filters, LevelDbFilterBlock::parse(source.bytes, 0));
  std::unique_ptr<DialectFilter> filter = std::make_unique<BlockFilter>(source.bytes, filters);
  filter->hold(source.owner);
  return filter;
}

Result<std::unique_ptr<DialectFilter>> open_leveldb_table(const DialectSource& source, LevelDbPolicy policy) {
  BLOOMERY_ASSIGN_OR_RETURN(const sstable::TableFile table,
                            sstable::TableFile::open(source.bytes, source.memory));
  BLOOMERY_ASSIGN_OR_RETURN(const bool rocksdb, table.is_rocksdb());
  if (rocksdb) {
    return Error::invalid_argument("leveldb table", "expected one that LevelDB wrote, found RocksDB's");
  }
  BLOOMERY_RETURN_IF_ERROR(check_comparator(source.path));
  BLOOMERY_ASSIGN_OR_RETURN(NamedFilter named, policy == LevelDbPolicy::kByName ? filter_by_name(table)
                                                                                : only_filter(table, policy));
  BLOOMERY_ASSIGN_OR_RETURN(sstable::Block block, table.read(named.handle, "filter block"));
  BLOOMERY_ASSIGN_OR_RETURN(const LevelDbFilterBlock filters,
                            LevelDbFilterBlock::parse(block.contents(), named.handle.offset));
  const sstable::BlockHandle& index_handle = table.footer().index;
  BLOOMERY_ASSIGN_OR_RETURN(const sstable::Block index_block, table.read(index_handle, "index block"));
  BLOOMERY_ASSIGN_OR_RETURN(sstable::BlockIndex index,
                            sstable::BlockIndex::read(index_block.contents(), index_handle.offset,
                                                      sstable::IndexForm(), MemoryShare(source.memory)));
  BLOOMERY_RETURN_IF_ERROR(check_order(index, named.handle.offset, index_handle.offset));
  std::unique_ptr<DialectFilter> filter = std::make_unique<LevelDbTableFilter>(
      table, std::move(block), filters, std::move(index), std::move(named));
  filter->hold(source.owner);
  return filter;
}

}  // namespace bloomery
