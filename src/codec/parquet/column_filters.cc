#include "codec/parquet/column_filters.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "codec/parquet/equal_values.h"
#include "codec/parquet/placed_filter.h"
#include "codec/parquet/schema.h"
#include "hash/ascii_text.h"
#include "hash/xxh.h"

namespace bloomery::parquet {
namespace {

constexpr std::size_t kColumnsNamed = 16;    // the most columns that an error names
constexpr std::uint64_t kFilterBytes = 128;  // memory charged for one filter: its entries in a map and a list

// Splits "COLUMN,3" into COLUMN and 3. Returns nothing for any other text.
std::optional<ColumnChoice> with_row_group(std::string_view name) {
  const std::size_t comma = name.rfind(',');
  if (comma == std::string_view::npos) {
    return std::nullopt;
  }
  const auto row_group = number_from_text<std::uint64_t>(name.substr(comma + 1));
  if (!row_group) {
    return std::nullopt;
  }
  return ColumnChoice{.column = std::string(name.substr(0, comma)), .row_group = *row_group};
}

std::string listed(const std::set<std::string>& columns) {
  std::string list;
  std::size_t named = 0;
  for (const std::string& column : columns) {
    if (named++ == kColumnsNamed) {
      return list + " and " + std::to_string(columns.size() - kColumnsNamed) + " more";
    }
    list += (list.empty() ? "" : ", ") + column;
  }
  return list;
}

// Returns the choice of a column that has no filter in any row group, if the schema contains it.
Result<std::optional<ColumnChoice>> choose_bare(const Footer& footer, std::string_view name) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<SchemaColumn> whole, find_column(footer, name));
  if (whole) {
    return std::optional(ColumnChoice{.column = std::string(name), .row_group = {}});
  }
  std::optional<ColumnChoice> choice = with_row_group(name);
  if (choice) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<SchemaColumn> column, find_column(footer, choice->column));
    choice = column ? choice : std::nullopt;
  }
  return choice;
}

Result<ColumnChoice> choose_column(const Footer& footer, std::string_view name, MissingFilters missing,
                                   MemoryShare memory) {
  constexpr std::uint64_t kNodeBytes = 128;  // the memory charged for one node of the set, without the name
  std::set<std::string> columns;
  BLOOMERY_RETURN_IF_ERROR(for_each_column_chunk(footer, [&](const ColumnChunk& chunk) -> Status {
    if (chunk.filter_offset && chunk.path.empty()) {
      return Error(ErrorCode::kCorruption, kFileSubject, "a column without a path");
    }
    if (chunk.filter_offset && !columns.contains(chunk.path)) {
      BLOOMERY_RETURN_IF_ERROR(memory.add("names of columns", kNodeBytes + chunk.path.size()));
      columns.insert(chunk.path);
    }
    return {};
  }));
  if (missing == MissingFilters::kAnyKey && !name.empty() && !columns.contains(std::string(name))) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<ColumnChoice> bare, choose_bare(footer, name));
    if (bare) {
      return *bare;
    }
  }
  if (columns.empty()) {
    return Error::invalid_argument(kFileSubject, "expected a column with a Bloom filter, found none");
  }
  if (name.empty() && columns.size() == 1) {
    return ColumnChoice{.column = *columns.begin(), .row_group = {}};
  }
  if (columns.contains(std::string(name))) {
    return ColumnChoice{.column = std::string(name), .row_group = {}};
  }
  const std::optional<ColumnChoice> choice = with_row_group(name);
  if (choice && columns.contains(choice->column)) {
    return *choice;
  }
  return Error::invalid_argument(kFileSubject,
                                 "expected parquet:COLUMN with one of " + listed(columns) +
                                     (name.empty() ? std::string() : ", found '" + std::string(name) + "'"));
}

}  // namespace

// The facts about the chosen column that the walk over the row groups gathers.
struct ColumnFilters::Gathered {
  MissingFilters missing = MissingFilters::kRefuse;
  std::optional<SchemaColumn> column;
  std::uint64_t row_groups = 0;   // of the entire file
  std::uint64_t with_column = 0;  // the row groups that have the column
  std::optional<std::uint64_t> last_row_group;
  std::optional<PhysicalType> type;
  std::uint64_t with_filter = 0;     // the row groups that have a filter for it
  std::uint64_t without_filter = 0;  // row groups that have values, no filter and no range
  ColumnOrder order = ColumnOrder::kUnknown;
  std::vector<ValueRange> ranges;  // of the row groups without a filter, in their order
  bool says_empty = false;         // the current row group's chunk has no filter and claims no values
  struct Placed {
    std::uint64_t end;
    std::uint32_t number;
  };
  std::map<std::uint64_t, Placed> placed;  // by the offset of the filter
  std::vector<SplitBlocks> filters;        // each filter once
  std::vector<std::uint32_t> parts;        // see ColumnFilters::parts_
  MemoryShare memory;
};

namespace {

// Returns the order of a column's bounds, if the footer lists one order per column of the schema.
Result<ColumnOrder> order_of_column(const Footer& footer, std::uint64_t column) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<ColumnOrder> orders, column_orders(footer));
  std::uint64_t columns = 0;
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_schema,
                            for_each_column(footer, [&](const SchemaColumn&) -> Status {
                              ++columns;
                              return {};
                            }));
  return has_schema && orders.size() == columns ? orders[column] : ColumnOrder::kUnknown;
}

Status check_readable(const ColumnChunk& chunk) {
  if (chunk.encrypted || chunk.in_other_file) {
    return Error(ErrorCode::kUnsupported, kFileSubject,
                 "column " + chunk.path + (chunk.encrypted ? " is encrypted" : " lies in another file"));
  }
  if (!chunk.filter_offset) {
    return Error(ErrorCode::kUnsupported, kFileSubject,
                 "row group " + std::to_string(chunk.row_group) + " has no filter for column " + chunk.path +
                     ": any key may be in it; name another one, parquet:" + chunk.path + ",ROWGROUP");
  }
  return {};
}

}  // namespace

// Records a row group of the column: with a filter, without values, with a range of values, or with values
// that may include any key.
Status ColumnFilters::gather(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer,
                             Gathered& gathered) {
  if (gathered.last_row_group == chunk.row_group) {
    return Error(ErrorCode::kUnsupported, kFileSubject,
                 "row group " + std::to_string(chunk.row_group) + " has two columns " + chunk.path);
  }
  gathered.last_row_group = chunk.row_group;
  ++gathered.with_column;
  const bool hidden = chunk.encrypted && chunk.path.empty();  // its metadata is encrypted too
  if (!hidden && (chunk.value_count.value_or(-1) < 0 || gathered.type.value_or(chunk.type) != chunk.type)) {
    return Error::corruption(kFileSubject, footer.offset,
                             "column " + chunk.path + ": types or numbers of values that contradict");
  }
  gathered.type = hidden ? gathered.type : chunk.type;
  if (!hidden && !chunk.filter_offset && *chunk.value_count == 0) {
    gathered.says_empty = true;
    return {};
  }
  if (const Status readable = check_readable(chunk); !readable) {
    if (gathered.missing == MissingFilters::kRefuse) {
      return readable;
    }
    return gather_bare(chunk, gathered);
  }
  return gather_filter(chunk, file, footer, gathered);
}

// Adds a row group without a readable filter. The statistics of an encrypted chunk, or of a chunk in another
// file, are not trusted.
Status ColumnFilters::gather_bare(const ColumnChunk& chunk, Gathered& gathered) {
  const bool is_open = !chunk.encrypted && !chunk.in_other_file && gathered.column.has_value();
  const std::optional<ValueRange> range =
      is_open ? certain_range(gathered.column->type, chunk.statistics, gathered.order) : std::nullopt;
  if (!range) {
    gathered.parts.back() = kAnyKey;
    ++gathered.without_filter;
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(gathered.memory.add("ranges of a column", 2 * sizeof(ValueRange)));
  gathered.parts.back() = kInRange;
  gathered.ranges.push_back(*range);
  return {};
}

// Adds a row group's filter, unless an earlier row group has named it. A new filter may not overlap another:
// it begins after the end of its predecessor and ends before its successor begins.
Status ColumnFilters::gather_filter(const ColumnChunk& chunk, std::span<const std::byte> file,
                                    const Footer& footer, Gathered& gathered) {
  BLOOMERY_ASSIGN_OR_RETURN(const PlacedFilter filter, placed_filter(chunk, file, footer));
  ++gathered.with_filter;
  const auto& placed = gathered.placed;
  const auto behind = placed.lower_bound(filter.begin);
  if (behind != placed.end() && behind->first == filter.begin) {
    gathered.parts.back() = behind->second.number;
    return {};
  }
  const bool overlaps = (behind != placed.end() && behind->first < filter.end) ||
                        (behind != placed.begin() && std::prev(behind)->second.end > filter.begin);
  if (overlaps) {
    return Error::corruption("parquet filter header", filter.begin, "filters that do not overlap",
                             "one that lies in another");
  }
  BLOOMERY_RETURN_IF_ERROR(gathered.memory.add("filters of a column", kFilterBytes));
  const auto number = static_cast<std::uint32_t>(gathered.filters.size());
  gathered.placed.emplace(filter.begin, Gathered::Placed{.end = filter.end, .number = number});
  gathered.filters.push_back(filter.blocks);
  gathered.parts.back() = number;
  return {};
}

Result<std::unique_ptr<ColumnFilters>> ColumnFilters::open(std::span<const std::byte> file,
                                                           std::string_view name,
                                                           std::shared_ptr<MemoryBudget> memory,
                                                           MissingFilters missing) {
  BLOOMERY_ASSIGN_OR_RETURN(const Footer footer, read_footer(file));
  BLOOMERY_ASSIGN_OR_RETURN(const ColumnChoice choice,
                            choose_column(footer, name, missing, MemoryShare(memory)));
  Gathered gathered;
  gathered.missing = missing;
  gathered.memory = MemoryShare(std::move(memory));
  BLOOMERY_ASSIGN_OR_RETURN(gathered.column, find_column(footer, choice.column));
  if (missing == MissingFilters::kAnyKey && !gathered.column) {
    return Error::corruption(kFileSubject, footer.offset, "the column " + choice.column + " in the schema",
                             "none");
  }
  if (missing == MissingFilters::kAnyKey) {
    BLOOMERY_ASSIGN_OR_RETURN(gathered.order, order_of_column(footer, gathered.column->index));
  }
  const auto visit = [&](const ColumnChunk& chunk) -> Status {
    if (gathered.parts.size() != chunk.row_group + 1) {
      BLOOMERY_RETURN_IF_ERROR(gathered.memory.add("row groups of a column", 2 * sizeof(std::uint32_t)));
      gathered.parts.resize(chunk.row_group + 1, kNothing);
    }
    gathered.row_groups = chunk.row_group + 1;
    const bool hidden = chunk.encrypted && chunk.path.empty();
    const bool is_column =
        hidden ? gathered.column && chunk.index == gathered.column->index : chunk.path == choice.column;
    const bool chosen = is_column && choice.row_group.value_or(chunk.row_group) == chunk.row_group;
    return chosen ? gather(chunk, file, footer, gathered) : Status();
  };
  // With kAnyKey, a chunk that claims no values is not believed if its row group has rows, since nulls
  // count as values. The row group may then contain any key.
  const auto leave = [&](const RowGroup& row_group) -> Status {
    if (std::exchange(gathered.says_empty, false) && row_group.rows > 0 &&
        missing == MissingFilters::kAnyKey) {
      gathered.parts.back() = kAnyKey;
      ++gathered.without_filter;
    }
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(for_each_column_chunk(footer, visit, leave));
  return opened(file, footer, choice, std::move(gathered));
}

// Checks the facts that the walk gathered, and returns the filters.
Result<std::unique_ptr<ColumnFilters>> ColumnFilters::opened(std::span<const std::byte> file,
                                                             const Footer& footer, const ColumnChoice& choice,
                                                             Gathered gathered) {
  const bool may_lack_all = gathered.missing == MissingFilters::kAnyKey && !choice.row_group;
  const bool has_any = !gathered.filters.empty() || !gathered.ranges.empty() || gathered.without_filter != 0;
  if (!has_any && !may_lack_all) {
    return Error::invalid_argument(kFileSubject, "row group: expected one of the " +
                                                     std::to_string(gathered.row_groups) +
                                                     " with a filter for column " + choice.column);
  }
  if (!choice.row_group && gathered.with_column != gathered.row_groups) {
    return Error::corruption(kFileSubject, footer.offset,
                             "column " + choice.column + ": expected it in all " +
                                 std::to_string(gathered.row_groups) + " row groups, found it in " +
                                 std::to_string(gathered.with_column));
  }
  if (gathered.column &&
      gathered.type.value_or(gathered.column->type.physical) != gathered.column->type.physical) {
    return Error::corruption(kFileSubject, footer.offset,
                             "column " + choice.column + ": expected " +
                                 physical_type_name(gathered.column->type.physical) +
                                 " of the schema, found " + physical_type_name(*gathered.type));
  }
  if (gathered.type == PhysicalType::kBoolean) {
    return Error::invalid_argument(
        kFileSubject,
        "column " + choice.column + ": expected another type than BOOLEAN, which has no filters");
  }
  return std::unique_ptr<ColumnFilters>(new ColumnFilters(file, choice, std::move(gathered)));
}

ColumnFilters::ColumnFilters(std::span<const std::byte> file, ColumnChoice choice, Gathered gathered)
    : file_(file),
      choice_(std::move(choice)),
      type_(gathered.column ? gathered.column->type : ColumnType{.physical = *gathered.type}),
      text_(gathered.column ? ColumnText::of(type_) : nullptr),
      has_equal_values_(has_equal_values(type_)),
      row_groups_(gathered.with_filter),
      without_filter_(gathered.without_filter),
      ranges_(std::move(gathered.ranges)),
      filters_(std::move(gathered.filters)),
      parts_(std::move(gathered.parts)),
      memory_(std::move(gathered.memory)) {}

std::string ColumnFilters::dialect() const {
  return "parquet:" + choice_.column +
         (choice_.row_group ? "," + std::to_string(*choice_.row_group) : std::string());
}

DialectFacts ColumnFilters::facts() const {
  DialectFacts facts = BlockFilters::facts();
  facts.more.insert(facts.more.end(),
                    {{"column", choice_.column}, {"physical type", physical_type_name(type_.physical)}});
  if (type_.logical.kind != LogicalKind::kNone) {
    facts.more.emplace_back("logical type", logical_name(type_.logical));
  }
  if (lacks_filters()) {
    facts.more.emplace_back("row groups without a filter", std::to_string(without_filter_ + ranges_.size()));
  }
  if (!ranges_.empty()) {
    facts.more.emplace_back("of these with a range of values", std::to_string(ranges_.size()));
  }
  facts.more.emplace_back("row groups", std::to_string(row_groups_));
  return facts;
}

bool ColumnFilters::is_forced(std::string_view key) const {
  return without_filter_ > 0 || key.size() != value_bytes(type_).value_or(key.size()) ||
         (has_equal_values_ && is_any_of_many(type_, key)) ||
         std::ranges::any_of(ranges_,
                             [&](const ValueRange& range) { return !is_outside(type_, range, key); });
}

std::uint64_t ColumnFilters::in_range(const ValueRange& range, std::span<const std::string_view> keys) const {
  std::uint64_t in = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    in |= std::uint64_t{!is_outside(type_, range, keys[i])} << i;
  }
  return in;
}

bool ColumnFilters::may_contain(std::string_view key) const {
  if (is_forced(key) || BlockFilters::may_contain(key)) {
    return true;
  }
  std::vector<std::string> others;
  if (has_equal_values_) {
    append_equal_values(type_, key, others);
  }
  return std::ranges::any_of(others,
                             [this](const std::string& other) { return BlockFilters::may_contain(other); });
}

void ColumnFilters::filters_say(std::span<const std::string_view> keys,
                                std::span<std::uint64_t> answers) const {
  BlockFilters::may_contain_batch(keys, answers);
  std::vector<std::string> others;
  for (std::size_t i = 0; has_equal_values_ && i < keys.size(); ++i) {
    others.clear();
    append_equal_values(type_, keys[i], others);
    for (const std::string& other : others) {
      answers[i / 64] |= std::uint64_t{BlockFilters::may_contain(other)} << (i % 64);
    }
  }
}

void ColumnFilters::may_contain_batch(std::span<const std::string_view> keys,
                                      std::span<std::uint64_t> answers) const {
  filters_say(keys, answers);
  force_maybes(keys, answers);
}

void ColumnFilters::force_maybes(std::span<const std::string_view> keys,
                                 std::span<std::uint64_t> answers) const {
  const bool any_forced = lacks_filters() || has_equal_values_ || value_bytes(type_);
  for (std::size_t i = 0; any_forced && i < keys.size(); ++i) {
    answers[i / 64] |= std::uint64_t{is_forced(keys[i])} << (i % 64);
  }
}

void ColumnFilters::ask_parts(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const {
  struct Spelling {
    std::uint64_t hash;
    std::uint64_t bit;
  };
  std::vector<Spelling> spellings;
  std::vector<std::string> others;
  std::uint64_t any_of_many = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    any_of_many |= is_any_of_many(type_, keys[i]) ? bit : 0;
    spellings.push_back({.hash = xxh64(keys[i]), .bit = bit});
    others.clear();
    append_equal_values(type_, keys[i], others);
    for (const std::string& other : others) {
      spellings.push_back({.hash = xxh64(other), .bit = bit});
    }
  }
  std::vector<std::uint64_t> of_filter(filters_.size(), any_of_many);
  for (std::size_t filter = 0; filter < filters_.size(); ++filter) {
    for (const Spelling& spelling : spellings) {
      of_filter[filter] |= filters_[filter].test(spelling.hash) ? spelling.bit : 0;
    }
  }
  const std::uint64_t all = keys.empty() ? 0 : ~std::uint64_t{0} >> (64 - keys.size());
  auto range = ranges_.begin();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::uint32_t part = parts_[i];
    words[i] = part == kNothing   ? 0
               : part == kAnyKey  ? all
               : part == kInRange ? in_range(*range++, keys)
                                  : of_filter[part];
  }
}

Result<bool> ColumnFilters::insert(std::string_view) {
  return Error(ErrorCode::kUnsupported, dialect(),
               "a filter inside a Parquet file takes no keys but its rows'");
}

Status ColumnFilters::merge(const DialectFilter&) {
  return Error(ErrorCode::kUnsupported, dialect(),
               "a filter inside a Parquet file takes no others in; it can be merged into one of its own");
}

}  // namespace bloomery::parquet
