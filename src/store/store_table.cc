// Implements StoreTable: the checks, the timestamps and the regions of a write, and the writes that depend on
// a read. Source: HBase 2.6, HRegion.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/endian.h"
#include "base/message.h"
#include "bloomery/store/store.h"
#include "store/live_table.h"
#include "store/no_memory.h"
#include "store/store_state.h"

namespace bloomery {
namespace {

using store::Clock;
using store::or_no_memory;
using store::Region;
using store::RowLocks;

constexpr std::size_t kNumberBytes = 8;

bool is_written(CellType type) {
  return type != CellType::kMinimum && type != CellType::kMaximum;
}

Status check_mutation(const TableSchema& schema, const Mutation& mutation) {
  if (mutation.row.empty() || mutation.row.size() > kLongestRow) {
    return Error::invalid_argument(
        "row", message("expected 1 to ", kLongestRow, " bytes, found ", mutation.row.size()));
  }
  if (schema.find(mutation.family) == nullptr) {
    return Error::invalid_argument("family",
                                   message("expected one of the table, found '", mutation.family, "'"));
  }
  if (!is_written(mutation.type)) {
    return Error::invalid_argument("type", "expected a put or a delete, found a type for seeking");
  }
  if (deletes_family(mutation.type) && !mutation.qualifier.empty()) {
    return Error::invalid_argument("qualifier", "expected none for a delete of a family, found one");
  }
  const bool needs_time = mutation.type == CellType::kDeleteFamilyVersion;
  if (mutation.timestamp ? *mutation.timestamp < 0 : needs_time) {
    return Error::invalid_argument(
        "timestamp", message("expected at least 0, found ",
                             mutation.timestamp ? std::to_string(*mutation.timestamp) : "none"));
  }
  const std::size_t size = mutation.row.size() + mutation.qualifier.size() + mutation.value.size();
  if (size > kLargestCell) {
    return Error::invalid_argument("cell",
                                   message("expected at most ", kLargestCell, " bytes, found ", size));
  }
  return {};
}

// HBase's kLatestTimestamp is a time that was not given.
bool has_time(const Mutation& mutation) {
  return mutation.timestamp && *mutation.timestamp != kLatestTimestamp;
}

// Returns the cell without its time, if the mutation has none.
Cell cell_of(const Mutation& mutation) {
  return {.key = {mutation.row, mutation.family, mutation.qualifier,
                  has_time(mutation) ? *mutation.timestamp : 0, mutation.type},
          .value = mutation.value};
}

// Gives the cells their times. `now` is asked while the rows' locks are held: a write that waited for a lock
// would otherwise be older than what it follows, and hidden by it.
void set_times(std::span<const Mutation> mutations, std::span<Cell> cells, std::int64_t now) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].key.timestamp = has_time(mutations[i]) ? *mutations[i].timestamp : now;
  }
}

// A put without a time is not older than what was checked, also if the clock went back (HBASE-14054).
void follow_checked(std::span<const Mutation> mutations, std::span<Cell> cells, std::int64_t checked) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!has_time(mutations[i]) && mutations[i].type == CellType::kPut) {
      cells[i].key.timestamp = std::max(cells[i].key.timestamp, checked);
    }
  }
}

// Returns the versions of the column, from the newest on.
Result<RowResult> versions_of(const Table& table, std::string_view row, std::string_view family,
                              std::string_view qualifier, std::int32_t versions) {
  GetRequest get;
  get.row = row;
  get.columns = {{.family = std::string(family), .qualifier = std::string(qualifier)}};
  get.versions = versions;
  return table.get(get);
}

bool holds(Check::Is is, std::strong_ordering given) {
  switch (is) {
    case Check::Is::kEqual:
      return std::is_eq(given);
    case Check::Is::kNotEqual:
      return std::is_neq(given);
    case Check::Is::kLess:
      return std::is_lt(given);
    case Check::Is::kLessOrEqual:
      return std::is_lteq(given);
    case Check::Is::kGreater:
      return std::is_gt(given);
    case Check::Is::kGreaterOrEqual:
      return std::is_gteq(given);
  }
  return false;
}

// Whether the check holds for the column's newest value. A value never matches an absent column.
bool holds(const Check& check, const RowResult& found) {
  if (!check.value) {
    const bool is_absent = found.empty() || found.cells().front().cell().value.empty();
    return is_absent == (check.is != Check::Is::kNotEqual);
  }
  return !found.empty() && holds(check.is, *check.value <=> found.cells().front().cell().value);
}

}  // namespace

StoreTable::StoreTable(std::string name, std::shared_ptr<store::StoreState> state,
                       std::shared_ptr<store::StoreTableState> table)
    : name_(std::move(name)),
      state_(std::move(state)),
      table_(std::move(table)),
      reader_(store::live_table(state_, table_)) {}

TableSchema StoreTable::schema() const {
  return *table_->schema.load();
}

Status StoreTable::check(const Mutation& mutation) const {
  return or_no_memory([&] { return check_mutation(*table_->schema.load(), mutation); });
}

// Writes the cells of each region. The regions' rows ascend, and so do the writes. Precondition: the rows'
// locks are held.
Status StoreTable::commit(std::span<const Cell> cells, const WriteOptions& options) {
  Region& first = table_->region_of(cells.front().key.row);
  const bool is_one =
      std::ranges::all_of(cells, [&](const Cell& cell) { return first.has_row(cell.key.row); });
  if (is_one) {
    return state_->commit(first, cells, options);
  }
  std::map<std::string_view, std::pair<Region*, std::vector<Cell>>> by_region;
  for (const Cell& cell : cells) {
    Region& region = table_->region_of(cell.key.row);
    auto& [place, its_cells] = by_region[region.info().start];
    place = &region;
    its_cells.push_back(cell);
  }
  for (const auto& [start, written] : by_region) {
    BLOOMERY_RETURN_IF_ERROR(state_->commit(*written.first, written.second, options));
  }
  return {};
}

Status StoreTable::put(std::string_view row, std::string_view family, std::string_view qualifier,
                       std::string_view value, const WriteOptions& options) {
  const Mutation put{.row = row, .family = family, .qualifier = qualifier, .value = value};
  return mutate({&put, 1}, options);
}

// A delete of the newest version, and whether another mutation of the same write deletes one before it.
static bool deletes_newest(const Mutation& mutation) {
  return mutation.type == CellType::kDelete && !has_time(mutation);
}

// Gives the deletes of newest versions their timestamps: the n-th of a column deletes the n-th version.
static Status find_newest(const Table& table, std::span<const Mutation> mutations, std::span<Cell> cells) {
  std::map<std::array<std::string_view, 3>, std::size_t> seen;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    const Mutation& mutation = mutations[i];
    if (!deletes_newest(mutation)) {
      continue;
    }
    const std::size_t number = seen[{mutation.row, mutation.family, mutation.qualifier}]++;
    BLOOMERY_ASSIGN_OR_RETURN(const RowResult found,
                              versions_of(table, mutation.row, mutation.family, mutation.qualifier,
                                          static_cast<std::int32_t>(number) + 1));
    if (found.cells().size() > number) {
      cells[i].key.timestamp = found.cells()[number].cell().key.timestamp;
    }
  }
  return {};
}

Status StoreTable::mutate(std::span<const Mutation> mutations, const WriteOptions& options) {
  return or_no_memory([&] { return mutate_rows(mutations, options); });
}

Status StoreTable::mutate_rows(std::span<const Mutation> mutations, const WriteOptions& options) {
  if (mutations.empty()) {
    return {};
  }
  const auto schema = table_->schema.load();
  std::vector<Cell> cells;
  cells.reserve(mutations.size());
  bool has_newest = false;
  for (const Mutation& mutation : mutations) {
    BLOOMERY_RETURN_IF_ERROR(check_mutation(*schema, mutation));
    cells.push_back(cell_of(mutation));
    has_newest = has_newest || deletes_newest(mutation);
  }
  if (has_newest) {
    const RowLocks::Alone lock(state_->rows(), cells);
    set_times(mutations, cells, state_->environment().clock->now_ms());
    BLOOMERY_RETURN_IF_ERROR(find_newest(*reader_, mutations, cells));
    return commit(cells, options);
  }
  const RowLocks::Shared lock(state_->rows(), cells);
  set_times(mutations, cells, state_->environment().clock->now_ms());
  return commit(cells, options);
}

Status StoreTable::delete_row(std::string_view row, const WriteOptions& options) {
  return or_no_memory([&] {
    const auto schema = table_->schema.load();
    std::vector<Mutation> mutations;
    for (const FamilySchema& family : schema->families) {
      mutations.push_back({.row = row, .family = family.name, .type = CellType::kDeleteFamily});
    }
    return mutate_rows(mutations, options);
  });
}

// Replaces the newest value of a column by `change` of it, at a time after that of the old one, as HBase
// does. So two changes in one millisecond are two versions.
template <typename Change>
static Status replace(const Table& table, RowLocks& locks, const Mutation& mutation, Clock& clock,
                      Change change) {
  Cell cell = cell_of(mutation);
  const RowLocks::Alone lock(locks, {&cell, 1});
  const std::int64_t now = clock.now_ms();
  BLOOMERY_ASSIGN_OR_RETURN(const RowResult found,
                            versions_of(table, mutation.row, mutation.family, mutation.qualifier, 1));
  cell.key.timestamp = now;
  if (!found.empty()) {
    const std::int64_t old = found.cells().front().cell().key.timestamp;
    cell.key.timestamp = std::max(now, old == kLatestTimestamp ? old : old + 1);
  }
  return change(cell, found.empty() ? std::nullopt : std::optional(found.cells().front().cell().value));
}

Result<std::int64_t> StoreTable::increment(std::string_view row, std::string_view family,
                                           std::string_view qualifier, std::int64_t amount,
                                           const WriteOptions& options) {
  return or_no_memory([&]() -> Result<std::int64_t> {
    const Mutation put{.row = row, .family = family, .qualifier = qualifier};
    BLOOMERY_RETURN_IF_ERROR(check_mutation(*table_->schema.load(), put));
    std::int64_t sum = amount;
    BLOOMERY_RETURN_IF_ERROR(replace(
        *reader_, state_->rows(), put, *state_->environment().clock,
        [&](Cell& cell, std::optional<std::string_view> old) -> Status {
          if (old && old->size() != kNumberBytes) {
            return Error::invalid_argument(
                "increment", message("expected a column of 8 bytes, found one of ", old->size()));
          }
          if (old) {  // as in Java, a sum may wrap around
            sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(amount) +
                                            load_big64(reinterpret_cast<const std::byte*>(old->data())));
          }
          std::array<std::byte, kNumberBytes> bytes;
          store_big(bytes.data(), static_cast<std::uint64_t>(sum));
          cell.value = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
          return commit({&cell, 1}, options);
        }));
    return sum;
  });
}

Result<std::string> StoreTable::append(std::string_view row, std::string_view family,
                                       std::string_view qualifier, std::string_view value,
                                       const WriteOptions& options) {
  return or_no_memory([&]() -> Result<std::string> {
    const Mutation put{.row = row, .family = family, .qualifier = qualifier, .value = value};
    BLOOMERY_RETURN_IF_ERROR(check_mutation(*table_->schema.load(), put));
    std::string whole;
    BLOOMERY_RETURN_IF_ERROR(replace(
        *reader_, state_->rows(), put, *state_->environment().clock,
        [&](Cell& cell, std::optional<std::string_view> old) -> Status {
          whole = std::string(old.value_or(std::string_view())) + std::string(value);
          if (whole.size() > kLargestCell) {
            return Error::invalid_argument(
                "append", message("expected at most ", kLargestCell, " bytes in all, found ", whole.size()));
          }
          cell.value = whole;
          return commit({&cell, 1}, options);
        }));
    return whole;
  });
}

Result<bool> StoreTable::check_and_mutate(const Check& check, std::span<const Mutation> mutations,
                                          const WriteOptions& options) {
  return or_no_memory([&] { return mutate_checked(check, mutations, options); });
}

Result<bool> StoreTable::mutate_checked(const Check& check, std::span<const Mutation> mutations,
                                        const WriteOptions& options) {
  const auto schema = table_->schema.load();
  BLOOMERY_RETURN_IF_ERROR(
      check_mutation(*schema, {.row = check.row, .family = check.family, .qualifier = check.qualifier}));
  std::vector<Cell> cells;
  for (const Mutation& mutation : mutations) {
    BLOOMERY_RETURN_IF_ERROR(check_mutation(*schema, mutation));
    if (mutation.row != check.row) {
      return Error::invalid_argument("row", "expected mutations of the row of the check, found another row");
    }
    cells.push_back(cell_of(mutation));
  }
  const Cell checked{.key = {.row = check.row}};
  const RowLocks::Alone lock(state_->rows(), {&checked, 1});
  BLOOMERY_ASSIGN_OR_RETURN(const RowResult found,
                            versions_of(*reader_, check.row, check.family, check.qualifier, 1));
  if (!holds(check, found)) {
    return false;
  }
  set_times(mutations, cells, state_->environment().clock->now_ms());
  if (!found.empty()) {
    follow_checked(mutations, cells, found.cells().front().cell().key.timestamp);
  }
  BLOOMERY_RETURN_IF_ERROR(find_newest(*reader_, mutations, cells));
  BLOOMERY_RETURN_IF_ERROR(cells.empty() ? Status() : commit(cells, options));
  return true;
}

Status StoreTable::flush() {  // a flush throws nothing
  for (const auto& region : table_->regions) {
    BLOOMERY_RETURN_IF_ERROR(state_->flush(region));
  }
  return {};
}

Status StoreTable::major_compact() {
  BLOOMERY_RETURN_IF_ERROR(flush());
  for (const auto& region : table_->regions) {
    BLOOMERY_RETURN_IF_ERROR(state_->compactor().compact(region, store::CompactionKind::kMajor));
  }
  return {};
}

Status StoreTable::compact() {
  for (const auto& region : table_->regions) {
    BLOOMERY_RETURN_IF_ERROR(state_->compactor().compact(region, store::CompactionKind::kMinor));
  }
  return {};
}

}  // namespace bloomery
