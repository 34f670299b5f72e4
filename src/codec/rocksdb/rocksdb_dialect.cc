// The dialect of RocksDB's full filters (fastlocal, ribbon and legacy), alone or in a table (.sst).
// Layouts and deviations: docs/formats/rocksdb.md.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/choice_names.h"
#include "codec/dialect.h"
#include "codec/plan.h"
#include "codec/rocksdb/filter_builder.h"
#include "codec/rocksdb/full_filter.h"
#include "codec/rocksdb/sizing.h"
#include "codec/rocksdb/table_filter.h"
#include "codec/sstable/table_file.h"

namespace bloomery {
namespace {

// A full filter by itself. Keys can be added to the two Bloom filters. The result is like a filter built with
// fewer bits per key.
class RocksDbFilter final : public DialectFilter {
 public:
  explicit RocksDbFilter(RocksDbFullFilter filter) : filter_(std::move(filter)) {}

  // A filter that is empty or matches all keys has no kind. It opens under the name of any kind.
  std::string dialect() const override {
    const bool named = is_ribbon() || filter_.is_bloom();
    return std::string("rocksdb:") + (named ? filter_.kind_name() : "fastlocal");
  }
  DialectFacts facts() const override { return filter_.facts(); }
  bool may_contain(std::string_view key) const override { return filter_.may_contain(key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    filter_.may_contain_batch(keys, answers);
  }
  bool is_static() const override {
    return is_ribbon() || std::holds_alternative<RocksDbNoKeys>(filter_.scheme());
  }
  Result<bool> insert(std::string_view key) override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t changed, insert_batch({&key, 1}));
    return changed != 0;
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    if (is_static()) {
      return Error(ErrorCode::kUnsupported, dialect(),
                   is_ribbon() ? "a ribbon is made of all its keys at once: none can be added"
                               : "a filter without bits: no key can be added");
    }
    return filter_.is_bloom() ? filter_.insert_batch(keys) : 0;
  }
  Status merge(const DialectFilter&) override {
    return Error(ErrorCode::kUnsupported, dialect(),
                 "RocksDB's filters cannot be merged: their sizes follow from their keys, and RocksDB makes "
                 "the filter of a merged table of its keys");
  }
  double current_fpp() const override { return filter_.fpp(); }
  Result<double> estimated_count() const override { return filter_.estimated_count(); }
  Status write(const Sink& sink) const override { return filter_.write(sink); }

 private:
  bool is_ribbon() const { return std::holds_alternative<RocksDbRibbon>(filter_.scheme()); }

  RocksDbFullFilter filter_;
};

constexpr ChoiceNames<RocksDbKind, 3> kKinds{{{{RocksDbKind::kFastLocal, "fastlocal"},
                                               {RocksDbKind::kRibbon, "ribbon"},
                                               {RocksDbKind::kLegacy, "legacy"}}}};

Error unknown_rocksdb_option(std::string_view option) {
  return unknown_option("rocksdb", "fastlocal, ribbon, legacy or table", option);
}

// Checks that a filter may be opened under an option. RocksDB stores a small ribbon as a fastlocal filter.
Status check_kind(const RocksDbScheme& scheme, RocksDbKind named) {
  const bool agrees = std::holds_alternative<RocksDbLegacyProbes>(scheme)      ? named == RocksDbKind::kLegacy
                      : std::holds_alternative<RocksDbFastLocalProbes>(scheme) ? named != RocksDbKind::kLegacy
                      : std::holds_alternative<RocksDbRibbon>(scheme)          ? named == RocksDbKind::kRibbon
                                                                               : true;
  if (!agrees) {
    return Error::invalid_argument("rocksdb filter",
                                   "expected the kind as named, found another one in its trailer");
  }
  return {};
}

// Checks that RocksDB could have made this lone filter. A filter inside a table is covered by its block's
// checksum instead.
Status check_rocksdb_is_made(const DialectSource& source, const RocksDbScheme& scheme) {
  constexpr const char* kSubject = "rocksdb filter";
  if (std::holds_alternative<RocksDbNoKeys>(scheme)) {
    return source.doubted(kSubject, "expected a filter of some keys, found one of none, in " +
                                        std::to_string(source.bytes.size()) + " bytes");
  }
  if (const auto* const all = std::get_if<RocksDbMatchesAll>(&scheme);
      all != nullptr && source.bytes[source.bytes.size() - kRocksDbTrailerBytes] != std::byte{0}) {
    return source.doubted(kSubject,
                          std::string("expected a filter as RocksDB makes it, found ") + all->reason);
  }
  if (const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme)) {
    const std::uint64_t line_bytes = legacy->blocked_bits() / 8;
    if (legacy->lines() % 2 == 0 || legacy->hash_count() > 30 || line_bytes < 64 || line_bytes > 256) {
      return source.doubted(kSubject,
                            "expected an odd number of lines of 64 to 256 bytes, and k from 1 to 30, found " +
                                std::to_string(legacy->lines()) + " lines of " + std::to_string(line_bytes) +
                                " bytes, and k " + std::to_string(legacy->hash_count()));
    }
  }
  return {};
}

Result<std::unique_ptr<DialectFilter>> open_charged(std::span<const std::byte> bytes, MemoryShare memory) {
  BLOOMERY_ASSIGN_OR_RETURN(RocksDbFullFilter filter, RocksDbFullFilter::open(bytes, 0, std::move(memory)));
  std::unique_ptr<DialectFilter> opened = std::make_unique<RocksDbFilter>(std::move(filter));
  return opened;
}

Result<std::unique_ptr<DialectFilter>> open_filter(std::span<const std::byte> bytes) {
  return open_charged(bytes, {});
}

// A filter by itself is never certain, because the beginning of a table may end like one.
RecognisedDialect recognise_rocksdb(std::span<const std::byte> file) {
  const std::optional<sstable::TableMagic> magic = sstable::table_magic(file);
  if (magic == sstable::TableMagic::kRocksDb ||
      magic == sstable::TableMagic::kPebble) {  // opening reports Pebble's tables
    return {.name = "rocksdb:table", .recognition = Recognition::kCertain};
  }
  if (magic) {
    const Result<sstable::TableFile> table =
        sstable::TableFile::open(file, MemoryBudget::of_file({}, file.size()));
    const bool rocksdb = table && table.value().is_rocksdb().value_or(false);
    return {.name = "rocksdb:table", .recognition = rocksdb ? Recognition::kCertain : Recognition::kNo};
  }
  const Result<RocksDbScheme> scheme = read_rocksdb_trailer(file, 0);
  if (file.size() > kRocksDbTrailerBytes && scheme && !sstable::ends_like_table(file)) {
    if (std::holds_alternative<RocksDbLegacyProbes>(*scheme)) {
      return {.name = "rocksdb:legacy", .recognition = Recognition::kMaybe};
    }
    if (std::holds_alternative<RocksDbFastLocalProbes>(*scheme)) {
      return {.name = "rocksdb:fastlocal", .recognition = Recognition::kMaybe};
    }
    if (std::holds_alternative<RocksDbRibbon>(*scheme)) {
      return {.name = "rocksdb:ribbon", .recognition = Recognition::kMaybe};
    }
  }
  return {.name = "rocksdb", .recognition = Recognition::kNo};
}

// Without an option, only a table is opened, because a filter by itself is never certain.
Result<std::unique_ptr<DialectFilter>> open_rocksdb(const DialectSource& source, std::string_view option) {
  constexpr std::string_view kTablePrefix = "table,prefix=";
  if (option.empty() || option == "table") {
    return open_rocksdb_table(source);
  }
  if (option.starts_with(kTablePrefix)) {
    BLOOMERY_ASSIGN_OR_RETURN(const RocksDbPrefixExtractor prefix,
                              RocksDbPrefixExtractor::parse(option.substr(kTablePrefix.size())));
    return open_rocksdb_table(source, prefix);
  }
  const std::optional<RocksDbKind> kind = kKinds.find(option);
  if (!kind) {
    return unknown_rocksdb_option(option);
  }
  if (sstable::ends_like_table(source.bytes)) {
    return Error::invalid_argument(
        "rocksdb", "expected rocksdb:" + std::string(option) + " as named, found the end of a table");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RocksDbScheme scheme, read_rocksdb_trailer(source.bytes, 0));
  BLOOMERY_RETURN_IF_ERROR(check_kind(scheme, *kind));
  BLOOMERY_RETURN_IF_ERROR(check_rocksdb_is_made(source, scheme));
  return open_charged(source.bytes, MemoryShare(source.memory));
}

Result<std::unique_ptr<DialectBuilder>> build_rocksdb(const DialectPlan& plan, std::string_view option) {
  if (option == "table") {
    return Error(ErrorCode::kUnsupported, "rocksdb:table", "tables are only read");
  }
  const std::optional<RocksDbKind> kind = option.empty() ? RocksDbKind::kFastLocal : kKinds.find(option);
  if (!kind) {
    return unknown_rocksdb_option(option);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RocksDbBits bits, rocksdb_bits(plan, *kind));
  return rocksdb_builder(bits, *kind, open_filter);
}

}  // namespace

Dialect rocksdb_dialect() {
  static constexpr std::array<std::string_view, 3> kRawOptions = {"fastlocal", "legacy", "ribbon"};
  return {.description = {.name = "rocksdb",
                          .options = "fastlocal|ribbon|legacy|table[,prefix=fixed:N|capped:N|noop]",
                          .summary = "RocksDB's full filters, alone or in a table (.sst)",
                          .sized_by = SizedBy::kKeys,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_rocksdb,
          .open = open_rocksdb,
          .build = build_rocksdb,
          .directory = DialectDirectory::kDatabase,
          .raw_options = kRawOptions,
          .prefix_option = "table,prefix="};
}

}  // namespace bloomery
