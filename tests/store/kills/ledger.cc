#include "tests/store/kills/ledger.h"

#include <algorithm>
#include <utility>

#include "base/endian.h"

namespace bloomery::store::kills {

namespace {

// What the test reads: of a table, all versions of all columns.
Status read_table(const std::string& name, const Table& table, Contents& contents) {
  std::string families;
  for (const FamilySchema& family : table.schema().families) {
    families += (families.empty() ? "" : " ") + family.name;
  }
  contents.tables[name] = families;
  ScanRequest request;
  request.versions = kAllVersions;
  BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, table.scan(request));
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, scanner.next());
    if (!found) {
      return {};
    }
    for (const KeptCell& kept : scanner.result().cells()) {
      const Cell& cell = kept.cell();
      const std::string column = name + "/" + std::string(cell.key.row) + "/" + std::string(cell.key.family) +
                                 ":" + std::string(cell.key.qualifier);
      if (column.starts_with("a/counters/g:c") && cell.value.size() == 8) {
        contents.counters.at(static_cast<std::size_t>(column.back() - '0')) =
            load_big64(reinterpret_cast<const std::byte*>(cell.value.data()));
      } else {
        contents.columns[column].push_back({cell.key.timestamp, std::string(cell.value)});
      }
    }
  }
}

// The worker whose rows these are, or the thread of tables.
std::size_t thread_of(const std::string& column) {
  const std::size_t row = column.find('/') + 1;
  return column.starts_with("side/") ? kTableThread : static_cast<std::size_t>(column[row] - '0');
}

std::array<State, kThreads> states_of(const Contents& contents) {
  std::array<State, kThreads> states;
  for (const auto& [column, versions] : contents.columns) {
    states.at(thread_of(column)).columns[column] = versions;
  }
  for (std::size_t i = 0; i < kWorkers; ++i) {
    for (std::size_t counter = 0; counter < kCounters; ++counter) {
      states[i].counts[counter] =
          contents.counters[counter] >> (kCounterBits * i) & ((std::uint64_t{1} << kCounterBits) - 1);
    }
  }
  states[kTableThread].tables = contents.tables;
  states[kTableThread].tables.erase("a");
  states[kTableThread].tables.erase("b");
  return states;
}

bool is_version(const Version& expected, const Version& found) {
  return expected.value == found.value && (!expected.timestamp || expected.timestamp == found.timestamp);
}

bool is_column(const std::pair<const std::string, std::vector<Version>>& expected,
               const std::pair<const std::string, std::vector<Version>>& found) {
  return expected.first == found.first && std::ranges::equal(expected.second, found.second, is_version);
}

bool is_state(const State& expected, const State& found) {
  return expected.counts == found.counts && expected.tables == found.tables &&
         std::ranges::equal(expected.columns, found.columns, is_column);
}

std::string text_of(const State& state, const std::string& column) {
  const auto place = state.columns.find(column);
  if (place == state.columns.end()) {
    return "nothing";
  }
  std::string text;
  for (const Version& version : place->second) {
    text += (version.timestamp ? std::to_string(*version.timestamp) : "now") + "=" +
            version.value.substr(0, 24) + "(" + std::to_string(version.value.size()) + ") ";
  }
  return text;
}

// Names the first thing that differs.
std::string difference(const State& expected, const State& found) {
  for (std::size_t i = 0; i < kCounters; ++i) {
    if (expected.counts[i] != found.counts[i]) {
      return "counter " + std::to_string(i) + ": expected " + std::to_string(expected.counts[i]) +
             " additions, found " + std::to_string(found.counts[i]);
    }
  }
  if (expected.tables != found.tables) {
    return "the tables differ: expected " + std::to_string(expected.tables.size()) + ", found " +
           std::to_string(found.tables.size()) +
           (found.tables.empty() ? "" : ", with " + found.tables.begin()->second);
  }
  for (const State* const of : {&expected, &found}) {
    for (const auto& [column, versions] : of->columns) {
      const auto a = expected.columns.find(column);
      const auto b = found.columns.find(column);
      if (a == expected.columns.end() || b == found.columns.end() || !is_column(*a, *b)) {
        return column + ": expected " + text_of(expected, column) + ", found " + text_of(found, column);
      }
    }
  }
  return "nothing differs";
}

}  // namespace

Result<Contents> contents_of(const Store& store) {
  Contents contents;
  for (const std::string& name : store.tables()) {
    BLOOMERY_ASSIGN_OR_RETURN(const StoreTable table, store.table(name));
    BLOOMERY_RETURN_IF_ERROR(read_table(name, table.reader(), contents));
  }
  return contents;
}

Result<Contents> contents_of_root(const std::string& root) {
  Contents contents;
  BLOOMERY_ASSIGN_OR_RETURN(const RootListing listing, Table::list(root));
  for (const std::string& name : listing.tables) {
    BLOOMERY_ASSIGN_OR_RETURN(const Table table, Table::open_table(root, name));
    BLOOMERY_RETURN_IF_ERROR(read_table(name, table, contents));
  }
  return contents;
}

void Ledger::note(const Report& report) {
  Progress& progress = progress_.at(report.thread);
  switch (report.kind) {
    case Report::Kind::kStarted:
      return;
    case Report::Kind::kOpened:
      is_opened_ = true;
      return;
    case Report::Kind::kFailed:
      has_failed_ = true;
      return;
    case Report::Kind::kBegun: {
      Numbers returned;
      for (std::size_t i = 0; i < kThreads; ++i) {
        returned[i] = progress_[i].returned;
      }
      progress.operations.push_back(
          operation_of({.seed = work_.seed, .index = report.thread}, report.number, progress.state));
      progress.returned_before.push_back(returned);
      apply(progress.operations.back(), progress.state);
      ++counts_.begun;
      return;
    }
    case Report::Kind::kReturned:
      ++progress.returned;
      if (progress.operations.back().is_acknowledged()) {
        progress.acknowledged = progress.returned;
      }
      return;
  }
}

bool Ledger::is_flushing() const {
  return std::ranges::any_of(progress_, [](const Progress& progress) {
    return progress.operations.size() > progress.returned &&
           progress.operations.back().kind == Operation::Kind::kFlush;
  });
}

bool Ledger::is_changing_tables() const {
  const Progress& tables = progress_[kTableThread];
  return tables.operations.size() > tables.returned &&
         tables.operations.back().kind > Operation::Kind::kFlush;
}

std::string Ledger::settle(const Contents& contents) {
  const std::array<State, kThreads> found = states_of(contents);
  std::array<Possible, kThreads> possible;
  for (std::size_t i = 0; i < kThreads; ++i) {
    std::string wrong = check_thread(i, found[i], possible[i]);
    if (!wrong.empty()) {
      return wrong;
    }
  }
  std::string wrong = check_order(possible);
  for (std::size_t i = 0; i < kThreads; ++i) {
    Progress& progress = progress_[i];
    counts_.acknowledged += progress.acknowledged;
    counts_.returned += progress.returned - progress.acknowledged;
    counts_.kept += possible[i].most - progress.acknowledged;
    counts_.gone += progress.operations.size() - possible[i].most;
    for (std::uint32_t k = 0; k < possible[i].most; ++k) {
      counts_.mutations += k < progress.acknowledged ? progress.operations[k].changes.size() : 0;
      apply(progress.operations[k], work_.states[i]);
    }
    // The numbers of operations that are gone are not used again.
    work_.done[i] += static_cast<std::uint32_t>(progress.operations.size());
  }
  begin();
  return wrong;
}

void Ledger::begin() {
  for (std::size_t i = 0; i < kThreads; ++i) {
    progress_[i] = Progress{.state = work_.states[i]};
  }
  is_opened_ = false;
  has_failed_ = false;
}

std::string Ledger::check_thread(std::size_t thread, const State& found, Possible& possible) {
  const Progress& progress = progress_[thread];
  State expected = work_.states[thread];
  std::string wrong;
  bool is_found = false;
  for (std::uint32_t k = 0;; ++k) {
    if (k >= progress.acknowledged && is_state(expected, found)) {
      possible.least = is_found ? possible.least : k;
      possible.most = k;
      is_found = true;
    } else if (k == progress.acknowledged || k == progress.operations.size()) {
      wrong += " After operation " + std::to_string(work_.done[thread] + k) + ": " +
               difference(expected, found) + ".";
    }
    if (k == progress.operations.size()) {
      break;
    }
    apply(progress.operations[k], expected);
  }
  return is_found ? "" : "thread " + std::to_string(thread) + ":" + wrong;
}

std::string Ledger::check_order(const std::array<Possible, kThreads>& possible) const {
  for (std::size_t later = 0; later < kWorkers; ++later) {
    if (possible[later].least == 0) {
      continue;
    }
    const Numbers& returned = progress_[later].returned_before[possible[later].least - 1];
    for (std::size_t earlier = 0; earlier < kWorkers; ++earlier) {
      if (possible[earlier].most < returned[earlier]) {
        return "operation " + std::to_string(work_.done[later] + possible[later].least) + " of thread " +
               std::to_string(later) + " is there, and of thread " + std::to_string(earlier) + " only " +
               std::to_string(work_.done[earlier] + possible[earlier].most) + ", not " +
               std::to_string(work_.done[earlier] + returned[earlier]) + ", which had returned before";
      }
    }
  }
  return "";
}

}  // namespace bloomery::store::kills
