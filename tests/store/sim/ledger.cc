#include "tests/store/sim/ledger.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

namespace bloomery::store::sim {
namespace {

std::string text_of_all(const Model& model) {
  std::string text;
  for (const auto& [name, table] : model) {
    text += "table " + name + "\n" + text_of(table, kLoose);
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line.substr(0, 120));
  }
  return lines;
}

void add_rows(const Table& table, Contents& contents) {
  ScanRequest all;
  all.versions = kAllVersions;
  all.is_raw = true;
  auto scanner = table.scan(all);
  Result<bool> found = scanner ? scanner->next() : Result<bool>(scanner.error());
  for (; found && *found; found = scanner->next()) {
    for (const KeptCell& kept : scanner->result().cells()) {
      const std::string row(kept.cell().key.row);
      (row.front() == kLoose ? contents.loose[row] : contents.text) += text_of(kept.cell());
    }
  }
  contents.problem += found ? "" : found.error().to_string();
}

// Puts without the log that the store lacks were lost, if they could be.
std::string recover_loose(Ledger& ledger, const Contents& contents) {
  for (const auto& [row, text] : contents.loose) {
    if (!ledger.loose.contains(row)) {
      return "a row that was never written: " + text;
    }
  }
  for (auto put = ledger.loose.begin(); put != ledger.loose.end();) {
    const ModelCell& cell = put->second.cell;
    const auto found = contents.loose.find(put->first);
    if (found == contents.loose.end() && put->second.is_certain) {
      return "lost, though it was flushed: row " + put->first;
    }
    if (found == contents.loose.end()) {
      put = ledger.loose.erase(put);
      continue;
    }
    const std::string expected = text_of(
        {.key = {cell.row, cell.family, cell.qualifier, cell.timestamp, cell.type}, .value = cell.value});
    if (found->second != expected) {
      return "expected " + expected + "found " + found->second;
    }
    put->second.is_certain = true;
    ++put;
  }
  return "";
}

}  // namespace

void Ledger::settle(std::size_t but) {
  const auto end = tail.end() - static_cast<std::ptrdiff_t>(but);
  for (auto step = tail.begin(); step != end; ++step) {
    take_step(certain, *step);
  }
  tail.erase(tail.begin(), end);
  handed = 0;
}

bool Ledger::uncover(const std::string& table, const ModelCell& cell, const std::string& older) {
  const auto found = certain.find(table);
  if (found == certain.end()) {
    return false;
  }
  std::string* const value = found->second.value_of(cell);
  if (value == nullptr || *value != cell.value) {
    return false;
  }
  *value = older;
  return true;
}

void Ledger::forget(const std::string& table, const ModelCell& cell, bool is_written_again) {
  const auto is_it = [&](const ModelCell& each) {
    return each.row == cell.row && each.family == cell.family && each.qualifier == cell.qualifier &&
           each.timestamp == cell.timestamp && each.type == cell.type;
  };
  bool is_in_tail = false;
  for (Step& step : tail) {
    is_in_tail = is_in_tail || (step.table == table && std::ranges::any_of(step.cells, is_it));
    if (!is_written_again && step.table == table) {
      std::erase_if(step.cells, is_it);
    }
  }
  const auto found = certain.find(table);
  if (found != certain.end() && (!is_written_again || is_in_tail)) {
    found->second.forget(cell);
  }
  if (!is_written_again) {
    loose.erase(cell.row);
  }
}

void Ledger::settle_loose() {
  for (auto& [row, put] : loose) {
    put.is_certain = true;
  }
}

// Returns the value that the texts of a row's cells have for the key of this cell.
static std::optional<std::string> value_in(const std::string& texts, const ModelCell& cell) {
  std::string key =
      "\n" +
      text_of(Cell{.key = {cell.row, cell.family, cell.qualifier, cell.timestamp, cell.type}, .value = {}});
  key.pop_back();
  const std::string lines = "\n" + texts;
  const std::size_t at = lines.find(key);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t begin = at + key.size();
  const std::size_t next = lines.find("\n" + cell.row + "/", begin);
  return lines.substr(begin, (next == std::string::npos ? lines.size() - 1 : next) - begin);
}

Status forget_dropped(const CheckedCompaction& compaction, const Store& store, Ledger& ledger, Model* model) {
  const auto table = store.table(compaction.table);
  if (!table) {
    return {};  // dropped meanwhile
  }
  for (const ModelCell& cell : compaction.dropped) {
    ScanRequest request;
    request.start = request.stop = cell.row;
    request.includes_stop = true;
    request.is_raw = true;
    request.versions = kAllVersions;
    BLOOMERY_ASSIGN_OR_RETURN(const std::string found, scanned(table->reader(), request));
    const auto value = value_in(found, cell);
    Model unasked;
    Model& seen = model != nullptr ? *model : unasked;
    if (value && *value != cell.value && ledger.uncover(compaction.table, cell, *value)) {
      ModelCell older = cell;
      older.value = *value;
      seen[compaction.table].write(older);
      continue;
    }
    ledger.forget(compaction.table, cell, value.has_value());
    if (!value) {
      seen[compaction.table].forget(cell);
    }
  }
  return {};
}

Contents contents_of(const Store& store) {
  Contents contents;
  for (const std::string& name : store.tables()) {
    const auto table = store.table(name);
    if (!table) {
      contents.problem += table.error().to_string();
      continue;
    }
    contents.text += "table " + name + "\n" + text_of(table->schema());
    for (const TableRegion& region : table->reader().regions()) {
      contents.text += region.start.empty() ? "" : "split " + region.start + "\n";
    }
    add_rows(table->reader(), contents);
  }
  return contents;
}

std::string recover(Ledger& ledger, const Store& store, bool was_killed) {
  const Contents contents = contents_of(store);
  if (!contents.problem.empty()) {
    return "an error of a read: " + contents.problem;
  }
  Model model = ledger.certain;
  const std::size_t least = was_killed ? ledger.handed : 0;
  std::string newest;
  for (std::size_t k = 0;; ++k) {
    newest = text_of_all(model);
    if (k >= least && newest == contents.text) {
      ledger.certain = std::move(model);
      ledger.tail.clear();
      ledger.handed = 0;
      return recover_loose(ledger, contents);
    }
    if (k == ledger.tail.size()) {
      break;
    }
    take_step(model, ledger.tail[k]);
  }
  return "no number of steps from " + std::to_string(least) + " to " + std::to_string(ledger.tail.size()) +
         " leaves what was found. Against all steps:\n" + difference(newest, contents.text) +
         "Against the certain ones:\n" + difference(text_of_all(ledger.certain), contents.text);
}

std::string difference(const std::string& expected, const std::string& found) {
  const auto left = lines_of(expected);
  const auto right = lines_of(found);
  const auto [l, r] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  std::string text = "at line " + std::to_string(l - left.begin()) + " of " + std::to_string(left.size()) +
                     " and " + std::to_string(right.size()) + "\n";
  for (auto at = l; at != left.end() && at - l < 4; ++at) {
    text += "  expected " + *at + "\n";
  }
  for (auto at = r; at != right.end() && at - r < 4; ++at) {
    text += "  found    " + *at + "\n";
  }
  return text;
}

}  // namespace bloomery::store::sim
