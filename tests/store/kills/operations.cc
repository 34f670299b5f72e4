#include "tests/store/kills/operations.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

namespace bloomery::store::kills {

namespace {

constexpr std::size_t kRows = 24;
constexpr std::size_t kQualifiers = 4;
constexpr std::size_t kVersions = 3;  // of the family f; all others have one
constexpr char kCounterRow[] = "counters";

class OperationDraw {
 public:
  OperationDraw(Thread thread, std::uint32_t number)
      : thread_(thread), number_(number), numbers_(thread.seed * 1'000'003 + thread.index * 7 + number) {
    numbers_.discard(2);
  }

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(numbers_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  std::string row() { return std::to_string(thread_.index) + "-" + std::to_string(below(kRows)); }
  Durability durability() {
    constexpr std::array kAll = {Durability::kSyncWal, Durability::kFsyncWal, Durability::kAsyncWal};
    return kAll[below(kAll.size())];
  }
  std::string value(std::size_t part) {
    return std::to_string(thread_.index) + "." + std::to_string(number_) + "." + std::to_string(part) + "." +
           std::string(below(one_in(32) ? 6000 : 300), static_cast<char>('a' + below(26)));
  }
  Change put(std::size_t part, const std::string& families) {
    Change change{.row = row(), .family = std::string(1, families[2 * below((families.size() + 1) / 2)])};
    change.qualifier = "q" + std::to_string(below(kQualifiers));
    change.timestamp = number_;
    change.value = value(part);
    return change;
  }
  Change put_or_delete(std::size_t part, const std::string& families) {
    Change change = put(part, families);
    if (one_in(4)) {
      change.type = one_in(3) ? CellType::kDeleteFamily : CellType::kDeleteColumn;
      change.qualifier = change.type == CellType::kDeleteFamily ? "" : change.qualifier;
      change.timestamp = number_ - 1;
      change.value.clear();
    }
    return change;
  }

 private:
  Thread thread_;
  std::uint32_t number_;
  std::minstd_rand numbers_;
};

std::string column_of(const std::string& table, const Change& change) {
  return table + "/" + change.row + "/" + change.family + ":" + change.qualifier;
}

void draw_changes(OperationDraw& draw, const std::string& families, Operation& operation) {
  const std::size_t count = draw.one_in(2) ? 1 : 2 + draw.below(7);
  for (std::size_t i = 0; i < count; ++i) {
    operation.changes.push_back(draw.put_or_delete(i, families));
  }
}

Operation work_of(Thread thread, OperationDraw& draw, const State& before) {
  Operation operation{.durability = draw.durability(), .table = draw.one_in(2) ? "a" : "b"};
  const std::size_t kind = draw.below(64);
  if (kind < 40) {
    draw_changes(draw, "f g", operation);
  } else if (kind < 46) {
    operation.kind = Operation::Kind::kCheckAndMutate;
    operation.changes.push_back(draw.put(0, "f g"));
    const auto found = before.columns.find(column_of(operation.table, operation.changes[0]));
    operation.holds = draw.one_in(2);
    if (found != before.columns.end()) {
      operation.expected = found->second.front().value;
    }
    if (!operation.holds) {
      operation.expected = "never written";
    }
  } else if (kind < 55) {
    operation.kind = Operation::Kind::kIncrement;
    operation.table = "a";
    operation.counter = draw.below(kCounters);
  } else if (kind < 63) {
    operation.kind = Operation::Kind::kAppend;
    operation.changes.push_back(
        {.row = std::to_string(thread.index) + "-log", .family = "g", .qualifier = "log"});
    operation.changes[0].value = std::string(1, static_cast<char>('a' + draw.below(26)));
  } else {
    operation.kind = Operation::Kind::kFlush;
    operation.durability = Durability::kAsyncWal;  // it says nothing of the other table
  }
  return operation;
}

Operation table_work_of(OperationDraw& draw, const State& before) {
  Operation operation{.durability = Durability::kSyncWal, .table = "side"};
  const auto side = before.tables.find("side");
  if (side == before.tables.end()) {
    operation.kind = Operation::Kind::kCreate;
    operation.families = draw.one_in(2) ? "f" : "f h";
    return operation;
  }
  switch (draw.below(12)) {
    case 0:
      operation.kind = Operation::Kind::kTruncate;
      return operation;
    case 1:
      operation.kind = Operation::Kind::kDrop;
      return operation;
    case 2:
      operation.kind = Operation::Kind::kAlter;
      operation.families = side->second == "f" ? "f h" : "f";
      return operation;
    case 3:
      operation.kind = Operation::Kind::kFlush;
      return operation;
    default:
      draw_changes(draw, side->second, operation);
      return operation;
  }
}

void apply_change(const std::string& table, const Change& change, State& state) {
  const std::string column = column_of(table, change);
  if (change.type == CellType::kPut) {
    std::vector<Version>& versions = state.columns[column];
    if (!versions.empty() && versions.front().timestamp == change.timestamp) {
      versions.erase(versions.begin());
    }
    versions.insert(versions.begin(), {change.timestamp, change.value});
    if (versions.size() > (change.family == "f" ? kVersions : 1)) {
      versions.pop_back();
    }
    return;
  }
  // What an earlier change of the same call put stays, since it is newer.
  const auto is_hidden = [&change](const Version& version) { return version.timestamp <= change.timestamp; };
  for (auto each = state.columns.lower_bound(column);
       each != state.columns.end() && each->first.starts_with(column);) {
    if (change.type == CellType::kDeleteFamily || each->first == column) {
      std::erase_if(each->second, is_hidden);
    }
    each = each->second.empty() ? state.columns.erase(each) : std::next(each);
  }
}

std::vector<Mutation> mutations_of(const Operation& operation) {
  std::vector<Mutation> mutations;
  for (const Change& change : operation.changes) {
    mutations.push_back({.row = change.row,
                         .family = change.family,
                         .qualifier = change.qualifier,
                         .timestamp = change.timestamp,
                         .type = change.type,
                         .value = change.value});
  }
  return mutations;
}

Status unexpected(const Operation& operation, std::string_view what) {
  return Error::invalid_argument(operation.table, std::string(what));
}

Status set_versions(TableSchema& schema) {
  return schema.set("f", "VERSIONS", std::to_string(kVersions));
}

Status create_side(Store& store, const Operation& operation) {
  auto schema = TableSchema::of_table(operation.table);
  for (std::size_t i = 0; i < operation.families.size(); i += 2) {
    BLOOMERY_RETURN_IF_ERROR(schema->add_family(operation.families.substr(i, 1)));
  }
  BLOOMERY_RETURN_IF_ERROR(set_versions(*schema));
  const Result<StoreTable> made = store.create_table(*schema);
  return made ? Status() : Status(made.error());
}

Status alter_side(Store& store, const Operation& operation) {
  BLOOMERY_ASSIGN_OR_RETURN(const StoreTable table, store.table(operation.table));
  TableSchema schema = table.schema();
  BLOOMERY_RETURN_IF_ERROR(operation.families == "f" ? schema.remove_family("h") : schema.add_family("h"));
  return store.alter_table(schema);
}

Status perform_check(StoreTable& table, const Operation& operation, const WriteOptions& options) {
  const Change& change = operation.changes[0];
  Check check{.row = change.row, .family = change.family, .qualifier = change.qualifier};
  if (operation.expected) {
    check.value = *operation.expected;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool did, table.check_and_mutate(check, mutations_of(operation), options));
  return did == operation.holds ? Status() : unexpected(operation, "a check found another value");
}

}  // namespace

Operation operation_of(Thread thread, std::uint32_t number, const State& before) {
  OperationDraw draw(thread, number);
  return thread.index == kTableThread ? table_work_of(draw, before) : work_of(thread, draw, before);
}

void apply(const Operation& operation, State& state) {
  switch (operation.kind) {
    case Operation::Kind::kMutate:
    case Operation::Kind::kCheckAndMutate:
      for (const Change& change : operation.changes) {
        if (operation.holds) {
          apply_change(operation.table, change, state);
        }
      }
      return;
    case Operation::Kind::kIncrement:
      ++state.counts[operation.counter];
      return;
    case Operation::Kind::kAppend: {
      std::vector<Version>& versions = state.columns[column_of(operation.table, operation.changes[0])];
      versions.resize(1);
      versions[0].value += operation.changes[0].value;
      return;
    }
    case Operation::Kind::kFlush:
      return;
    case Operation::Kind::kCreate:
      state.tables[operation.table] = operation.families;
      return;
    case Operation::Kind::kAlter:
      state.tables[operation.table] = operation.families;
      std::erase_if(state.columns, [&](const auto& column) {
        return operation.families == "f" && column.first.find("/h:") != std::string::npos;
      });
      return;
    case Operation::Kind::kTruncate:
      state.columns.clear();
      return;
    case Operation::Kind::kDrop:
      state.columns.clear();
      state.tables.erase(operation.table);
      return;
  }
}

Status perform(Store& store, Thread thread, const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::kCreate:
      return create_side(store, operation);
    case Operation::Kind::kAlter:
      return alter_side(store, operation);
    case Operation::Kind::kTruncate:
      return store.truncate_table(operation.table);
    case Operation::Kind::kDrop:
      return store.drop_table(operation.table);
    default:
      break;
  }
  BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, store.table(operation.table));
  const WriteOptions options{.durability = operation.durability};
  switch (operation.kind) {
    case Operation::Kind::kCheckAndMutate:
      return perform_check(table, operation, options);
    case Operation::Kind::kIncrement: {
      const auto amount = std::int64_t{1} << (kCounterBits * thread.index);
      const auto sum =
          table.increment(kCounterRow, "g", "c" + std::to_string(operation.counter), amount, options);
      return sum ? Status() : Status(sum.error());
    }
    case Operation::Kind::kAppend: {
      const Change& change = operation.changes[0];
      const auto all = table.append(change.row, change.family, change.qualifier, change.value, options);
      return all ? Status() : Status(all.error());
    }
    case Operation::Kind::kFlush:
      return table.flush();
    default:
      return table.mutate(mutations_of(operation), options);
  }
}

Status make_tables(Store& store) {
  for (const char* const name : {"a", "b"}) {
    auto schema = TableSchema::of_table(name);
    BLOOMERY_RETURN_IF_ERROR(schema->add_family("f"));
    BLOOMERY_RETURN_IF_ERROR(schema->add_family("g"));
    BLOOMERY_RETURN_IF_ERROR(set_versions(*schema));
    BLOOMERY_RETURN_IF_ERROR(schema->set("f", "BLOOMFILTER", "ROWCOL"));
    SplitKeys splits;
    for (std::size_t i = 1; i < kWorkers && *name == 'b'; ++i) {
      BLOOMERY_RETURN_IF_ERROR(splits.append(std::to_string(i)));
    }
    const Result<StoreTable> made = store.create_table(*schema, splits);
    BLOOMERY_RETURN_IF_ERROR(made ? Status() : Status(made.error()));
  }
  return {};
}

}  // namespace bloomery::store::kills
