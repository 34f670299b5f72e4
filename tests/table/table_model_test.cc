// Random cells and questions: the table beside a model that looks at all cells of a plain vector.
//
// The same cells are laid out in 1 to 12 files with every kind of Bloom filter and encoding, so each question
// is also asked of two layouts. In a third layout some cells are in memory, beside later ones that no read
// may see. What the model does not know is asked of the layouts alone: filters of all kinds, and
// NEW_VERSION_BEHAVIOR.
//
// BLOOMERY_MODEL_QUESTIONS sets the number of questions to the model; of the two layouts alone there are a
// quarter as many. BLOOMERY_MODEL_SEED sets the first seed. A set of cells has a seed of its own.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/table/filter_language.h"
#include "bloomery/table/row_reader.h"
#include "bloomery/table/table.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"
#include "tests/table/view_source.h"

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

TableSchema random_schema(Random& random, bool may_be_new) {
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
    family.has_new_version_behavior = may_be_new && below(random, 3) == 0;
  }
  return schema;
}

// A tag of a cell's own time to live.
std::string life_tag(std::int64_t life) {
  std::string tag = {0, 9, 8};
  tag.resize(11);
  store_big(reinterpret_cast<std::byte*>(tag.data() + 3), static_cast<std::uint64_t>(life));
  return tag;
}

constexpr std::int64_t kShortLife = 5;  // outlived, as all cells are much older than now

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
    if (below(random, 12) == 0) {
      cell.tags = life_tag(below(random, 2) == 0 ? kShortLife : 10 * kNow);
    }
    cells.push_back(cell);
  }
  sort_cells(cells);
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
  options.has_tags = true;
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
  // No cache, one of a few blocks, and one of everything.
  constexpr std::uint64_t kCacheBytes[] = {0, 0, 3000, 1 << 20};
  const std::uint64_t cache_bytes = kCacheBytes[below(random, 4)];
  return Table::open_files(paths, {.now_ms = kNow,
                                   .schema = schema,
                                   .cache = cache_bytes == 0 ? nullptr : BlockCache::make(cache_bytes),
                                   .pins_filters = below(random, 2) == 0});
}

// Puts the cells into some files and one or two memstores of each family, in any distribution. The memstores
// also have cells behind the read point.
Result<Table> lay_out_with_memory(Random& random, const TestFolder& folder, const std::string& name,
                                  const std::vector<OwnedCell>& cells, const TableSchema& schema) {
  constexpr std::int64_t kReadPoint = 1000;
  const std::size_t files = below(random, 6);
  const std::size_t parts = files + 1 + below(random, 2);
  std::map<std::pair<std::string, std::size_t>, std::vector<OwnedCell>> parted;
  for (const OwnedCell& cell : cells) {
    parted[{cell.family, below(random, parts)}].push_back(cell);
  }
  for (OwnedCell& cell : random_cells(random)) {
    cell.mvcc += static_cast<std::int64_t>(kReadPoint);
    parted[{cell.family, files + below(random, parts - files)}].push_back(cell);
  }
  ViewSource::Families families;
  for (const std::string& family : kFamilies) {
    std::vector<std::string> paths;
    std::vector<MemoryPointer> memory;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<OwnedCell>& of_part = parted[{family, part}];
      if (part >= files) {
        memory.push_back(std::make_shared<const VectorCells>(of_part));
        continue;
      }
      paths.push_back(folder.path(name + family + std::to_string(part)));
      HFileWriteOptions options = random_options(random, static_cast<std::int64_t>(part));
      options.may_replace = true;
      BLOOMERY_RETURN_IF_ERROR(write_cells(paths.back(), options, of_part));
    }
    BLOOMERY_ASSIGN_OR_RETURN(families[family], store_of(paths, memory));
  }
  auto source =
      std::make_shared<ViewSource>(schema, std::vector<table::RegionLayout>(1), TableOptions{.now_ms = kNow});
  source->set(0, std::move(families));
  source->set_read_point(kReadPoint);
  return table::TableAccess::table_of(std::move(source));
}

std::string random_model_row(Random& random) {
  return kRows[below(random, kRows.size())] + (below(random, 4) == 0 ? "~" : "");
}

RequestedTimes random_times(Random& random) {
  const auto from = static_cast<std::int64_t>(below(random, 13));
  return {from, from + static_cast<std::int64_t>(below(random, 8))};
}

void choose_rows(Random& random, ScanRequest& request) {
  if (below(random, 2) == 0) {  // a get
    request.start = request.stop = kRows[below(random, kRows.size())];
    request.includes_stop = true;
    return;
  }
  request.is_reversed = below(random, 3) == 0;
  request.start = below(random, 2) == 0 ? random_model_row(random) : "";
  request.stop = below(random, 2) == 0 ? random_model_row(random) : "";
  request.includes_start = below(random, 3) != 0 || request.start.empty();
  request.includes_stop = below(random, 3) == 0;
  if (below(random, 4) == 0) {
    request.limit = 1 + below(random, 4);
  } else if (below(random, 4) == 0) {
    request.batch = 1 + below(random, 4);
  }
}

ScanRequest random_request(Random& random) {
  ScanRequest request;
  choose_rows(random, request);
  if (below(random, 3) == 0) {
    request.times = random_times(random);
  }
  for (const std::string& family : kFamilies) {
    if (below(random, 10) == 0) {
      request.family_times[family] = random_times(random);
    }
  }
  request.is_raw = below(random, 8) == 0;
  for (std::size_t i = below(random, 4); i > 0; --i) {
    RequestedColumn& column = request.columns.emplace_back();
    column.family = kFamilies[below(random, 2)];
    if (!request.is_raw && below(random, 4) != 0) {
      column.qualifier = kQualifiers[below(random, kQualifiers.size())];
    }
  }
  if (request.is_raw) {
    request.versions = kAllVersions;
    return request;
  }
  request.versions = below(random, 3) == 0 ? kAllVersions : static_cast<std::int32_t>(1 + below(random, 4));
  if (below(random, 5) == 0) {
    request.max_per_family = 1 + below(random, 3);
    request.offset_per_family = static_cast<std::uint32_t>(below(random, 3));
  }
  return request;
}

// A filter that decides by the cell alone, and what it keeps. Not of those that seek to a column, since HBase then
// steps over markers of the family, too.
struct CellFilter {
  Filter filter;
  std::function<bool(const OwnedCell&)> keeps;
};

CellFilter random_simple_filter(Random& random) {
  const std::string row = random_model_row(random);
  const std::string qualifier = kQualifiers[below(random, kQualifiers.size())];
  const std::string value = "v" + std::to_string(below(random, 30));
  const auto time = static_cast<std::int64_t>(below(random, 13));
  switch (below(random, 7)) {
    case 0:
      return {Filter::value(CompareOperator::kGreater, Comparator::binary(value)),
              [=](const OwnedCell& cell) { return cell.value > value; }};
    case 1:
      return {Filter::qualifier(CompareOperator::kLessOrEqual, Comparator::binary_prefix(qualifier)),
              [=](const OwnedCell& cell) { return cell.qualifier.substr(0, qualifier.size()) <= qualifier; }};
    case 2:
      return {Filter::prefix(row.substr(0, 1)),
              [=](const OwnedCell& cell) { return cell.row.starts_with(row.substr(0, 1)); }};
    case 3:
      return {Filter::row(CompareOperator::kNotEqual, Comparator::binary(row)),
              [=](const OwnedCell& cell) { return cell.row != row; }};
    case 4:
      return {Filter::family(CompareOperator::kEqual, Comparator::binary("g")),
              [](const OwnedCell& cell) { return cell.family == "g"; }};
    case 5:
      return {Filter::timestamps({time, time + 3}).value(),
              [=](const OwnedCell& cell) { return cell.timestamp == time || cell.timestamp == time + 3; }};
    default:
      return {Filter::column_range({{}, true, qualifier, true}),
              [=](const OwnedCell& cell) { return cell.qualifier <= qualifier; }};
  }
}

CellFilter random_filter(Random& random) {
  const CellFilter a = random_simple_filter(random);
  const CellFilter b = random_simple_filter(random);
  switch (below(random, 4)) {
    case 0:
      return {Filter::all({a.filter, b.filter}),
              [=](const OwnedCell& cell) { return a.keeps(cell) && b.keeps(cell); }};
    case 1:
      return {Filter::one({a.filter, b.filter}),
              [=](const OwnedCell& cell) { return a.keeps(cell) || b.keeps(cell); }};
    default:
      return a;
  }
}

// The model: it knows the rules and no order of steps.
class Model {
 public:
  Model(const std::vector<OwnedCell>& cells, const TableSchema& schema) : cells_(cells), schema_(schema) {}

  // `keeps` is the request's filter; without one it is empty.
  std::vector<std::string> ask(const ScanRequest& request,
                               const std::function<bool(const OwnedCell&)>& keeps) const;

 private:
  struct Question {
    const ScanRequest& request;
    const std::function<bool(const OwnedCell&)>& keeps;
  };

  std::vector<OwnedCell> family_cells(const std::string& row, const FamilySchema& family,
                                      const Question& question) const;
  std::vector<OwnedCell> column_cells(const std::vector<const OwnedCell*>& all, const FamilySchema& family,
                                      const std::string& qualifier, bool is_named,
                                      const Question& question) const;

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

RequestedTimes times_of(const ScanRequest& request, const FamilySchema& family) {
  const auto own = request.family_times.find(family.name);
  return own == request.family_times.end() ? request.times : own->second;
}

// The columns of a family that are asked for: nothing if the family is not, an empty set for all of them.
std::optional<std::set<std::string>> asked_columns(const ScanRequest& request, const FamilySchema& family) {
  std::optional<std::set<std::string>> asked;
  if (request.columns.empty()) {
    asked.emplace();
  }
  for (const RequestedColumn& column : request.columns) {
    if (column.family == family.name && !column.qualifier) {
      asked.emplace();
    } else if (column.family == family.name) {
      asked = asked.value_or(std::set<std::string>());
      asked->insert(*column.qualifier);
    }
  }
  return asked;
}

// Puts come newest first, and of one timestamp the one that was written last.
std::vector<OwnedCell> Model::column_cells(const std::vector<const OwnedCell*>& all,
                                           const FamilySchema& family, const std::string& qualifier,
                                           bool is_named, const Question& question) const {
  const ScanRequest& request = question.request;
  const RequestedTimes times = times_of(request, family);
  const std::int64_t oldest = family.time_to_live_ms ? kNow - *family.time_to_live_ms : 0;
  const std::int32_t most = std::min(request.versions, family.versions);
  const std::int32_t seen_most = question.keeps ? family.versions : most;
  std::vector<OwnedCell> answered;
  std::int32_t seen = 0;
  std::set<std::int64_t> counted;
  for (const OwnedCell* const cell : all) {
    const bool is_hidden = std::ranges::any_of(all, [&](const OwnedCell* marker) {
      const bool counts = family.keep_deleted == KeepDeletedCells::kFalse ? marker->timestamp >= times.from
                                                                          : times.contains(marker->timestamp);
      const bool is_alive = family.min_versions > 0 || marker->timestamp >= oldest;
      return is_delete(*marker) && counts && is_alive && hides(*marker, *cell);
    });
    const bool is_expired = cell->timestamp < oldest;
    if (is_delete(*cell) || cell->qualifier != qualifier || is_hidden || !times.contains(cell->timestamp) ||
        (is_expired && family.min_versions == 0) || !counted.insert(cell->timestamp).second) {
      continue;
    }
    ++seen;
    // A named column still answers one expired version where the least number is reached.
    if (seen > seen_most || (is_expired && seen > family.min_versions && !is_named)) {
      break;
    }
    if ((!question.keeps || question.keeps(*cell)) && static_cast<std::int32_t>(answered.size()) < most) {
      answered.push_back(*cell);
    }
    if (is_named && is_expired && seen >= family.min_versions) {
      break;
    }
  }
  return answered;
}

std::vector<OwnedCell> Model::family_cells(const std::string& row, const FamilySchema& family,
                                           const Question& question) const {
  const ScanRequest& request = question.request;
  std::vector<const OwnedCell*> all;
  for (const OwnedCell& cell : cells_) {
    if (cell.row == row && cell.family == family.name && cell.tags != life_tag(kShortLife)) {
      all.push_back(&cell);
    }
  }
  std::vector<OwnedCell> answered;
  const auto named = asked_columns(request, family);
  if (!named) {
    return {};
  }
  if (request.is_raw) {
    std::set<std::tuple<std::string, std::int64_t, CellType>> keys;
    for (const OwnedCell* const cell : all) {
      if (times_of(request, family).contains(cell->timestamp) &&
          keys.insert({cell->qualifier, cell->timestamp, cell->type}).second) {
        answered.push_back(*cell);
      }
    }
    return answered;
  }
  for (const std::string& qualifier : kQualifiers) {
    if (named->empty() || named->contains(qualifier)) {
      const auto column = column_cells(all, family, qualifier, !named->empty(), question);
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

std::vector<std::string> Model::ask(const ScanRequest& request,
                                    const std::function<bool(const OwnedCell&)>& keeps) const {
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
      for (const OwnedCell& cell : family_cells(row, family, {request, keeps})) {
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

std::vector<std::string> texts_of(const RowResult& result) {
  std::vector<std::string> texts;
  for (const KeptCell& kept : result.cells()) {
    texts.push_back(text_of(kept.cell()));
  }
  return texts;
}

// The reader of rows, asked for one row and for many at a time, beside scans of one row each, which read all files
// that they do not skip at once.
void expect_same_rows(const Table& table, const ScanRequest& request, const std::string& what) {
  if (request.is_raw || request.is_reversed || request.limit || request.batch) {
    return;
  }
  auto reader = RowReader::make(table, request);
  ASSERT_TRUE(reader) << what << reader.error().to_string();
  std::vector<std::string_view> rows(kRows.begin(), kRows.end());
  rows.push_back("a~");
  rows.push_back("a");  // twice
  std::vector<RowResult> together;
  const Status got = reader->get(rows, together);
  ASSERT_TRUE(got) << what << got.error().to_string();
  ASSERT_EQ(together.size(), rows.size());
  RowResult alone;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ScanRequest one_row = request;
    one_row.start = one_row.stop = std::string(rows[i]);
    one_row.includes_start = one_row.includes_stop = true;
    const std::vector<std::string> expected = answer_of(table, one_row);
    ASSERT_EQ(texts_of(together[i]), expected) << what << ", row " << rows[i] << " of many";
    const auto found = reader->get(rows[i], alone);
    ASSERT_TRUE(found) << what << found.error().to_string();
    ASSERT_EQ(*found, !expected.empty());
    ASSERT_EQ(texts_of(alone), expected) << what << ", row " << rows[i];
  }
}

std::string text_of(const ScanRequest& request) {
  std::string text =
      "start " + request.start + (request.includes_start ? "" : " excluded") + ", stop " + request.stop +
      (request.includes_stop ? " included" : "") + (request.is_reversed ? ", reversed" : "") +
      (request.is_raw ? ", raw" : "") + ", versions " + std::to_string(request.versions) + ", from " +
      std::to_string(request.times.from) + " to " + std::to_string(request.times.to.value_or(-1));
  for (const RequestedColumn& column : request.columns) {
    text += ", " + column.family + ":" + column.qualifier.value_or("*");
  }
  const auto add = [&](const char* name, std::uint64_t value) {
    text += value == 0 ? "" : std::string(name) + std::to_string(value);
  };
  add(", limit ", request.limit.value_or(0));
  add(", batch ", request.batch.value_or(0));
  add(", most of a family ", request.max_per_family.value_or(0));
  add(", offset ", request.offset_per_family);
  for (const auto& [family, times] : request.family_times) {
    text += ", " + family + " from " + std::to_string(times.from) + " to " + std::to_string(*times.to);
  }
  return text + (request.filter ? ", " + request.filter->to_string() : "");
}

std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::stoul(text) : otherwise;
}

// Sets of cells, each with a seed of its own and in two layouts, and how many questions each is asked.
class Sets {
 public:
  explicit Sets(std::size_t share)
      : is_long_(std::getenv("BLOOMERY_MODEL_QUESTIONS") != nullptr),
        questions_(number_of("BLOOMERY_MODEL_QUESTIONS", 2000) / share),
        first_seed_(number_of("BLOOMERY_MODEL_SEED", 1)) {}

  std::size_t of_a_set() const { return is_long_ ? kQuestionsOfALongRun : kQuestionsOfASet; }
  std::size_t first_seed() const { return first_seed_; }
  std::size_t end_seed() const { return first_seed_ + (questions_ + of_a_set() - 1) / of_a_set(); }
  void say(const char* of) const {
    if (is_long_) {
      std::cout << (end_seed() - first_seed_) * of_a_set() << " questions " << of << ", seeds " << first_seed_
                << " to " << end_seed() - 1 << "\n";
    }
  }

 private:
  bool is_long_;
  std::size_t questions_;
  std::size_t first_seed_;
};

TEST(TableModel, RandomQuestionsAreAnsweredAsByAPlainVector) {
  const Sets sets(1);
  const TestFolder folder;
  for (std::size_t seed = sets.first_seed(); seed < sets.end_seed(); ++seed) {
    Random random(seed);
    const TableSchema schema = random_schema(random, false);
    const std::vector<OwnedCell> cells = random_cells(random);
    const auto one = lay_out(random, folder, "one", cells, schema);
    const auto other = lay_out(random, folder, "other", cells, schema);
    ASSERT_TRUE(one) << one.error().to_string();
    ASSERT_TRUE(other) << other.error().to_string();
    const auto mixed = lay_out_with_memory(random, folder, "mixed", cells, schema);
    ASSERT_TRUE(mixed) << mixed.error().to_string();
    const Model model(cells, schema);
    for (std::size_t i = 0; i < sets.of_a_set(); ++i) {
      ScanRequest request = random_request(random);
      std::function<bool(const OwnedCell&)> keeps;
      if (!request.is_raw && below(random, 2) == 0) {
        CellFilter filter = random_filter(random);
        request.filter = filter.filter;
        keeps = filter.keeps;
      }
      const std::vector<std::string> expected = model.ask(request, keeps);
      ASSERT_EQ(answer_of(*one, request), expected)
          << "seed " << seed << ", " << i << ": " << text_of(request);
      ASSERT_EQ(answer_of(*other, request), expected)
          << "seed " << seed << ", " << i << ": " << text_of(request);
      ASSERT_EQ(answer_of(*mixed, request), expected)
          << "in memory, seed " << seed << ", " << i << ": " << text_of(request);
      if (i % 4 == 0) {
        expect_same_rows(*one, request, "seed " + std::to_string(seed) + ", " + text_of(request));
        expect_same_rows(*mixed, request,
                         "in memory, seed " + std::to_string(seed) + ", " + text_of(request));
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
  sets.say("to the model");
}

// Filters of all kinds; those with a memory, too.
std::string random_filter_text(Random& random) {
  const std::vector<std::string> filters = {
      "KeyOnlyFilter(true)",
      "FirstKeyOnlyFilter()",
      "PrefixFilter('b')",
      "ColumnPrefixFilter('q')",
      "MultipleColumnPrefixFilter('p', 'qq')",
      "ColumnCountGetFilter(2)",
      "PageFilter(2)",
      "ColumnPaginationFilter(2, 1)",
      "InclusiveStopFilter('ba')",
      "TimestampsFilter(3, 5, 8)",
      "RowFilter(>=, 'binary:b')",
      "FamilyFilter(=, 'binary:f')",
      "QualifierFilter(<, 'binaryprefix:q')",
      "ValueFilter(!=, 'substring:1')",
      "ColumnRangeFilter('p', false, 'qq', true)",
      "SingleColumnValueFilter('f', 'p', >, 'binary:v2')",
      "SingleColumnValueFilter('g', 'q', <, 'binary:v2', true, false)",
      "SingleColumnValueExcludeFilter('f', 'q', !=, 'binary:v1')",
      "DependentColumnFilter('f', 'q')",
      "DependentColumnFilter('g', 'p', true, >, 'binary:v1')",
      "ColumnValueFilter('f', 'p', <=, 'binary:v2')",
      "FuzzyRowFilter('a', '0')",
      "MultiRowRangeFilter('a', false, 'b', true, 'c', true, 'd', false)",
  };
  std::string text;
  for (std::size_t i = below(random, 3) + 1; i > 0; --i) {
    text += below(random, 8) == 0 ? "WHILE " : "";
    text += filters[below(random, filters.size())];
    text += i == 1 ? "" : below(random, 2) == 0 ? " AND " : " OR ";
  }
  return text;
}

TEST(TableModel, EveryLayoutOfTheSameCellsGivesTheSameAnswers) {
  const Sets sets(4);
  const TestFolder folder;
  for (std::size_t seed = sets.first_seed(); seed < sets.end_seed(); ++seed) {
    Random random(seed);
    const TableSchema schema = random_schema(random, true);
    const bool is_new = std::ranges::any_of(schema.families, &FamilySchema::has_new_version_behavior);
    const std::vector<OwnedCell> cells = random_cells(random);
    const auto one = lay_out(random, folder, "one", cells, schema);
    const auto other = lay_out(random, folder, "other", cells, schema);
    ASSERT_TRUE(one) << one.error().to_string();
    ASSERT_TRUE(other) << other.error().to_string();
    const auto mixed = lay_out_with_memory(random, folder, "mixed", cells, schema);
    ASSERT_TRUE(mixed) << mixed.error().to_string();
    for (std::size_t i = 0; i < sets.of_a_set(); ++i) {
      ScanRequest request = random_request(random);
      request.filter = parse_filter(random_filter_text(random)).value();
      if (is_new) {  // its versions count outside of the times as well, but not those in files that are left out
        request.times = {};
        request.family_times.clear();
      }
      const std::vector<std::string> answered = answer_of(*one, request);
      ASSERT_EQ(answered, answer_of(*other, request))
          << "seed " << seed << ", " << i << ": " << text_of(request);
      ASSERT_EQ(answered, answer_of(*mixed, request))
          << "in memory, seed " << seed << ", " << i << ": " << text_of(request);
      if (i % 4 == 0) {
        expect_same_rows(*one, request, "seed " + std::to_string(seed) + ", " + text_of(request));
        expect_same_rows(*mixed, request,
                         "in memory, seed " + std::to_string(seed) + ", " + text_of(request));
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
  sets.say("to two layouts");
}

}  // namespace
}  // namespace bloomery
