#include "codec/parquet/column_filters.h"

#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include "codec/parquet/filter_header.h"

namespace bloomery::parquet {
namespace {

constexpr std::size_t kColumnsNamed = 16;  // the most columns that an error names
constexpr const char* kSubject = "parquet file";
constexpr std::uint64_t kFilterBytes = 128;  // charged for one filter: its entries in a map and a list

// Splits "COLUMN,3" into COLUMN and 3. Returns nothing for any other text.
std::optional<ColumnChoice> with_row_group(std::string_view name) {
  const std::size_t comma = name.rfind(',');
  if (comma == std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t row_group = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + comma + 1, end, row_group);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return ColumnChoice{.column = std::string(name.substr(0, comma)), .row_group = row_group};
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

Result<ColumnChoice> choose(const Footer& footer, std::string_view name, MemoryShare memory) {
  constexpr std::uint64_t kNodeBytes = 128;  // the memory charged for one node of the set, without the name
  std::set<std::string> columns;
  BLOOMERY_RETURN_IF_ERROR(for_each_column_chunk(footer, [&](const ColumnChunk& chunk) -> Status {
    if (chunk.filter_offset && chunk.path.empty()) {
      return Error(ErrorCode::kCorruption, kSubject, "a column without a path");
    }
    if (chunk.filter_offset && !columns.contains(chunk.path)) {
      BLOOMERY_RETURN_IF_ERROR(memory.add("names of columns", kNodeBytes + chunk.path.size()));
      columns.insert(chunk.path);
    }
    return {};
  }));
  if (columns.empty()) {
    return Error::invalid_argument(kSubject, "expected a column with a Bloom filter, found none");
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
  return Error::invalid_argument(kSubject,
                                 "expected parquet:COLUMN with one of " + listed(columns) +
                                     (name.empty() ? std::string() : ", found '" + std::string(name) + "'"));
}

// A filter, and where it lies together with its header.
struct PlacedFilter {
  std::uint64_t begin;
  std::uint64_t end;
  SplitBlocks blocks;
};

Result<PlacedFilter> filter_of(const ColumnChunk& chunk, std::span<const std::byte> file,
                               const Footer& footer) {
  const std::int64_t offset = *chunk.filter_offset;
  if (offset < 4 || static_cast<std::uint64_t>(offset) >= footer.offset) {
    return Error::corrupt_field(kSubject, footer.offset, "bloom_filter_offset",
                                "4 to " + std::to_string(footer.offset - 1), offset);
  }
  const auto begin = static_cast<std::uint64_t>(offset);
  const auto bytes = file.subspan(begin, footer.offset - begin);
  BLOOMERY_ASSIGN_OR_RETURN(const FilterHeader header, read_filter_header(bytes, begin));
  if (header.size_bytes() > bytes.size()) {
    return Error::corrupt_field("parquet filter header", begin, "bytes",
                                "at most " + std::to_string(bytes.size() - header.header_bytes),
                                header.bitset_bytes);
  }
  if (chunk.filter_length && static_cast<std::int64_t>(header.size_bytes()) != *chunk.filter_length) {
    return Error::corrupt_field(kSubject, begin, "bloom_filter_length", std::to_string(header.size_bytes()),
                                *chunk.filter_length);
  }
  return PlacedFilter{.begin = begin,
                      .end = begin + header.size_bytes(),
                      .blocks = SplitBlocks(bytes.subspan(header.header_bytes, header.bitset_bytes))};
}

}  // namespace

// The facts about the chosen column that the walk gathers.
struct ColumnFilters::Gathered {
  std::uint64_t row_groups = 0;   // of the whole file
  std::uint64_t with_column = 0;  // the row groups that have the column
  std::optional<std::uint64_t> last_row_group;
  std::optional<PhysicalType> type;
  std::uint64_t with_filter = 0;                // the row groups that have a filter for it
  std::map<std::uint64_t, std::uint64_t> ends;  // begin of a filter -> its end
  std::vector<SplitBlocks> filters;             // each filter once
  MemoryShare memory;
};

namespace {

Status check_readable(const ColumnChunk& chunk) {
  if (chunk.encrypted || chunk.in_other_file) {
    return Error(ErrorCode::kUnsupported, kSubject,
                 "column " + chunk.path + (chunk.encrypted ? " is encrypted" : " lies in another file"));
  }
  if (!chunk.filter_offset) {
    return Error(ErrorCode::kUnsupported, kSubject,
                 "row group " + std::to_string(chunk.row_group) + " has no filter for column " + chunk.path +
                     ": any key may be in it; name another one, parquet:" + chunk.path + ",ROWGROUP");
  }
  return {};
}

}  // namespace

// Adds a row group's filter, unless an earlier row group has named it. A new filter may not overlap another:
// it begins behind the end of the filter before it and ends before the begin of the one behind it.
Status ColumnFilters::gather(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer,
                             Gathered& gathered) {
  if (gathered.last_row_group == chunk.row_group) {
    return Error(ErrorCode::kUnsupported, kSubject,
                 "row group " + std::to_string(chunk.row_group) + " has two columns " + chunk.path);
  }
  gathered.last_row_group = chunk.row_group;
  ++gathered.with_column;
  if (chunk.value_count.value_or(-1) < 0 || gathered.type.value_or(chunk.type) != chunk.type) {
    return Error::corruption(kSubject, footer.offset,
                             "column " + chunk.path + ": types or numbers of values that contradict");
  }
  gathered.type = chunk.type;
  if (!chunk.filter_offset && *chunk.value_count == 0) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(check_readable(chunk));
  BLOOMERY_ASSIGN_OR_RETURN(const PlacedFilter filter, filter_of(chunk, file, footer));
  ++gathered.with_filter;
  const auto behind = gathered.ends.lower_bound(filter.begin);
  if (behind != gathered.ends.end() && behind->first == filter.begin) {
    return {};
  }
  const bool overlaps = (behind != gathered.ends.end() && behind->first < filter.end) ||
                        (behind != gathered.ends.begin() && std::prev(behind)->second > filter.begin);
  if (overlaps) {
    return Error::corruption("parquet filter header", filter.begin, "filters that do not overlap",
                             "one that lies in another");
  }
  BLOOMERY_RETURN_IF_ERROR(gathered.memory.add("filters of a column", kFilterBytes));
  gathered.ends.emplace(filter.begin, filter.end);
  gathered.filters.push_back(filter.blocks);
  return {};
}

Result<std::unique_ptr<ColumnFilters>> ColumnFilters::open(std::span<const std::byte> file,
                                                           std::string_view name,
                                                           std::shared_ptr<MemoryBudget> memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const Footer footer, read_footer(file));
  BLOOMERY_ASSIGN_OR_RETURN(const ColumnChoice choice, choose(footer, name, MemoryShare(memory)));
  Gathered gathered;
  gathered.memory = MemoryShare(std::move(memory));
  BLOOMERY_RETURN_IF_ERROR(for_each_column_chunk(footer, [&](const ColumnChunk& chunk) -> Status {
    gathered.row_groups = chunk.row_group + 1;
    const bool chosen =
        chunk.path == choice.column && choice.row_group.value_or(chunk.row_group) == chunk.row_group;
    return chosen ? gather(chunk, file, footer, gathered) : Status();
  }));
  if (gathered.filters.empty()) {
    return Error::invalid_argument(kSubject, "row group: expected one of the " +
                                                 std::to_string(gathered.row_groups) +
                                                 " with a filter for column " + choice.column);
  }
  if (!choice.row_group && gathered.with_column != gathered.row_groups) {
    return Error::corruption(kSubject, footer.offset,
                             "column " + choice.column + ": expected it in all " +
                                 std::to_string(gathered.row_groups) + " row groups, found it in " +
                                 std::to_string(gathered.with_column));
  }
  return std::unique_ptr<ColumnFilters>(new ColumnFilters(file, choice, std::move(gathered)));
}

ColumnFilters::ColumnFilters(std::span<const std::byte> file, ColumnChoice choice, Gathered gathered)
    : file_(file),
      choice_(std::move(choice)),
      type_(*gathered.type),
      row_groups_(gathered.with_filter),
      filters_(std::move(gathered.filters)),
      memory_(std::move(gathered.memory)) {}

std::string ColumnFilters::dialect() const {
  return "parquet:" + choice_.column +
         (choice_.row_group ? "," + std::to_string(*choice_.row_group) : std::string());
}

DialectFacts ColumnFilters::facts() const {
  DialectFacts facts = BlockFilters::facts();
  facts.more.insert(facts.more.end(), {{"column", choice_.column},
                                       {"physical type", physical_type_name(type_)},
                                       {"row groups", std::to_string(row_groups_)}});
  return facts;
}

bool ColumnFilters::may_contain(std::string_view key) const {
  return key.size() != value_bytes(type_).value_or(key.size()) || BlockFilters::may_contain(key);
}

void ColumnFilters::may_contain_batch(std::span<const std::string_view> keys,
                                      std::span<std::uint64_t> answers) const {
  BlockFilters::may_contain_batch(keys, answers);
  const std::optional<std::size_t> bytes = value_bytes(type_);
  for (std::size_t i = 0; bytes && i < keys.size(); ++i) {
    answers[i / 64] |= std::uint64_t{keys[i].size() != *bytes} << (i % 64);
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
