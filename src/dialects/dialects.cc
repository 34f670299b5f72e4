#include "bloomery/dialects/dialects.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/file.h"
#include "codec/bits_and_blooms/bits_and_blooms_dialect.h"
#include "codec/cassandra/cassandra_dialect.h"
#include "codec/cassandra/component_file.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/dcso/dcso_dialect.h"
#include "codec/dialect.h"
#include "codec/guava/guava_dialect.h"
#include "codec/leveldb/leveldb_dialect.h"
#include "codec/parquet/parquet_dialect.h"
#include "codec/redisbloom/redisbloom_dialect.h"
#include "codec/rocksdb/rocksdb_dialect.h"
#include "codec/simple_java/simple_java_dialect.h"
#include "codec/spark/spark_dialect.h"
#include "dialects/hfile_dialect.h"
#include "dialects/whole_file.h"
#include "filter/native/native_header.h"

namespace bloomery {
namespace {

using namespace std::string_view_literals;

// Returns the list of all dialects, in alphabetical order. It never changes.
std::span<const Dialect> dialect_rows() {
  static const std::array rows = {bits_and_blooms_dialect(), cassandra_dialect(),  dcso_dialect(),
                                  guava_dialect(),           hfile_dialect(),      leveldb_dialect(),
                                  parquet_dialect(),         redisbloom_dialect(), rocksdb_dialect(),
                                  simple_java_dialect(),     spark_dialect()};
  return rows;
}

struct DialectName {
  const Dialect* dialect;
  std::string_view option;
};

// An option of a dialect: the words after the colon, without a final `forced`.
struct OpeningOption {
  std::string_view words;
  Doubt doubt = Doubt::kRefuse;
};

// Parquet's options are column names, and its filters are never doubtful, so it has no word `forced`.
OpeningOption opening_option(const DialectName& name) {
  constexpr std::string_view kForced = "forced";
  std::string_view words = name.option;
  if (name.dialect->description.name == "parquet" || !words.ends_with(kForced)) {
    return {.words = words};
  }
  words.remove_suffix(kForced.size());
  if (words.empty()) {
    return {.words = words, .doubt = Doubt::kAccept};
  }
  if (!words.ends_with(',')) {
    return {.words = name.option};
  }
  words.remove_suffix(1);
  return {.words = words, .doubt = Doubt::kAccept};
}

// The first bytes of a kind of file. If it has a dialect, that dialect opens the file itself.
struct KnownBeginning {
  std::string_view bytes;
  std::string_view kind;
  std::string_view dialect;
};

constexpr std::array<KnownBeginning, 10> kBeginnings = {{
    {kNativeMagic, "a filter of ours", ""},
    {"\xac\xed\0\5"sv, "an object of Java's serialisation", "guava"},
    {"\x1f\x8b\x08"sv, "gzip", "dcso"},
    {"\x28\xb5\x2f\xfd"sv, "zstd", ""},
    {"\xfd\x37zXZ\0"sv, "xz", ""},
    {"PK\3\4"sv, "zip", ""},
    {"PAR1"sv, "a .parquet file", "parquet"},
    {"DATABLK*"sv, "an HFile", "hbase"},
    {"SQLite format 3"sv, "an SQLite database", ""},
    {"\x7f"
     "ELF"sv,
     "a program (ELF)", ""},
}};

// Returns the kind of the bytes if they are something other than the named dialect, otherwise nothing. A
// table may begin with a block of zstd, so bytes that certainly belong to the named dialect are not doubted.
std::string other_kind(std::span<const std::byte> file, const Dialect& named) {
  if (named.recognise(file).recognition == Recognition::kCertain) {
    return {};
  }
  const std::string_view name = named.description.name;
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const KnownBeginning& known : kBeginnings) {
    if (known.dialect != name && text.starts_with(known.bytes)) {
      return std::string(known.kind);
    }
  }
  for (const Dialect& dialect : dialect_rows()) {
    // Tables of LevelDB and RocksDB end alike, and both dialects recognise that end.
    const bool both_have_tables =
        (name == "leveldb" || name == "rocksdb") &&
        (dialect.description.name == "leveldb" || dialect.description.name == "rocksdb");
    if (dialect.description.name == name || both_have_tables) {
      continue;
    }
    if (const RecognisedDialect found = dialect.recognise(file); found.recognition == Recognition::kCertain) {
      return "a filter of the dialect " + found.name;
    }
  }
  return {};
}

std::string known_names() {
  std::string names;
  for (const Dialect& dialect : dialect_rows()) {
    names += (names.empty() ? "" : ", ") + std::string(dialect.description.name);
  }
  return names;
}

Result<DialectName> find_dialect(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Dialect& dialect : dialect_rows()) {
    if (dialect.description.name == name) {
      return DialectName{&dialect,
                         colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1)};
    }
  }
  return Error::invalid_argument("dialect",
                                 "expected one of " + known_names() + ", found '" + std::string(name) + "'");
}

// Returns the possible dialects of a file. If the bytes are ambiguous, the file name of a Cassandra filter
// decides, even if the file is damaged: opening it reports the damage.
std::vector<RecognisedDialect> recognise_file(std::span<const std::byte> file, const std::string& path) {
  std::vector<RecognisedDialect> found = recognise_dialects(file);
  const std::optional<SSTableName> name = sstable_name_of(path);
  const bool is_other = std::ranges::any_of(
      found, [](const RecognisedDialect& dialect) { return dialect.recognition == Recognition::kCertain; });
  if (!is_other && name && name->component == "Filter.db" && cassandra_layout(name->version)) {
    found = {{.name = "cassandra:" + name->version, .recognition = Recognition::kCertain}};
  }
  return found;
}

// Returns the only dialect that certainly matches the file.
Result<std::string> certain_dialect(std::span<const std::byte> file, const std::string& path) {
  const std::vector<RecognisedDialect> found = recognise_file(file, path);
  if (found.size() == 1 && found.front().recognition == Recognition::kCertain) {
    return found.front().name;
  }
  std::string candidates;
  for (const RecognisedDialect& candidate : found) {
    candidates += (candidates.empty() ? "" : ", ") + candidate.name;
  }
  return Error::invalid_argument(
      "dialect", candidates.empty()
                     ? "expected a filter of a known dialect, found other bytes"
                     : "expected its name, since the bytes do not tell: it may be of " + candidates);
}

Result<std::unique_ptr<DialectFilter>> open_source(const DialectSource& source, std::string_view dialect) {
  std::string recognised;
  if (dialect.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(recognised, certain_dialect(source.bytes, source.path));
    dialect = recognised;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const DialectName name, find_dialect(dialect));
  const OpeningOption option = opening_option(name);
  const std::string other = recognised.empty() ? other_kind(source.bytes, *name.dialect) : std::string();
  if (!other.empty() && option.doubt == Doubt::kRefuse) {
    return Error::invalid_argument(
        "dialect", "expected a filter of " + std::string(dialect) + " as named, found " + other);
  }
  DialectSource with_doubt = source;
  with_doubt.doubt = option.doubt;
  return name.dialect->open(with_doubt, option.words);
}

Result<std::unique_ptr<DialectFilter>> open_named(const std::string& path, std::string_view dialect,
                                                  const FileMemory& memory, MissingFilters missing) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(path));
  Result<std::unique_ptr<DialectFilter>> opened =
      open_source({.bytes = std::as_const(*mapping).bytes(),
                   .path = path,
                   .owner = mapping,
                   .memory = MemoryBudget::of_file(memory, std::as_const(*mapping).bytes().size()),
                   .missing = missing},
                  dialect);
  // Checked also after a failure: if the file was truncated, zeros were read.
  BLOOMERY_RETURN_IF_ERROR(mapping->status());
  if (!opened) {
    return opened;
  }
  std::unique_ptr<DialectFilter> filter = std::move(opened).value();
  if (mapping.use_count() > 1) {  // the filter holds the mapping; other filters have copied their data
    filter->ask_file_by([mapping] { return mapping->status(); });
  }
  return filter;
}

}  // namespace

std::vector<DialectDescription> dialects() {
  std::vector<DialectDescription> descriptions;
  for (const Dialect& dialect : dialect_rows()) {
    descriptions.push_back(dialect.description);
  }
  return descriptions;
}

std::vector<RecognisedDialect> recognise_dialects(std::span<const std::byte> file) {
  std::vector<RecognisedDialect> found;
  for (const Dialect& dialect : dialect_rows()) {
    RecognisedDialect candidate = dialect.recognise(file);
    if (candidate.recognition != Recognition::kNo) {
      found.push_back(std::move(candidate));
    }
  }
  const auto certain = [](const RecognisedDialect& candidate) {
    return candidate.recognition == Recognition::kCertain;
  };
  if (std::ranges::any_of(found, certain)) {
    std::erase_if(found, std::not_fn(certain));
  }
  return found;
}

Result<std::vector<RecognisedDialect>> recognise_dialects(const std::string& path) {
  const Result<std::shared_ptr<MappedFile>> mapping = map_whole(path);
  if (!mapping) {
    return mapping.error().in_file(path);
  }
  Result<std::vector<RecognisedDialect>> found =
      within_memory(path, [&]() -> Result<std::vector<RecognisedDialect>> {
        return recognise_file(std::as_const(*mapping.value()).bytes(), path);
      });
  if (const Status whole = mapping.value()->status(); !whole) {
    return whole.error().in_file(path);
  }
  return found;
}

Result<std::unique_ptr<DialectFilter>> open_dialect(const std::string& path, std::string_view dialect,
                                                    const FileMemory& memory, MissingFilters missing) {
  Result<std::unique_ptr<DialectFilter>> filter =
      within_memory(path, [&] { return open_named(path, dialect, memory, missing); });
  if (!filter && filter.error().subject() != path) {
    return filter.error().in_file(path);
  }
  return filter;
}

Result<std::unique_ptr<DialectFilter>> view_dialect(std::span<const std::byte> file, std::string_view dialect,
                                                    const FileMemory& memory, MissingFilters missing) {
  return open_source({.bytes = file,
                      .path = {},
                      .owner = nullptr,
                      .memory = MemoryBudget::of_file(memory, file.size()),
                      .missing = missing},
                     dialect);
}

Result<std::unique_ptr<DialectBuilder>> build_dialect(std::string_view dialect, const DialectPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const DialectName name, find_dialect(dialect));
  if (name.dialect->build == nullptr) {
    return Error(ErrorCode::kUnsupported, std::string(name.dialect->description.name),
                 "filters of this dialect are only read");
  }
  return name.dialect->build(plan, name.option);
}

}  // namespace bloomery
