// Random cells and questions: the table beside a model that looks at all cells of a plain vector.
//
// The same cells are laid out in 1 to 12 files with every kind of Bloom filter and encoding, so each question
// is also asked of two layouts. BLOOMERY_MODEL_QUESTIONS sets the number of questions.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/table/table.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

constexpr std::int64_t kNow = 1000;
constexpr std::size_t kQuestionsOfASet = 200;
constexpr std::size_t kQuestionsOfALongRun = 2000;  // of a set; writing its files takes longer than asking

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t end) {
  return random() % end;
}

const std::vector<std::string> kRows = {"a", "aa", "b", std::string("b\0", 2), "ba", "c", "\xff", "\xff\xff"};
const std::vector<std::string> kQualifiers = {"", "p", "q", "qq", "r"};
const std::vector<std::string> kFamilies = {"f", "g"};

TableSchema random_schema(Random& random) {
  TableSchema schema;
  for (const std::string& name : kFamilies) {
    FamilySchema& family = schema.families.emplace_back();
    family.name = name;
    family.versions = static_cast<std::int32_t>(1 + below(random, 4));
    if (below(random, 3) == 0) {
      family.time_to_live_ms = kNow - 8;
      family.min_versions = static_cast<std::int32_t>(below(random, 3));
    }
    family.keep_deleted = static_cast<KeepDeletedCells>(below(random, 3));
    family.uses_bloom_filters = below(random, 4) != 0;
  }
  return schema;
}

// Markers of families have no qualifier, and puts are the most.
std::vector<OwnedCell> random_cells(Random& random) {
  std::vector<OwnedCell> cells;
  const std::size_t count = 20 + below(random, 150);
  for (std::size_t i = 0; i < count; ++i) {
    OwnedCell cell{.row = kRows[below(random, kRows.size())],
                   .family = kFamilies[below(random, kFamilies.size())],
                   .qualifier = kQualifiers[below(random, kQualifiers.size())],
                   .timestamp = static_cast<std::int64_t>(1 + below(random, 12)),
                   .value = "v" + std::to_string(below(random, 30)),
                   .mvcc = static_cast<std::int64_t>(i + 1)};
    constexpr CellType kMarkers[] = {CellType::kDelete, CellType::kDeleteColumn, CellType::kDeleteFamily,
                                     CellType::kDeleteFamilyVersion};
    if (below(random, 5) == 0) {
      cell.type = kMarkers[below(random, 4)];
      cell.value.clear();
      if (cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteFamilyVersion) {
        cell.qualifier.clear();
      }
    }
    cells.push_back(cell);
  }
  std::ranges::sort(cells, [](const OwnedCell& a, const OwnedCell& b) {
    const auto keys = a.key() <=> b.key();
    return std::is_neq(keys) ? std::is_lt(keys) : a.mvcc > b.mvcc;
  });
  return cells;
}

HFileWriteOptions random_options(Random& random, std::int64_t sequence) {
  HFileWriteOptions options;
  constexpr hfile::DataEncoding kEncodings[] = {hfile::DataEncoding::kNone, hfile::DataEncoding::kPrefix,
                                                hfile::DataEncoding::kDiff, hfile::DataEncoding::kFastDiff,
                                                hfile::DataEncoding::kRowIndexV1};
  options.encoding = kEncodings[below(random, 5)];
  options.bloom.type = static_cast<hfile::BloomType>(below(random, 4));
  options.bloom.prefix_bytes = options.bloom.type == hfile::BloomType::kRowPrefix ? 1 : 0;
  options.block_bytes = below(random, 2) == 0 ? 64 : 65536;
  options.max_sequence_id = sequence;
  return options;
}

// Writes the cells into some files of each family, in any distribution, and opens them as a table.
Result<Table> lay_out(Random& random, const TestFolder& folder, const std::string& name,
                      const std::vector<OwnedCell>& cells, const TableSchema& schema) {
  const std::size_t count = 1 + below(random, 12);
  std::map<std::pair<std::string, std::size_t>, std::vector<OwnedCell>> files;
  for (const OwnedCell& cell : cells) {
    files[{cell.family, below(random, count)}].push_back(cell);
  }
  std::vector<std::string> paths;
  for (const auto& [key, of_file] : files) {
    paths.push_back(folder.path(name + key.first + std::to_string(key.second)));
    HFileWriteOptions options = random_options(random, static_cast<std::int64_t>(key.second));
    options.may_replace = true;
    BLOOMERY_RETURN_IF_ERROR(write_cells(paths.back(), options, of_file));
  }
  return Table::open_files(paths, {.now_ms = kNow, .schema = schema});
}

ScanRequest random_request(Random& random) {
  ScanRequest request;
  const auto row = [&] { return kRows[below(random, kRows.size())] + (below(random, 4) == 0 ? "~" : ""); };
  if (below(random, 2) == 0) {  // a get
    request.start = request.stop = kRows[below(random, kRows.size())];
    request.includes_stop = true;
  } else {
    request.is_reversed = below(random, 3) == 0;
    request.start = below(random, 2) == 0 ? row() : "";
    request.stop = below(random, 2) == 0 ? row() : "";
    request.includes_start = below(random, 3) != 0;
    request.includes_stop = below(random, 3) == 0;
    if (below(random, 4) == 0) {
      request.limit = 1 + below(random, 4);
    }
  }
  request.includes_start = request.includes_start || request.start.empty();
  request.versions = below(random, 3) == 0 ? kAllVersions : static_cast<std::int32_t>(1 + below(random, 4));
  request.is_raw = below(random, 8) == 0;
  if (request.is_raw) {
    request.versions = kAllVersions;
    return request;
  }
  for (std::size_t i = below(random, 4); i > 0; --i) {
    request.columns.push_back({kFamilies[below(random, 2)], kQualifiers[below(random, kQualifiers.size())]});
  }
  if (below(random, 3) == 0) {
    request.times.from = static_cast<std::int64_t>(below(random, 13));
    request.times.to = request.times.from + static_cast<std::int64_t>(below(random, 8));
  }
  if (below(random, 5) == 0) {
    request.max_per_family = 1 + below(random, 3);
    request.offset_per_family = static_cast<std::uint32_t>(below(random, 3));
  }
  switch (below(random, 6)) {
    case 0:
      request.filter = Filter::value(CompareOperator::kGreater, Comparator::binary("v2"));
      break;
    case 1:
      request.filter = Filter::qualifier(CompareOperator::kLessOrEqual, Comparator::binary_prefix("q"));
      break;
    case 2:
      request.filter = Filter::prefix("b");
      break;
    default:
      break;
  }
  return request;
}

// The model: it knows the rules and no order of steps.
class Model {
 public:
  Model(const std::vector<OwnedCell>& cells, const TableSchema& schema) : cells_(cells), schema_(schema) {}

  std::vector<std::string> ask(const ScanRequest& request) const;

 private:
  std::vector<OwnedCell> family_cells(const std::string& row, const FamilySchema& family,
                                      const ScanRequest& request) const;
  std::vector<OwnedCell> column_cells(const std::vector<const OwnedCell*>& all, const FamilySchema& family,
                                      const std::string& qualifier, bool is_named,
                                      const ScanRequest& request) const;

  const std::vector<OwnedCell>& cells_;
  const TableSchema& schema_;
};

bool is_delete(const OwnedCell& cell) {
  return cell.type != CellType::kPut;
}

bool hides(const OwnedCell& marker, const OwnedCell& put) {
  switch (marker.type) {
    case CellType::kDeleteFamily:
      return marker.timestamp >= put.timestamp;
    case CellType::kDeleteFamilyVersion:
      return marker.timestamp == put.timestamp;
    case CellType::kDeleteColumn:
      return marker.qualifier == put.qualifier && marker.timestamp >= put.timestamp;
    default:
      return marker.qualifier == put.qualifier && marker.timestamp == put.timestamp;
  }
}

bool passes(const ScanRequest& request, const OwnedCell& cell) {
  if (!request.filter) {
    return true;
  }
  const std::string text = request.filter->to_string();
  return text.starts_with("Value")       ? cell.value > "v2"
         : text.starts_with("Qualifier") ? cell.qualifier.substr(0, 1) <= "q"
                                         : cell.row.starts_with("b");
}

// Puts come newest first, and of one timestamp the one that was written last.
std::vector<OwnedCell> Model::column_cells(const std::vector<const OwnedCell*>& all,
                                           const FamilySchema& family, const std::string& qualifier,
                                           bool is_named, const ScanRequest& request) const {
  const std::int64_t oldest = family.time_to_live_ms ? kNow - *family.time_to_live_ms : 0;
  const std::int32_t most = std::min(request.versions, family.versions);
  const std::int32_t seen_most = request.filter ? family.versions : most;
  std::vector<OwnedCell> answered;
  std::int32_t seen = 0;
  std::set<std::int64_t> times;
  for (const OwnedCell* const cell : all) {
    const bool is_hidden = std::ranges::any_of(all, [&](const OwnedCell* marker) {
      const bool counts = family.keep_deleted == KeepDeletedCells::kFalse
                              ? marker->timestamp >= request.times.from
                              : request.times.contains(marker->timestamp);
      const bool is_alive = family.min_versions > 0 || marker->timestamp >= oldest;
      return is_delete(*marker) && counts && is_alive && hides(*marker, *cell);
    });
    const bool is_expired = cell->timestamp < oldest;
    if (is_delete(*cell) || cell->qualifier != qualifier || is_hidden ||
        !request.times.contains(cell->timestamp) || (is_expired && family.min_versions == 0) ||
        !times.insert(cell->timestamp).second) {
      continue;
    }
    ++seen;
    // A named column still answers one expired version where the least number is reached.
    if (seen > seen_most || (is_expired && seen > family.min_versions && !is_named)) {
      break;
    }
    if (passes(request, *cell) && static_cast<std::int32_t>(answered.size()) < most) {
      answered.push_back(*cell);
    }
    if (is_named && is_expired && seen >= family.min_versions) {
      break;
    }
  }
  return answered;
}

std::vector<OwnedCell> Model::family_cells(const std::string& row, const FamilySchema& family,
                                           const ScanRequest& request) const {
  std::vector<const OwnedCell*> all;
  for (const OwnedCell& cell : cells_) {
    if (cell.row == row && cell.family == family.name) {
      all.push_back(&cell);
    }
  }
  std::vector<OwnedCell> answered;
  if (request.is_raw) {
    std::set<std::tuple<std::string, std::int64_t, CellType>> keys;
    for (const OwnedCell* const cell : all) {
      if (keys.insert({cell->qualifier, cell->timestamp, cell->type}).second) {
        answered.push_back(*cell);
      }
    }
    return answered;
  }
  std::set<std::string> named;
  for (const RequestedColumn& column : request.columns) {
    if (column.family == family.name) {
      named.insert(*column.qualifier);
    }
  }
  const bool is_named = !named.empty();
  if (!request.columns.empty() && !is_named) {
    return {};
  }
  for (const std::string& qualifier : kQualifiers) {
    if (!is_named || named.contains(qualifier)) {
      const auto column = column_cells(all, family, qualifier, is_named, request);
      answered.insert(answered.end(), column.begin(), column.end());
    }
  }
  const std::size_t offset = std::min<std::size_t>(request.offset_per_family, answered.size());
  answered.erase(answered.begin(), answered.begin() + static_cast<std::ptrdiff_t>(offset));
  if (request.max_per_family && answered.size() > *request.max_per_family) {
    answered.resize(*request.max_per_family);
  }
  return answered;
}

std::string text_of(const Cell& cell) {
  return std::string(cell.key.row) + "/" + std::string(cell.key.family) + ":" +
         std::string(cell.key.qualifier) + "/" + std::to_string(cell.key.timestamp) + "/" +
         cell_type_name(cell.key.type) + "/" + std::string(cell.value);
}

std::vector<std::string> Model::ask(const ScanRequest& request) const {
  std::vector<std::string> rows = kRows;
  std::ranges::sort(rows);
  if (request.is_reversed) {
    std::ranges::reverse(rows);
  }
  std::vector<std::string> answered;
  std::uint64_t count = 0;
  for (const std::string& row : rows) {
    const bool is_before = request.is_reversed && !request.start.empty()
                               ? row > request.start
                               : !request.is_reversed && row < request.start;
    const bool is_behind =
        !request.stop.empty() && (request.is_reversed ? row < request.stop : row > request.stop);
    if (is_before || is_behind || (row == request.start && !request.includes_start) ||
        (!request.stop.empty() && row == request.stop && !request.includes_stop) ||
        (request.limit && count == *request.limit)) {
      continue;
    }
    const std::size_t before = answered.size();
    for (const FamilySchema& family : schema_.families) {
      for (const OwnedCell& cell : family_cells(row, family, request)) {
        answered.push_back(text_of(cell.cell()));
      }
    }
    count += answered.size() == before ? 0U : 1U;
  }
  return answered;
}

std::vector<std::string> answer_of(const Table& table, const ScanRequest& request) {
  std::vector<std::string> answered;
  auto scanner = table.scan(request);
  if (!scanner) {
    return {scanner.error().to_string()};
  }
  Result<bool> found = scanner->next();
  for (; found && *found; found = scanner->next()) {
    for (const KeptCell& kept : scanner->result().cells()) {
      answered.push_back(text_of(kept.cell()));
    }
  }
  if (!found) {
    answered.push_back(found.error().to_string());
  }
  return answered;
}

std::string text_of(const ScanRequest& request) {
  std::string text =
      "start " + request.start + (request.includes_start ? "" : " excluded") + ", stop " + request.stop +
      (request.includes_stop ? " included" : "") + (request.is_reversed ? ", reversed" : "") +
      (request.is_raw ? ", raw" : "") + ", versions " + std::to_string(request.versions) + ", from " +
      std::to_string(request.times.from) + " to " + std::to_string(request.times.to.value_or(-1));
  for (const RequestedColumn& column : request.columns) {
    text += ", " + column.family + ":" + *column.qualifier;
  }
  return text + (request.filter ? ", " + request.filter->to_string() : "");
}

TEST(TableModel, RandomQuestionsAreAnsweredAsByAPlainVector) {
  const char* const asked = std::getenv("BLOOMERY_MODEL_QUESTIONS");
  const std::size_t questions = asked != nullptr ? std::stoul(asked) : 2000;
  const std::size_t of_a_set = asked != nullptr ? kQuestionsOfALongRun : kQuestionsOfASet;
  const TestFolder folder;
  for (std::size_t done = 0, seed = 1; done < questions; done += of_a_set, ++seed) {
    Random random(seed);
    const TableSchema schema = random_schema(random);
    const std::vector<OwnedCell> cells = random_cells(random);
    const auto one = lay_out(random, folder, "one", cells, schema);
    const auto other = lay_out(random, folder, "other", cells, schema);
    ASSERT_TRUE(one) << one.error().to_string();
    ASSERT_TRUE(other) << other.error().to_string();
    const Model model(cells, schema);
    for (std::size_t i = 0; i < of_a_set; ++i) {
      const ScanRequest request = random_request(random);
      const std::vector<std::string> expected = model.ask(request);
      ASSERT_EQ(answer_of(*one, request), expected)
          << "seed " << seed << ", " << i << ": " << text_of(request);
      ASSERT_EQ(answer_of(*other, request), expected)
          << "seed " << seed << ", " << i << ": " << text_of(request);
    }
  }
}

}  // namespace
}  // namespace bloomery
