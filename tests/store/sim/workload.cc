#include "tests/store/sim/workload.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/endian.h"

namespace bloomery::store::sim {
namespace {

constexpr std::size_t kMostNotes = 12;

StoreOptions random_options(Random& random) {
  StoreOptions options;
  options.flush_bytes = random.one_of<std::uint64_t>({9000, 20'000, 80'000});
  options.memory_bytes = options.flush_bytes * random.one_of<std::uint64_t>({2, 5});
  options.log_bytes = random.one_of<std::uint64_t>({700, 4000, 60'000});
  options.most_logs = random.one_of<std::uint32_t>({2, 4, 32});
  options.syncs_mark = random.one_in(3);
  options.pins_filters = random.one_in(2);
  options.pins_indexes = random.one_in(2);
  if (random.one_in(2)) {
    options.cache = BlockCache::make(random.one_of<std::uint64_t>({1 << 14, 1 << 20}));
  }
  return options;
}

std::string name_of(std::uint64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

SplitKeys split_keys(const std::vector<std::string>& splits) {
  SplitKeys keys;
  for (const std::string& split : splits) {
    (void)keys.append(split);
  }
  return keys;
}

std::string text_of(const Status& status) {
  return status ? "OK" : status.error().to_string();
}

std::string big_endian(std::int64_t number) {
  std::string bytes(8, '\0');
  store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint64_t>(number));
  return bytes;
}

}  // namespace

void WorkloadCounts::add(const WorkloadCounts& other) {
  operations += other.operations;
  reads += other.reads;
  crashes += other.crashes;
  faults += other.faults;
  recoveries += other.recoveries;
  flushes += other.flushes;
  compactions += other.compactions;
  snapshots += other.snapshots;
  clones += other.clones;
  splits += other.splits;
}

Mutation Workload::OwnedMutation::view() const {
  return {.row = cell.row,
          .family = cell.family,
          .qualifier = cell.qualifier,
          .timestamp = has_timestamp ? std::optional(cell.timestamp) : std::nullopt,
          .type = cell.type,
          .value = cell.value};
}

Workload::Workload(const WorkloadSettings& settings)
    : settings_(settings),
      random_(settings.seed * 2 + 1),
      layout_(settings.layout + (settings.seed << 20)),
      machine_(settings.seed, random_options(layout_)) {
  machine_.options().compacts = settings.has_compactions;
  if (settings.has_compactions) {
    machine_.options().compaction_least_files = layout_.one_of<std::uint32_t>({2, 3});
    machine_.options().compaction_most_files = layout_.one_of<std::uint32_t>({4, 10});
    machine_.options().most_files = layout_.one_of<std::uint32_t>({4, 6, 16});
    watch_compactions();
  }
}

void Workload::note(std::string text) {
  notes_.push_back(std::to_string(counts_.operations) + " " + std::move(text));
  if (notes_.size() > kMostNotes) {
    notes_.pop_front();
  }
}

std::string Workload::run() {
  Problem problem = begin();
  for (std::size_t i = 0; problem.empty() && i < settings_.operations; ++i) {
    problem = step();
  }
  problem = problem.empty() ? end() : problem;
  if (problem.empty()) {
    return problem;
  }
  std::string text = "seed " + std::to_string(settings_.seed) + ", layout " +
                     std::to_string(settings_.layout) + ", operation " + std::to_string(counts_.operations) +
                     ": " + problem + "\nafter:\n";
  for (const std::string& each : notes_) {
    text += "  " + each + "\n";
  }
  return text;
}

std::string Workload::begin() {
  machine_.clock().set_now(now_);
  if (!machine_.create()) {
    return "create: " + machine_.error();
  }
  for (const auto& made_of :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"t0", {}}, {"t1", {"r05", "r1"}}}) {
    const std::string& name = made_of.first;
    const std::vector<std::string>& splits = made_of.second;
    const TableSchema schema = random_schema(name, {"a", "b"});
    Step step{.kind = Step::Kind::kCreate, .table = name, .schema = schema, .splits = splits};
    const Problem problem = change(step, [&]() -> Status {
      const auto made = machine_.store().create_table(schema, split_keys(splits));
      return made ? Status() : Status(made.error());
    });
    if (!problem.empty()) {
      return problem;
    }
  }
  return "";
}

std::string Workload::step() {
  ++counts_.operations;
  const std::uint64_t ms = random_.below(4);
  machine_.clock().advance(ms);
  now_ += static_cast<std::int64_t>(ms);
  machine_.clock().set_now(now_);
  Problem problem = do_operation(random_.below(1000));
  if (problem.empty() && settings_.has_snapshots && random_.one_in(12)) {
    problem = use_snapshots();
  }
  if (problem.empty() && settings_.has_splits && random_.one_in(20)) {
    problem = split();
  }
  machine_.executor().run_some(layout_.numbers());
  problem = problem.empty() ? adopt_compactions() : problem;
  if (problem.empty() && (settings_.has_crashes || settings_.has_faults)) {
    problem = mend();
  }
  return problem;
}

std::string Workload::do_operation(std::uint64_t kind) {
  const std::vector<std::pair<std::uint64_t, Problem (Workload::*)()>> parts = {
      {360, &Workload::mutate},
      {40, &Workload::put_loose},
      {60, &Workload::increment},
      {50, &Workload::append},
      {80, &Workload::check_and_mutate},
      {200, &Workload::get},
      {90, &Workload::scan},
      {35, &Workload::flush},
      {15, &Workload::reopen},
      {25, &Workload::jump},
      {10, &Workload::alter},
      {8, &Workload::truncate},
      {7, &Workload::create_or_drop},
  };
  for (const auto& [share, operation] : parts) {
    if (kind < share) {
      return (this->*operation)();
    }
    kind -= share;
  }
  if (settings_.has_crashes && !is_stopping_ && random_.one_in(2)) {
    arm_crash();
  } else if (settings_.has_faults && !is_stopping_) {
    arm_fault();
  }
  return "";
}

std::string Workload::end() {
  const bool is_whole = !is_stopping_ && !is_broken_ && machine_.store().health();
  machine_.disk().fail({});
  machine_.disk().stop_at(0);
  Problem problem = is_whole ? "" : crash_and_open(random_mode());
  problem = problem.empty() ? reopen() : problem;
  return problem.empty() ? reopen() : problem;
}

std::string Workload::end_after_fault() {
  is_broken_ = machine_.disk().has_failed();
  const Problem problem = is_broken_ ? mend() : "";
  return problem.empty() ? end() : problem;
}

// --- what is random

TableSchema Workload::random_schema(const std::string& name, const std::vector<std::string>& families) {
  TableSchema schema = *TableSchema::of_table(name);
  for (const std::string& family : families) {
    (void)schema.add_family(family);
    set_attribute(schema, family, true);
  }
  return schema;
}

// Sets what changes answers from the seed, and the format of files from the layout.
void Workload::set_attribute(TableSchema& schema, const std::string& family, bool is_new) {
  const auto set = [&](const char* name, const std::string& value) { (void)schema.set(family, name, value); };
  const std::uint64_t versions = random_.one_of<std::uint64_t>({1, 1, 2, 3, 5});
  set("VERSIONS", std::to_string(versions));
  set("MIN_VERSIONS", std::to_string(random_.one_in(2) ? 0 : random_.below(versions + 1)));
  if (const std::uint64_t ttl = random_.one_of<std::uint64_t>({0, 0, 5, 60}); ttl > 0 || !is_new) {
    set("TTL", ttl == 0 ? "FOREVER" : std::to_string(ttl));
  }
  set("KEEP_DELETED_CELLS", random_.one_of<std::string>({"FALSE", "FALSE", "TRUE", "TTL"}));
  const auto bloom =
      layout_.one_of<std::string>({"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH", "AUTO", "AUTO"});
  set("RowPrefixBloomFilter.prefix_length", "2");
  set("BLOOMFILTER", bloom);
  set("COMPRESSION", layout_.one_of<std::string>({"NONE", "NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"}));
  set("DATA_BLOCK_ENCODING",
      layout_.one_of<std::string>({"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"}));
  set("BLOCKSIZE", layout_.one_of<std::string>({"1024", "65536"}));
}

std::string Workload::random_table() {
  std::vector<std::string> names;
  for (const auto& [name, table] : model_) {
    names.push_back(name);
  }
  return random_.one_of(names);
}

std::string Workload::random_row() {
  const std::uint64_t kind = random_.below(20);
  return kind == 0   ? std::string("r1\0", 3)
         : kind == 1 ? "r"
         : kind == 2 ? "s" + std::string(static_cast<std::size_t>(random_.below(40)), 's')
                     : "r" + name_of(random_.below(16));
}

std::string Workload::random_qualifier() {
  return random_.one_of<std::string>({"", "q", "q1", "q1", "q2", "long qualifier"});
}

std::string Workload::random_value() {
  const std::uint64_t kind = random_.below(20);
  const std::uint64_t size = kind == 0 ? random_.below(3000) : kind == 1 ? 0 : random_.below(30);
  std::string value = size == 0 ? "" : "v" + std::to_string(++number_);
  value.resize(std::max<std::size_t>(value.size(), static_cast<std::size_t>(size)), 'x');
  return value;
}

std::int64_t Workload::random_time() {
  const auto near = static_cast<std::int64_t>(random_.below(30));
  return random_.one_in(3) ? near : now_ - 15 + near;
}

Workload::OwnedMutation Workload::random_mutation(const ModelTable& table, const std::string& row) {
  OwnedMutation made{.cell = {.row = row,
                              .family = random_.one_of(table.schema.families).name,
                              .qualifier = random_qualifier(),
                              .timestamp = random_time()},
                     .has_timestamp = random_.one_in(2)};
  const std::uint64_t kind = random_.below(20);
  made.cell.type = kind < 13   ? CellType::kPut
                   : kind < 15 ? CellType::kDelete
                   : kind < 17 ? CellType::kDeleteColumn
                   : kind < 18 ? CellType::kDeleteFamily
                   : kind < 19 ? CellType::kDeleteFamilyVersion
                               : CellType::kPut;
  if (made.cell.type == CellType::kPut) {
    made.cell.value = random_value();
  }
  if (deletes_family(made.cell.type)) {
    made.cell.qualifier.clear();
  }
  made.has_timestamp = made.has_timestamp || made.cell.type == CellType::kDeleteFamilyVersion;
  return made;
}

std::vector<Workload::OwnedMutation> Workload::random_mutations(const ModelTable& table) {
  const std::uint64_t kind = random_.below(20);
  const std::uint64_t count = kind < 12 ? 1 : kind < 19 ? 2 + random_.below(6) : 40;
  std::vector<OwnedMutation> mutations;
  for (std::uint64_t i = 0; i < count; ++i) {
    mutations.push_back(random_mutation(table, random_row()));
  }
  return mutations;
}

Durability Workload::random_durability() {
  return random_.one_of<Durability>({Durability::kFsyncWal, Durability::kFsyncWal, Durability::kSyncWal,
                                     Durability::kAsyncWal, Durability::kAsyncWal});
}

void Workload::ask_columns(const ModelTable& table, CellRequest& request) {
  for (std::uint64_t i = random_.below(4); i > 0; --i) {
    RequestedColumn column{.family = random_.one_of(table.schema.families).name, .qualifier = {}};
    if (!random_.one_in(3)) {
      column.qualifier = random_qualifier();
    }
    request.columns.push_back(column);
  }
  request.versions = random_.one_of<std::int32_t>({1, 2, 3, kAllVersions});
  if (random_.one_in(3)) {
    request.times.from = std::max<std::int64_t>(random_time(), 0);
    request.times.to = request.times.from + 1 + static_cast<std::int64_t>(random_.below(40));
  } else if (random_.one_in(4)) {
    request.times.to = std::max<std::int64_t>(random_time(), 1);
  }
  if (random_.one_in(6)) {
    request.max_per_family = 1 + static_cast<std::uint32_t>(random_.below(3));
    request.offset_per_family = static_cast<std::uint32_t>(random_.below(2));
  }
}

// --- writes

// Gives mutations their timestamps: the n-th delete of a newest version of a column deletes the n-th one.
std::vector<ModelCell> Workload::cells_of(const ModelTable& table,
                                          const std::vector<OwnedMutation>& mutations) const {
  std::map<std::vector<std::string>, std::size_t> seen;
  std::vector<ModelCell> cells;
  for (const OwnedMutation& mutation : mutations) {
    ModelCell cell = mutation.cell;
    cell.timestamp = mutation.has_timestamp ? cell.timestamp : now_;
    if (!mutation.has_timestamp && cell.type == CellType::kDelete) {
      const std::size_t number = seen[{cell.row, cell.family, cell.qualifier}]++;
      const auto versions = table.versions_of(cell.row, cell.family, cell.qualifier,
                                              static_cast<std::int32_t>(number) + 1, now_);
      cell.timestamp = versions.size() > number ? versions[number].timestamp : now_;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string Workload::settle_outcome(const Status& outcome, const std::vector<Step>& steps,
                                     Durability durability) {
  if (outcome) {
    for (const Step& each : steps) {
      take_step(model_, each);
    }
    if (durability == Durability::kFsyncWal) {
      ledger_.settle();
    } else if (durability == Durability::kSyncWal) {
      ledger_.handed = ledger_.tail.size();
    }
    return "";
  }
  if (!may_fail()) {
    return "a write failed: " + text_of(outcome);
  }
  if (machine_.store().health()) {  // a read before the write failed
    ledger_.tail.resize(ledger_.tail.size() - steps.size());
    return "";
  }
  is_broken_ = true;
  return "";
}

std::string Workload::write(const std::string& table, const std::vector<ModelCell>& cells,
                            Durability durability, const std::function<Status(StoreTable&)>& act) {
  std::map<std::size_t, Step> by_region;
  for (const ModelCell& cell : cells) {
    Step& each = by_region[model_.at(table).region_of(cell.row)];
    each.table = table;
    each.cells.push_back(cell);
  }
  std::vector<Step> steps;
  for (auto& [region, each] : by_region) {
    steps.push_back(std::move(each));
  }
  ledger_.tail.insert(ledger_.tail.end(), steps.begin(), steps.end());
  in_flight_ = steps.size();
  StoreTable written = handle(table);
  const Status outcome = act(written);
  in_flight_ = 0;
  return settle_outcome(outcome, steps, durability);
}

std::string Workload::mutate() {
  const std::string name = random_table();
  const ModelTable& table = model_.at(name);
  const Durability durability = random_durability();
  std::vector<OwnedMutation> mutations = random_mutations(table);
  if (random_.one_in(20)) {
    mutations.clear();
    const std::string row = random_row();
    for (const FamilySchema& family : table.schema.families) {
      mutations.push_back({.cell = {.row = row, .family = family.name, .type = CellType::kDeleteFamily}});
    }
  }
  note("mutate " + name + ", " + std::to_string(mutations.size()) + " cells of " + mutations[0].cell.row +
       ", durability " + std::to_string(static_cast<int>(durability)));
  return write(name, cells_of(table, mutations), durability, [&](StoreTable& to) {
    std::vector<Mutation> views;
    for (const OwnedMutation& mutation : mutations) {
      views.push_back(mutation.view());
    }
    return to.mutate(views, {.durability = durability});
  });
}

std::string Workload::put_loose() {
  const ModelCell cell{.row = kLoose + std::to_string(++number_),
                       .family = "a",
                       .qualifier = "q",
                       .timestamp = now_,
                       .value = random_value()};
  note("put " + cell.row + " without the log");
  StoreTable table = handle("t0");
  const Status put =
      table.put(cell.row, cell.family, cell.qualifier, cell.value, {.durability = Durability::kSkipWal});
  if (!put && !may_fail()) {
    return "a put failed: " + text_of(put);
  }
  if (put || !machine_.store().health()) {
    ledger_.loose[cell.row] = {.cell = cell};
  }
  if (put) {
    model_.at("t0").write(cell);
  }
  is_broken_ = is_broken_ || (!put && !machine_.store().health());
  return "";
}

std::string Workload::increment() {
  const std::string name = random_table();
  const ModelTable& table = model_.at(name);
  ModelCell cell{.row = random_.one_in(10) ? random_row() : "n" + std::to_string(random_.below(3)),
                 .family = random_.one_of(table.schema.families).name,
                 .qualifier = "n",
                 .timestamp = now_};
  cell.qualifier = cell.row.front() == 'n' ? "n" : random_qualifier();
  const auto amount = static_cast<std::int64_t>(random_.below(2000)) - 1000;
  const Durability durability = random_durability();
  const auto old = table.versions_of(cell.row, cell.family, cell.qualifier, 1, now_);
  note("increment " + name + " " + cell.row + "/" + cell.family + ":" + cell.qualifier);
  if (!old.empty() && old[0].value.size() != 8) {
    const auto sum =
        handle(name).increment(cell.row, cell.family, cell.qualifier, amount, {.durability = durability});
    if (sum || (sum.error().code() != ErrorCode::kInvalidArgument && !may_fail())) {
      return "an increment of another value: " + (sum ? "OK" : sum.error().to_string());
    }
    return "";
  }
  std::int64_t expected = amount;
  if (!old.empty()) {
    cell.timestamp = std::max(now_, old[0].timestamp + 1);
    expected +=
        static_cast<std::int64_t>(load_big64(reinterpret_cast<const std::byte*>(old[0].value.data())));
  }
  cell.value = big_endian(expected);
  std::optional<std::int64_t> found;
  const Problem problem = write(name, {cell}, durability, [&](StoreTable& to) -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(
        found, to.increment(cell.row, cell.family, cell.qualifier, amount, {.durability = durability}));
    return {};
  });
  return !problem.empty() || !found || *found == expected
             ? problem
             : "increment: expected " + std::to_string(expected) + ", found " + std::to_string(*found);
}

std::string Workload::append() {
  const std::string name = random_table();
  const ModelTable& table = model_.at(name);
  ModelCell cell{.row = random_row(),
                 .family = random_.one_of(table.schema.families).name,
                 .qualifier = random_qualifier(),
                 .timestamp = now_};
  const Durability durability = random_durability();
  const std::string added = random_value();
  const auto old = table.versions_of(cell.row, cell.family, cell.qualifier, 1, now_);
  cell.value = (old.empty() ? "" : old[0].value) + added;
  cell.timestamp = old.empty() ? now_ : std::max(now_, old[0].timestamp + 1);
  note("append " + name + " " + cell.row + "/" + cell.family + ":" + cell.qualifier);
  std::optional<std::string> found;
  const Problem problem = write(name, {cell}, durability, [&](StoreTable& to) -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(
        found, to.append(cell.row, cell.family, cell.qualifier, added, {.durability = durability}));
    return {};
  });
  return !problem.empty() || !found || *found == cell.value
             ? problem
             : "append: expected " + cell.value + ", found " + *found;
}

std::string Workload::check_and_mutate() {
  const std::string name = random_table();
  const ModelTable& table = model_.at(name);
  const std::string row = random_row();
  const std::string family = random_.one_of(table.schema.families).name;
  const std::string qualifier = random_qualifier();
  const auto old = table.versions_of(row, family, qualifier, 1, now_);
  std::optional<std::string> given;
  if (!random_.one_in(4)) {
    given = !old.empty() && random_.one_in(2) ? old[0].value : random_value();
  }
  const auto is = static_cast<Check::Is>(random_.below(6));
  bool holds = false;
  if (!given) {
    holds = (old.empty() || old[0].value.empty()) == (is != Check::Is::kNotEqual);
  } else if (!old.empty()) {
    const int order = given->compare(old[0].value);
    const std::vector<bool> outcomes = {order == 0, order != 0, order<0, order <= 0, order> 0, order >= 0};
    holds = outcomes[static_cast<std::size_t>(is)];
  }
  std::vector<OwnedMutation> mutations;
  for (std::uint64_t i = random_.below(4); i > 0; --i) {
    mutations.push_back(random_mutation(table, row));
  }
  const Durability durability = random_durability();
  note("check and mutate " + name + " " + row + (holds ? " holds" : " does not hold"));
  std::optional<bool> found;
  auto cells = holds ? cells_of(table, mutations) : std::vector<ModelCell>();
  for (std::size_t i = 0; i < cells.size(); ++i) {  // a put is not older than what was checked
    if (!old.empty() && !mutations[i].has_timestamp && cells[i].type == CellType::kPut) {
      cells[i].timestamp = std::max(cells[i].timestamp, old[0].timestamp);
    }
  }
  const Durability promised = cells.empty() ? Durability::kAsyncWal : durability;
  const Problem problem = write(name, cells, promised, [&](StoreTable& to) -> Status {
    std::vector<Mutation> views;
    for (const OwnedMutation& mutation : mutations) {
      views.push_back(mutation.view());
    }
    Check check{.row = row, .family = family, .qualifier = qualifier, .is = is};
    if (given) {
      check.value = *given;
    }
    BLOOMERY_ASSIGN_OR_RETURN(found, to.check_and_mutate(check, views, {.durability = durability}));
    return {};
  });
  return !problem.empty() || !found || *found == holds ? problem : "check_and_mutate: the other answer";
}

// --- reads

std::string Workload::compare(const std::string& what, const std::string& expected,
                              const Result<std::string>& found) {
  ++counts_.reads;
  if (!found) {
    return may_fail() ? "" : what + ": " + found.error().to_string();
  }
  answers_ = answers_ * 1'000'003 + std::hash<std::string>()(*found);
  return *found == expected ? "" : what + " differs " + difference(expected, *found);
}

std::string Workload::get() {
  const std::string name = random_table();
  const ModelTable& table = model_.at(name);
  GetRequest request;
  request.row = random_row();
  ask_columns(table, request);
  note("get " + name + " " + request.row);
  const auto found = handle(name).reader().get(request);
  std::string what = "get " + name + " " + request.row + ", versions " + std::to_string(request.versions) +
                     ", times " + std::to_string(request.times.from) + " " +
                     std::to_string(request.times.to.value_or(-1)) + ", columns";
  for (const RequestedColumn& column : request.columns) {
    what += " " + column.family + ":" + column.qualifier.value_or("*");
  }
  return compare(what, table.get(request, now_),
                 found ? Result<std::string>(text_of_rows(*found)) : Result<std::string>(found.error()));
}

std::string Workload::scan() {
  const std::string name = random_table();
  const ModelTable& table = model_.at(name);
  ScanRequest request;
  request.is_reversed = random_.one_in(2);
  request.is_raw = random_.one_in(4);
  ask_columns(table, request);
  if (request.is_raw) {
    request.columns.clear();
  }
  request.start = random_.one_in(2) ? "" : random_row();
  request.stop = random_.one_in(2) ? "" : random_row();
  request.stop = request.stop == request.start ? "" : request.stop;
  request.includes_start = !random_.one_in(4);
  request.includes_stop = random_.one_in(4);
  if (random_.one_in(3)) {
    request.limit = 1 + random_.below(5);
  }
  note("scan " + name);
  const std::string what = "scan " + name + " from '" + request.start + "' to '" + request.stop + "'" +
                           (request.is_reversed ? ", reversed" : "") + (request.is_raw ? ", raw" : "") +
                           ", versions " + std::to_string(request.versions) + ", times " +
                           std::to_string(request.times.from) + " " +
                           std::to_string(request.times.to.value_or(-1));
  return compare(what, table.scan(request, now_), scanned(handle(name).reader(), request));
}

// --- the machine and the tables

std::string Workload::flush() {
  const std::string name = random_table();
  if (settings_.has_compactions && random_.one_in(2)) {
    return major_compact(name);
  }
  note("flush " + name);
  ++counts_.flushes;
  const Status flushed = handle(name).flush();
  if (!flushed) {
    is_broken_ = is_broken_ || !machine_.store().health();
    return may_fail() ? "" : "flush: " + text_of(flushed);
  }
  ledger_.settle();
  if (name == "t0") {
    ledger_.settle_loose();
  }
  return "";
}

std::string Workload::major_compact(const std::string& name) {
  note("major compaction of " + name);
  const Status compacted = handle(name).major_compact();
  if (!compacted) {
    is_broken_ = is_broken_ || !machine_.store().health();
    return may_fail() ? "" : "major compaction: " + text_of(compacted);
  }
  return "";
}

// --- compactions

void Workload::watch_compactions() {
  machine_.on_freeze = [this] { ledger_.settle(in_flight_); };
  machine_.on_compaction = [this](const CompactionNote& note, bool is_installed) {
    if (!is_installed) {
      installing_ = check_compaction(*machine_.disk().clone(), note);
      return;
    }
    ++counts_.compactions;
    compactions_.push_back(*std::exchange(installing_, std::nullopt));
  };
}

std::vector<CheckedCompaction> Workload::new_compactions() const {
  std::vector<CheckedCompaction> all = compactions_;
  if (installing_) {
    all.push_back(*installing_);
  }
  return all;
}

// What cannot be read now is adopted later.
std::string Workload::adopt_compactions() {
  while (!compactions_.empty() && machine_.store().health()) {
    if (!compactions_.back().problem.empty()) {
      return compactions_.back().problem;
    }
    if (const Status forgotten = forget_dropped(compactions_.back(), machine_.store(), ledger_, &model_);
        !forgotten) {
      return may_fail() ? "" : forgotten.error().to_string();
    }
    compactions_.pop_back();
  }
  return "";
}

std::string Workload::reopen() {
  if (is_stopping_ || may_fail()) {
    return "";
  }
  note("close and open");
  machine_.disk().fail({});
  if (!machine_.close()) {
    return "close: " + machine_.error();
  }
  ledger_.settle();
  ledger_.settle_loose();
  return open_again(true);
}

std::string Workload::jump() {
  const auto ms = static_cast<std::int64_t>(random_.below(30'000));
  note("the clock jumps");
  machine_.clock().advance(static_cast<std::uint64_t>(ms));
  now_ += random_.one_in(4) ? -ms : ms;
  return "";
}

std::string Workload::change(Step step, const std::function<Status()>& act) {
  ledger_.tail.push_back(step);
  in_flight_ = 1;
  const Status changed = act();
  in_flight_ = 0;
  // A split reads and writes files before the table changes.
  if (!changed && may_fail() && machine_.store().health() && step.kind != Step::Kind::kSplit) {
    return "a change of tables failed, and the store goes on: " + text_of(changed);
  }
  const Problem problem = settle_outcome(changed, {std::move(step)}, Durability::kFsyncWal);
  return problem.empty() ? "" : "change of tables: " + problem;
}

std::string Workload::alter() {
  if (!settings_.changes_tables) {
    return "";
  }
  const std::string name = random_table();
  TableSchema schema = model_.at(name).schema;
  if (name != "t1" || random_.one_in(2)) {
    set_attribute(schema, random_.one_of(schema.families).name, false);
  } else if (schema.find("c") != nullptr) {
    (void)schema.remove_family("c");
  } else {
    (void)schema.add_family("c");
    set_attribute(schema, "c", true);
  }
  note("alter " + name + "\n" + sim::text_of(schema));
  const Problem problem = change({.kind = Step::Kind::kAlter, .table = name, .schema = schema},
                                 [&] { return machine_.store().alter_table(schema); });
  if (problem.empty() && name == "t0" && !is_broken_) {
    ledger_.settle_loose();
  }
  return problem;
}

std::string Workload::truncate() {
  const std::string name = random_.one_in(2) && model_.contains("t2") ? "t2" : "t1";
  if (!settings_.changes_tables) {
    return "";
  }
  note("truncate " + name);
  return change({.kind = Step::Kind::kTruncate, .table = name},
                [&] { return machine_.store().truncate_table(name); });
}

std::string Workload::create_or_drop() {
  if (!settings_.changes_tables) {
    return "";
  }
  if (model_.contains("t2")) {
    note("drop t2");
    return change({.kind = Step::Kind::kDrop, .table = "t2"},
                  [&] { return machine_.store().drop_table("t2"); });
  }
  const TableSchema schema = random_schema("t2", {"a", "b"});
  note("create t2");
  return change({.kind = Step::Kind::kCreate, .table = "t2", .schema = schema}, [&]() -> Status {
    const auto made = machine_.store().create_table(schema);
    return made ? Status() : Status(made.error());
  });
}

std::string Workload::split() {
  const std::string name = random_table();
  std::set<std::string> rows = {random_row(), random_row()};
  for (const std::string& row : model_.at(name).splits) {
    rows.erase(row);
  }
  if (rows.empty() || model_.at(name).splits.size() > 6) {
    return "";
  }
  note("split " + name + ", " + std::to_string(rows.size()) + " rows from " + *rows.begin());
  const std::vector<std::string> chosen(rows.begin(), rows.end());
  const Problem problem = change({.kind = Step::Kind::kSplit, .table = name, .splits = chosen},
                                 [&] { return machine_.store().split_table(name, chosen); });
  counts_.splits += problem.empty() && !may_fail() ? 1U : 0U;
  if (problem.empty() && name == "t0" && !may_fail()) {
    ledger_.settle_loose();
  }
  return problem;
}

// A snapshot flushes, so that it settles what a flush does.
std::string Workload::use_snapshots() {
  if (is_broken_ || !machine_.store().health()) {
    return "";
  }
  Problem problem;
  if (random_.one_in(2)) {
    const std::string name = random_table();
    note("snapshot of " + name);
    const std::uint64_t before = snapshots_.taken();
    problem = snapshots_.take(machine_, name, now_);
    if (snapshots_.taken() > before) {
      ledger_.settle();
      if (name == "t0") {
        ledger_.settle_loose();
      }
    }
  } else {
    const std::uint64_t choice = random_.numbers()();
    note("use of a snapshot, " + std::to_string(choice));
    problem = snapshots_.use(machine_, choice);
  }
  counts_.snapshots = snapshots_.taken();
  counts_.clones = snapshots_.clones();
  is_broken_ = is_broken_ || !machine_.store().health();
  return problem;
}

// --- crashes and faults

CrashMode Workload::random_mode() {
  return random_.one_of<CrashMode>({CrashMode::kDropAll, CrashMode::kKeepAll, CrashMode::kRandom,
                                    CrashMode::kRandom, CrashMode::kProcessOnly});
}

void Workload::arm_crash() {
  machine_.disk().fail({});
  const std::uint64_t calls = random_.below(random_.one_of<std::uint64_t>({10, 100}));
  note("the power goes after " + std::to_string(calls) + " calls");
  machine_.disk().stop_at(machine_.disk().calls() + 1 + calls);
  is_stopping_ = true;
  armed_at_ = counts_.operations;
}

void Workload::arm_fault() {
  Fault fault{.call = machine_.disk().calls() + 1 + random_.below(60),
              .errno_value = random_.one_of<int>({EIO, ENOSPC, EIO, EDQUOT}),
              .forever = random_.one_in(2)};
  if (random_.one_in(2)) {
    fault.kind =
        random_.one_of<CallKind>({CallKind::kRead, CallKind::kWrite, CallKind::kSync, CallKind::kMetadata});
    fault.call = machine_.disk().calls(*fault.kind) + 1 + random_.below(10);
  }
  fault.writes_short = random_.one_in(3);
  note("call " + std::to_string(fault.call) + " of " + std::to_string(machine_.disk().calls()) +
       (fault.forever ? " fails forever" : " fails"));
  machine_.disk().fail(fault);
  ++counts_.faults;
  armed_at_ = counts_.operations;
}

// Ends a crash or a fault that has begun, or that does not begin.
std::string Workload::mend() {
  const bool is_late = counts_.operations > armed_at_ + 40;
  if (is_stopping_ && (may_fail() || is_late)) {
    return crash_and_open(random_mode());
  }
  if (!is_broken_ && machine_.store().health()) {
    if (!is_stopping_ && is_late) {
      machine_.disk().fail({});
    }
    return "";
  }
  if (!may_fail()) {
    return "the store is read-only: " + text_of(machine_.store().health());
  }
  machine_.disk().fail({});
  if (random_.one_in(2)) {
    return crash_and_open(random_mode());
  }
  note("close after a fault, and open");
  const bool was_read_only = !machine_.store().health();
  if (machine_.close() && was_read_only) {
    return "a store that a fault made read-only was closed without an error";
  }
  return open_again(true);
}

std::string Workload::crash_and_open(CrashMode mode) {
  // A sync that failed has lost what was written before it, if the machine stops.
  bool was_killed =
      mode == CrashMode::kProcessOnly || (mode == CrashMode::kKeepAll && machine_.store().health());
  machine_.disk().fail({});
  machine_.crash(random_.numbers()(), mode);
  note("crash " + std::to_string(static_cast<int>(mode)));
  ++counts_.crashes;
  while (random_.one_in(3)) {
    machine_.disk().stop_at(machine_.disk().calls() + 1 + random_.below(100));
    (void)machine_.open();
    const CrashMode next = random_mode();
    machine_.crash(random_.numbers()(), next);
    note("crash in a recovery, " + std::to_string(static_cast<int>(next)));
    ++counts_.crashes;
    was_killed = was_killed && (next == CrashMode::kProcessOnly || next == CrashMode::kKeepAll);
  }
  return open_again(was_killed);
}

std::string Workload::open_again(bool was_killed) {
  is_broken_ = is_stopping_ = false;
  if (!machine_.open()) {
    return "open: " + machine_.error();
  }
  ++counts_.recoveries;
  if (installing_) {  // its list may be on the disk, or not
    compactions_.push_back(*std::exchange(installing_, std::nullopt));
  }
  if (const Problem problem = adopt_compactions(); !problem.empty()) {
    return problem;
  }
  if (const Problem problem = snapshots_.recover(machine_); !problem.empty()) {
    return problem;
  }
  const Problem problem = recover(ledger_, machine_.store(), was_killed);
  model_ = ledger_.certain;
  for (const auto& [row, put] : ledger_.loose) {
    model_.at("t0").write(put.cell);
  }
  return problem;
}

std::string run_workload(const WorkloadSettings& settings, WorkloadCounts* counts) {
  Workload workload(settings);
  std::string problem = workload.run();
  if (counts != nullptr) {
    counts->add(workload.counts());
  }
  return problem;
}

}  // namespace bloomery::store::sim
