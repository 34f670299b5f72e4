#include "tests/store/sim/model.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace bloomery::store::sim {
namespace {

bool is_delete(CellType type) {
  return type != CellType::kPut;
}

// The columns of a family that a request names; nothing: all.
using Names = std::optional<std::set<std::string>>;

// Returns nothing for a family that is not requested.
std::optional<Names> names_of(const CellRequest& request, const std::string& family) {
  if (request.columns.empty()) {
    return Names();
  }
  std::optional<Names> names;
  for (const RequestedColumn& column : request.columns) {
    if (column.family != family) {
      continue;
    }
    if (!column.qualifier) {
      names.emplace();
    } else if (!names || !*names) {
      names = Names({*column.qualifier});
    } else {
      (*names)->insert(*column.qualifier);
    }
  }
  return names;
}

// What a row's markers of one family hide.
class Markers {
 public:
  void add(const ModelKey& marker) {
    switch (marker.type) {
      case CellType::kDeleteFamily:
        raise(family_, marker.timestamp);
        break;
      case CellType::kDeleteFamilyVersion:
        family_versions_.insert(marker.timestamp);
        break;
      case CellType::kDeleteColumn:
        raise(columns_[marker.qualifier], marker.timestamp);
        break;
      default:
        versions_.emplace(marker.qualifier, marker.timestamp);
    }
  }
  bool hide(const ModelKey& put) const {
    return hide_older(put) || family_versions_.contains(put.timestamp) ||
           versions_.contains({put.qualifier, put.timestamp});
  }
  // The put and all older ones of its column.
  bool hide_older(const ModelKey& put) const {
    const auto column = columns_.find(put.qualifier);
    return (family_ && put.timestamp <= *family_) ||
           (column != columns_.end() && put.timestamp <= *column->second);
  }

 private:
  static void raise(std::optional<std::int64_t>& time, std::int64_t to) {
    time = time ? std::max(*time, to) : to;
  }

  std::optional<std::int64_t> family_;
  std::set<std::int64_t> family_versions_;
  std::map<std::string, std::optional<std::int64_t>> columns_;
  std::set<std::pair<std::string, std::int64_t>> versions_;
};

// The question of one family of a row.
struct Asked {
  const FamilySchema* family = nullptr;
  Names names = {};
  RequestedTimes times = {};
  std::int32_t versions = 1;
  bool is_raw = false;
  std::int64_t now = 0;

  bool is_expired(std::int64_t time) const {
    return !is_raw && family->time_to_live_ms && time < now - *family->time_to_live_ms;
  }
  std::int32_t most() const { return is_raw ? versions : std::min(versions, family->versions); }
};

// Counts the versions of one column after the other.
class Counter {
 public:
  explicit Counter(const Asked& asked) : asked_(asked) {}

  bool takes(const ModelKey& key) {
    if (key.qualifier != column_) {
      column_ = key.qualifier;
      count_ = 0;
      is_done_ = false;
    }
    if (is_done_) {
      return false;
    }
    count_ += is_delete(key.type) ? 0 : 1;
    const bool is_expired = asked_.is_expired(key.timestamp);
    if (asked_.names) {
      is_done_ = count_ >= asked_.most() || (count_ >= asked_.family->min_versions && is_expired);
      return true;
    }
    is_done_ = count_ > asked_.most() || (count_ > asked_.family->min_versions && is_expired);
    return !is_done_;
  }

 private:
  const Asked& asked_;
  std::optional<std::string> column_;
  std::int32_t count_ = 0;
  bool is_done_ = false;
};

// A marker counts if a request's times may see it.
Markers markers_of(const ModelTable::Cells& cells, const Asked& asked) {
  Markers markers;
  const bool keeps = asked.family->keep_deleted != KeepDeletedCells::kFalse;
  for (const auto& [key, value] : cells) {
    if (is_delete(key.type) && (!keeps || asked.times.contains(key.timestamp))) {
      markers.add(key);
    }
  }
  return markers;
}

void read_family(const std::string& row, const ModelTable::Cells& cells, const Asked& asked,
                 std::vector<ModelCell>& found) {
  const Markers markers = markers_of(cells, asked);
  Counter counter(asked);
  for (const auto& [key, value] : cells) {
    const bool is_hidden = !asked.is_raw && (is_delete(key.type) || markers.hide(key));
    const bool is_too_old = asked.family->min_versions <= 0 && asked.is_expired(key.timestamp);
    const bool is_named = !asked.names || asked.names->contains(key.qualifier);
    if (!is_hidden && !is_too_old && is_named && asked.times.contains(key.timestamp) && counter.takes(key)) {
      found.push_back({row, asked.family->name, key.qualifier, key.timestamp, key.type, value});
    }
  }
}

std::string text_of_cells(const std::vector<ModelCell>& cells) {
  std::string text;
  for (const ModelCell& cell : cells) {
    text += text_of(
        {.key = {cell.row, cell.family, cell.qualifier, cell.timestamp, cell.type}, .value = cell.value});
  }
  return text;
}

std::vector<ModelCell> read_row(const ModelTable& table, const std::string& row, const CellRequest& request,
                                bool is_raw, std::int64_t now) {
  std::vector<ModelCell> all;
  const auto families = table.rows.find(row);
  if (families == table.rows.end()) {
    return all;
  }
  for (const auto& [name, cells] : families->second) {
    const FamilySchema* const family = table.schema.find(name);
    const auto names = names_of(request, name);
    if (family == nullptr || !names) {
      continue;
    }
    const auto times = request.family_times.find(name);
    std::vector<ModelCell> found;
    read_family(row, cells,
                {.family = family,
                 .names = *names,
                 .times = times == request.family_times.end() ? request.times : times->second,
                 .versions = request.versions,
                 .is_raw = is_raw,
                 .now = now},
                found);
    const std::size_t from = std::min<std::size_t>(request.offset_per_family, found.size());
    const std::size_t count =
        std::min<std::size_t>(request.max_per_family.value_or(found.size()), found.size() - from);
    all.insert(all.end(), found.begin() + static_cast<std::ptrdiff_t>(from),
               found.begin() + static_cast<std::ptrdiff_t>(from + count));
  }
  return all;
}

bool is_in(const ScanRequest& scan, const std::string& row) {
  const auto is_behind = [&](const std::string& bound, bool included) {
    const bool is_past = scan.is_reversed ? row < bound : row > bound;
    return is_past || (included && row == bound);
  };
  const bool is_after_start = scan.start.empty() || is_behind(scan.start, scan.includes_start);
  return is_after_start && (scan.stop.empty() || !is_behind(scan.stop, !scan.includes_stop));
}

}  // namespace

bool ModelKey::operator<(const ModelKey& other) const {
  return std::tie(qualifier, other.timestamp, other.type) < std::tie(other.qualifier, timestamp, type);
}

// Markers count if they do not have to be kept, or are too old to be kept. What follows the last version of
// a column goes with it, markers too.
ModelTable::Cells ModelTable::compacted(const Cells& cells, const FamilySchema& family, bool is_major,
                                        std::int64_t earliest_put, std::int64_t now) {
  const Asked asked{.family = &family, .now = now};
  const auto is_kept = [&](const ModelKey& marker) {
    return family.keep_deleted == KeepDeletedCells::kTrue ||
           (family.keep_deleted == KeepDeletedCells::kTtl && !asked.is_expired(marker.timestamp));
  };
  Markers markers;
  Cells left;
  std::optional<std::string> column;
  std::int32_t count = 0;
  bool is_done = false;
  for (const auto& [key, value] : cells) {
    if (column != key.qualifier) {
      column = key.qualifier;
      count = 0;
      is_done = false;
    }
    const bool is_expired = asked.is_expired(key.timestamp);
    if (is_expired && family.min_versions <= 0) {
      continue;
    }
    if (is_delete(key.type)) {
      const bool is_needed = is_kept(key);
      if (!is_needed) {
        markers.add(key);
      }
      const bool is_beyond = !deletes_family(key.type) &&
                             (count > family.versions || (is_expired && count > family.min_versions));
      if (!is_major || (is_needed && key.timestamp >= earliest_put && !is_beyond)) {
        left.emplace(key, value);
      }
      continue;
    }
    if (is_done) {
      continue;
    }
    if (markers.hide(key)) {
      is_done = markers.hide_older(key);
      continue;
    }
    ++count;
    is_done = count > family.versions || (is_expired && count > family.min_versions);
    if (!is_done) {
      left.emplace(key, value);
    }
  }
  return left;
}

void ModelTable::forget(const ModelCell& cell) {
  const auto families = rows.find(cell.row);
  if (families != rows.end()) {
    families->second[cell.family].erase({cell.qualifier, cell.timestamp, cell.type});
  }
}

std::string* ModelTable::value_of(const ModelCell& cell) {
  auto& cells = rows[cell.row][cell.family];
  const auto found = cells.find({cell.qualifier, cell.timestamp, cell.type});
  return found == cells.end() ? nullptr : &found->second;
}

void ModelTable::write(const ModelCell& cell) {
  rows[cell.row][cell.family][{cell.qualifier, cell.timestamp, cell.type}] = cell.value;
}

std::string ModelTable::get(const GetRequest& request, std::int64_t now) const {
  return text_of_cells(read_row(*this, request.row, request, false, now));
}

std::string ModelTable::scan(const ScanRequest& request, std::int64_t now) const {
  std::vector<std::string> names;
  for (const auto& [row, families] : rows) {
    if (is_in(request, row)) {
      names.push_back(row);
    }
  }
  if (request.is_reversed) {
    std::ranges::reverse(names);
  }
  std::string text;
  std::uint64_t count = 0;
  for (const std::string& row : names) {
    const std::string found = text_of_cells(read_row(*this, row, request, request.is_raw, now));
    count += found.empty() ? 0U : 1U;
    if (request.limit && count > *request.limit) {
      break;
    }
    text += found;
  }
  return text;
}

std::vector<ModelCell> ModelTable::versions_of(const std::string& row, const std::string& family,
                                               const std::string& qualifier, std::int32_t versions,
                                               std::int64_t now) const {
  CellRequest request;
  request.columns = {{.family = family, .qualifier = qualifier}};
  request.versions = versions;
  return read_row(*this, row, request, false, now);
}

std::size_t ModelTable::region_of(const std::string& row) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(splits, row) - splits.begin());
}

void take_step(Model& model, const Step& step) {
  ModelTable& table = model[step.table];
  switch (step.kind) {
    case Step::Kind::kWrite:
      for (const ModelCell& cell : step.cells) {
        table.write(cell);
      }
      break;
    case Step::Kind::kCreate:
      table = {.schema = step.schema, .splits = step.splits};
      break;
    case Step::Kind::kAlter:
      table.schema = step.schema;
      for (auto& [row, families] : table.rows) {
        std::erase_if(families, [&](const auto& each) { return step.schema.find(each.first) == nullptr; });
      }
      break;
    case Step::Kind::kTruncate:
      table.rows.clear();
      break;
    case Step::Kind::kSplit:
      table.splits.insert(table.splits.end(), step.splits.begin(), step.splits.end());
      std::ranges::sort(table.splits);
      break;
    case Step::Kind::kDrop:
      model.erase(step.table);
  }
}

std::string text_of(const Cell& cell) {
  std::string text(cell.key.row);
  text += "/" + std::string(cell.key.family) + ":" + std::string(cell.key.qualifier) + "/" +
          std::to_string(cell.key.timestamp) + "/" + std::to_string(static_cast<int>(cell.key.type)) + "=" +
          std::string(cell.value) + "\n";
  return text;
}

std::string text_of_rows(const RowResult& row) {
  std::string text;
  for (const KeptCell& kept : row.cells()) {
    text += text_of(kept.cell());
  }
  return text;
}

Result<std::string> scanned(const Table& table, const ScanRequest& request) {
  BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, table.scan(request));
  std::string text;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, scanner.next());
    if (!found) {
      return text;
    }
    text += text_of_rows(scanner.result());
  }
}

std::string text_of(const TableSchema& schema) {
  std::vector<FamilySchema> families = schema.families;
  std::ranges::sort(families, {}, &FamilySchema::name);
  std::string text;
  for (const FamilySchema& family : families) {
    text += "family " + family.name + " " + std::to_string(family.versions) + " " +
            std::to_string(family.min_versions) + " " + std::to_string(family.time_to_live_ms.value_or(-1)) +
            " " + std::to_string(static_cast<int>(family.keep_deleted)) + "\n";
  }
  return text;
}

std::string text_of(const ModelTable& table, char left_out) {
  std::string text = text_of(table.schema);
  for (const std::string& split : table.splits) {
    text += "split " + split + "\n";
  }
  for (const auto& [row, families] : table.rows) {
    if (row.front() == left_out) {
      continue;
    }
    ScanRequest all;
    all.versions = kAllVersions;
    text += text_of_cells(read_row(table, row, all, true, 0));
  }
  return text;
}

}  // namespace bloomery::store::sim
