#include "bloomery/dialects/dialects.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/file.h"
#include "codec/dialect.h"
#include "dialects/dialect_rows.h"
#include "dialects/whole_file.h"
#include "filter/native/native_header.h"

namespace bloomery {
namespace {

using namespace std::string_view_literals;

// An option of a dialect: the words after the colon, without a final `forced`.
struct OpeningOption {
  std::string_view words;
  Doubt doubt = Doubt::kRefuse;
};

// An option that names a column has no word `forced`, since its filters are never doubtful.
OpeningOption opening_option(const NamedDialect& name) {
  constexpr std::string_view kForced = "forced";
  std::string_view words = name.option;
  if (name.row->has_columns != nullptr || !words.ends_with(kForced)) {
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

// The first bytes of files that no dialect opens.
constexpr std::array<FormatMagic, 6> kOtherFiles = {{
    {kNativeMagic, "a filter of ours"},
    {"\x28\xb5\x2f\xfd"sv, "zstd"},
    {"\xfd\x37zXZ\0"sv, "xz"},
    {"PK\3\4"sv, "zip"},
    {"SQLite format 3"sv, "an SQLite database"},
    {"\x7f"
     "ELF"sv,
     "a program (ELF)"},
}};

// Returns the kind of a file that begins unlike every file of the named dialect, otherwise nothing.
std::string_view other_beginning(std::span<const std::byte> file, const Dialect& named) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const FormatMagic& other : kOtherFiles) {
    if (text.starts_with(other.bytes)) {
      return other.kind;
    }
  }
  for (const Dialect& dialect : dialect_rows()) {
    const FormatMagic& other = dialect.magic;
    if (&dialect != &named && !other.bytes.empty() && text.starts_with(other.bytes)) {
      return other.kind;
    }
  }
  return {};
}

// Returns the kind of the bytes if they are something other than the named dialect, otherwise nothing. A
// table may begin with a block of zstd, so bytes that certainly belong to the named dialect are not doubted.
std::string other_kind(std::span<const std::byte> file, const Dialect& named) {
  if (named.recognise(file).recognition == Recognition::kCertain) {
    return {};
  }
  if (const std::string_view other = other_beginning(file, named); !other.empty()) {
    return std::string(other);
  }
  for (const Dialect& dialect : dialect_rows()) {
    // The tables of databases end alike, and all their dialects recognise that end.
    const bool both_have_tables =
        named.directory == DialectDirectory::kDatabase && dialect.directory == DialectDirectory::kDatabase;
    if (&dialect == &named || both_have_tables) {
      continue;
    }
    if (const RecognisedDialect found = dialect.recognise(file); found.recognition == Recognition::kCertain) {
      return "a filter of the dialect " + found.name;
    }
  }
  return {};
}

constexpr Dialect kUnknownDialect = {};

std::string known_names() {
  std::string names;
  for (const Dialect& dialect : dialect_rows()) {
    names += (names.empty() ? "" : ", ") + std::string(dialect.description.name);
  }
  return names;
}

Result<NamedDialect> find_dialect(std::string_view text) {
  const NamedDialect named = named_dialect(text);
  if (named.is_known()) {
    return named;
  }
  const std::string name(text.substr(0, text.find(':')));
  return Error::invalid_argument("dialect", "expected one of " + known_names() + ", found '" + name + "'");
}

// Returns the possible dialects of a file. If the bytes are ambiguous, the file's name decides.
std::vector<RecognisedDialect> recognise_file(std::span<const std::byte> file, const std::string& path) {
  std::vector<RecognisedDialect> found = recognise_dialects(file);
  const bool is_certain = std::ranges::any_of(
      found, [](const RecognisedDialect& dialect) { return dialect.recognition == Recognition::kCertain; });
  if (is_certain) {
    return found;
  }
  for (const Dialect& dialect : dialect_rows()) {
    if (std::string name = dialect.name_by_path(path); !name.empty()) {
      return {{.name = std::move(name), .recognition = Recognition::kCertain}};
    }
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
  BLOOMERY_ASSIGN_OR_RETURN(const NamedDialect name, find_dialect(dialect));
  const OpeningOption option = opening_option(name);
  const std::string other = recognised.empty() ? other_kind(source.bytes, *name.row) : std::string();
  if (!other.empty() && option.doubt == Doubt::kRefuse) {
    return Error::invalid_argument(
        "dialect", "expected a filter of " + std::string(dialect) + " as named, found " + other);
  }
  DialectSource with_doubt = source;
  with_doubt.doubt = option.doubt;
  return name.row->open(with_doubt, option.words);
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

std::span<const Dialect> dialect_rows() {
  static const std::array rows = {bits_and_blooms_dialect(),
                                  cassandra_dialect(),
                                  dcso_dialect(),
                                  fuse16_dialect(),
                                  fuse8_dialect(),
                                  guava_dialect(),
                                  hfile_dialect(),
                                  leveldb_dialect(),
                                  parquet_dialect(),
                                  redisbloom_dialect(),
                                  rocksdb_dialect(),
                                  simple_java_dialect(),
                                  spark_dialect()};
  return rows;
}

NamedDialect named_dialect(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto rows = dialect_rows();
  const auto row =
      std::ranges::find(rows, name, [](const Dialect& dialect) { return dialect.description.name; });
  return {.row = row == rows.end() ? &kUnknownDialect : &*row,
          .option = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1)};
}

Status check_output_of_dialect(const std::string& path, std::string_view dialect) {
  const NamedDialect named = named_dialect(dialect);
  return named.row->check_new_path(path, named.option);
}

std::vector<DialectDescription> dialects() {
  std::vector<DialectDescription> descriptions;
  for (const Dialect& dialect : dialect_rows()) {
    descriptions.push_back(dialect.description);
  }
  return descriptions;
}

std::optional<DialectDescription> describe_dialect(std::string_view dialect) {
  const NamedDialect named = named_dialect(dialect);
  return named.is_known() ? std::optional(named.row->description) : std::nullopt;
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
  BLOOMERY_ASSIGN_OR_RETURN(const NamedDialect name, find_dialect(dialect));
  if (name.row->build == nullptr) {
    return Error(ErrorCode::kUnsupported, std::string(name.row->description.name),
                 "filters of this dialect are only read");
  }
  return name.row->build(plan, name.option);
}

}  // namespace bloomery
