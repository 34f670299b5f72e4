#include "tests/store/sim/compaction_check.h"

#include <algorithm>
#include <limits>
#include <map>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/reader_access.h"
#include "hfile/recognition.h"

namespace bloomery::store::sim {
namespace {

using Rows = std::map<std::string, ModelTable::Cells>;

// Adds the cells of a file. A cell of a newer file, or an earlier one of this file, stays.
Status add_file(FileSystem& files, const std::string& path, Rows& rows) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto opened, hfile::open_hfile(path, {}, {.files = &files}));
  HFileScanner scanner = hfile::ReaderAccess::reader_of(opened).scan();
  BLOOMERY_ASSIGN_OR_RETURN(bool found, scanner.seek_to_first());
  while (found) {
    const Cell cell = scanner.cell();
    rows[std::string(cell.key.row)].emplace(
        ModelKey{std::string(cell.key.qualifier), cell.key.timestamp, cell.key.type}, cell.value);
    BLOOMERY_ASSIGN_OR_RETURN(found, scanner.next());
  }
  return {};
}

Result<Rows> rows_of(FileSystem& files, std::vector<std::string> paths) {
  std::ranges::reverse(paths);  // they are from the oldest to the newest
  Rows rows;
  for (const std::string& path : paths) {
    BLOOMERY_RETURN_IF_ERROR(add_file(files, path, rows));
  }
  return rows;
}

std::int64_t earliest_put_of(const Rows& rows) {
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [row, cells] : rows) {
    for (const auto& [key, value] : cells) {
      earliest = key.type == CellType::kPut ? std::min(earliest, key.timestamp) : earliest;
    }
  }
  return earliest;
}

std::string text_of_rows(const Rows& rows) {
  std::string text;
  for (const auto& [row, cells] : rows) {
    for (const auto& [key, value] : cells) {
      text += sim::text_of({.key = {row, "", key.qualifier, key.timestamp, key.type}, .value = value});
    }
  }
  return text;
}

// What a scan of these rows answers.
std::string answer_of(const Rows& rows, const CompactionNote& note) {
  ModelTable table{.schema = {.families = {note.family}}};
  for (const auto& [row, cells] : rows) {
    table.rows[row][note.family.name] = cells;
  }
  ScanRequest all;
  all.versions = std::numeric_limits<std::int32_t>::max();
  return table.scan(all, note.now_ms);
}

}  // namespace

CheckedCompaction check_compaction(FileSystem& files, const CompactionNote& note) {
  CheckedCompaction checked{.table = note.table};
  const auto inputs = rows_of(files, note.inputs);
  const auto output = rows_of(files, {note.output});
  if (!inputs || !output) {
    checked.problem = "a file of a compaction: " + (inputs ? output : inputs).error().to_string();
    return checked;
  }
  Rows expected;
  const std::int64_t earliest = earliest_put_of(*inputs);
  for (const auto& [row, cells] : *inputs) {
    auto left = ModelTable::compacted(cells, note.family, note.is_major, earliest, note.now_ms);
    for (const auto& [key, value] : cells) {
      if (!left.contains(key)) {
        checked.dropped.push_back({row, note.family.name, key.qualifier, key.timestamp, key.type, value});
      }
    }
    if (!left.empty()) {
      expected[row] = std::move(left);
    }
  }
  const auto compare = [&](const std::string& wanted, const std::string& found) {
    if (wanted != found) {
      checked.problem = "a " + std::string(note.is_major ? "major" : "minor") + " compaction of " +
                        std::to_string(note.inputs.size()) + " files of " + note.table + ", " +
                        sim::text_of(TableSchema{.families = {note.family}}) + "\nexpected\n" + wanted +
                        "found\n" + found;
    }
  };
  compare(text_of_rows(expected), text_of_rows(*output));
  // Whatever rule says what leaves: answers stay. But deleted cells that are kept count against VERSIONS, as in
  // HBase, so that an older version may leave in their favour.
  if (note.family.keep_deleted == KeepDeletedCells::kFalse) {
    compare(answer_of(*inputs, note), answer_of(*output, note));
  }
  return checked;
}

}  // namespace bloomery::store::sim
