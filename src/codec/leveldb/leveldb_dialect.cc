// The dialect of LevelDB's filters: a single one (raw), a table's filter block, or a table file.
// Layouts and deviations: docs/formats/leveldb.md.
#include <array>
#include <memory>

#include "codec/dialect.h"
#include "codec/leveldb/filter_block.h"
#include "codec/leveldb/raw_filter_dialect.h"
#include "codec/leveldb/table_filter.h"
#include "codec/plan.h"
#include "codec/sstable/table_file.h"

namespace bloomery {
namespace {

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
