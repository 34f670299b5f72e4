#include "bloomery/table/table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/message.h"
#include "hfile/read_log.h"
#include "table/file_notes.h"
#include "table/layout/root_directory.h"
#include "table/layout/table_layout.h"
#include "table/logs/log_edits.h"
#include "table/read/file_choice.h"
#include "table/read/region_scanner.h"
#include "table/row_gets.h"
#include "table/table_files.h"
#include "table/table_source.h"

namespace bloomery {
namespace table {

// Implements TableScanner: reads the regions of a scan one after the other. With a live source
// (table_source.h) the scan is a snapshot of the time when it was made.
class TableScan {
 public:
  TableScan(std::shared_ptr<const TableSource> files, ScanRequest request,
            std::vector<FamilyQuestion> questions)
      : files_(std::move(files)),
        request_(std::move(request)),
        questions_(std::move(questions)),
        mob_(files_->layout().root ? &*files_->layout().root : nullptr, files_->layout().name,
             files_->options().memory),
        regions_(regions_of()) {
    place_.of_regions = regions_.size();
    if (files_->is_live()) {
      pin_stores();
    }
  }

  Result<bool> next();
  RowResult& result() { return result_; }
  const std::vector<SkippedRows>& skipped() const { return skipped_; }
  const std::vector<FileOfScan>& files() const { return read_files_; }

 private:
  // The stores of a region, one for each question, and the version of the region that they are of.
  struct Pinned {
    std::optional<std::uint64_t> version = {};
    std::vector<Result<StorePointer>> stores = {};
  };

  std::vector<std::size_t> regions_of() const;
  RowSpan span_of(const RegionInfo& region) const;
  void pin_stores();
  Status open_region();
  Result<std::vector<RegionScanner::Store>> open_stores(std::size_t region, const RowSpan& span);
  void note_files(const RegionLayout& region, const std::string& family, const OpenStore& store,
                  const std::vector<FileChoice>& choices);
  ScanOptions options();
  Result<bool> read_next();

  std::shared_ptr<const TableSource> files_;
  ScanRequest request_;
  std::vector<FamilyQuestion> questions_;
  MobValues mob_;
  std::vector<std::size_t> regions_;  // regions still to be read, the next one last
  std::vector<Pinned> pinned_;        // those of regions_, if the source is live
  std::unique_ptr<RegionScanner> region_;
  RowResult result_;
  std::uint64_t rows_ = 0;
  bool has_rows_of_region_ = false;
  ScanPlace place_;
  std::vector<SkippedRows> skipped_;
  std::vector<FileOfScan> read_files_;
  std::vector<StoreFilePointer> noted_;  // the open file of each read_files_ element
  std::optional<Error> error_;
};

// Returns the regions with rows of the scan, in the reverse of the order in which they are read.
std::vector<std::size_t> TableScan::regions_of() const {
  const std::string& first = request_.is_reversed ? request_.stop : request_.start;
  const std::string& last = request_.is_reversed ? request_.start : request_.stop;
  const auto& regions = files_->layout().regions;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const RegionInfo& region = regions[i].info;
    if ((region.end.empty() || first < region.end) && (last.empty() || region.start <= last)) {
      wanted.push_back(i);
    }
  }
  if (!request_.is_reversed) {
    std::ranges::reverse(wanted);
  }
  return wanted;
}

// Takes the stores of all regions, and a read point of which they have all cells.
void TableScan::pin_stores() {
  pinned_.resize(regions_.size());
  std::uint64_t read_point = 0;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    read_point = files_->read_point();
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const std::uint64_t version = files_->version(regions_[i]);
      if (pinned_[i].version == version) {
        continue;
      }
      has_changed = true;
      pinned_[i] = {.version = version};
      for (const FamilyQuestion& question : questions_) {
        pinned_[i].stores.push_back(files_->store(regions_[i], question.family->name));
      }
    }
  }
  for (FamilyQuestion& question : questions_) {
    question.read_point = read_point;
  }
}

// Returns the rows of the scan, of which the first one is clipped to the region.
RowSpan TableScan::span_of(const RegionInfo& region) const {
  RowSpan span{.start = {request_.start, request_.includes_start || request_.start.empty()},
               .stop = request_.stop,
               .includes_stop = request_.includes_stop,
               .is_reversed = request_.is_reversed};
  if (!request_.is_reversed && span.start.row < region.start) {
    span.start = {region.start, true};
  }
  if (request_.is_reversed && !region.end.empty() &&
      (span.start.row.empty() || span.start.row >= region.end)) {
    span.start = {region.end, false};
  }
  return span;
}

void TableScan::note_files(const RegionLayout& region, const std::string& family, const OpenStore& store,
                           const std::vector<FileChoice>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    FileOfScan& noted = read_files_.emplace_back(file_of_scan(region.name, family, *store.files[i]));
    noted.skipped_by = choices[i].skipped_by;
    noted.reason = choices[i].reason;
    noted_.push_back(store.files[i]);
  }
}

// Opens the families of the region, and chooses the files of each.
Result<std::vector<RegionScanner::Store>> TableScan::open_stores(std::size_t region, const RowSpan& span) {
  std::vector<RegionScanner::Store> stores;
  Pinned pinned;
  if (!pinned_.empty()) {
    pinned = std::move(pinned_.back());
    pinned_.pop_back();
  }
  for (const FamilyQuestion& question : questions_) {
    const std::string& family = question.family->name;
    BLOOMERY_ASSIGN_OR_RETURN(
        auto store, pinned.stores.empty() ? files_->store(region, family) : pinned.stores[stores.size()]);
    const auto choices =
        choose_files(*store, question, span, request_.notes_files ? ExplainSkips::kYes : ExplainSkips::kNo);
    if (request_.notes_files) {
      note_files(files_->layout().regions[region], family, *store, choices);
    }
    auto files = files_to_read(*store, choices);
    stores.push_back({&question, std::move(store), std::move(files)});
  }
  return stores;
}

ScanOptions TableScan::options() {
  ScanOptions options{.batch = request_.batch};
  if (request_.skips_damage) {
    options.skipped = &skipped_;
  }
  if (request_.watch) {
    options.before_row = [this] {
      ++place_.rows;
      return request_.watch(place_);
    };
  }
  return options;
}

// Starts the next region. If damage prevents a file from being opened and the scan skips damage, the scan's
// rows of the region count as skipped.
Status TableScan::open_region() {
  const std::size_t region = regions_.back();
  regions_.pop_back();
  ++place_.regions;
  const RegionInfo& info = files_->layout().regions[region].info;
  const RowSpan span = span_of(info);
  has_rows_of_region_ = false;
  const auto stores = open_stores(region, span);
  if (!stores && request_.skips_damage && is_damage(stores.error())) {
    RowGap gap{.first = info.start, .end = info.end, .error = stores.error()};
    clip(gap, {.row = span.start.row, .is_reversed = span.is_reversed});
    skipped_.push_back(skipped_rows(gap, span));
    return {};
  }
  if (!stores) {
    return stores.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(region_, RegionScanner::start(*stores, request_.filter, span, options(), mob_));
  return {};
}

// Reads the next result. If the filter ends a region from which no row was returned, the entire scan ends, as
// in HBase's client.
inline Result<bool> TableScan::read_next() {
  while (!request_.limit || rows_ < *request_.limit) {
    if (region_ == nullptr) {
      if (regions_.empty()) {
        return false;
      }
      BLOOMERY_RETURN_IF_ERROR(open_region());
      if (region_ == nullptr) {
        continue;
      }
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, region_->next(result_));
    if (found) {
      has_rows_of_region_ = true;
      rows_ += region_->is_partial() ? 0U : 1U;
      return true;
    }
    if (!has_rows_of_region_ && region_->is_filter_done()) {
      regions_.clear();
    }
    region_.reset();
  }
  return false;
}

Result<bool> TableScan::next() {
  if (error_) {
    return *error_;
  }
  std::optional<hfile::ReadLog> log;
  if (request_.notes_files) {
    log.emplace();
  }
  auto found = read_next();
  for (std::size_t i = 0; log && i < noted_.size(); ++i) {
    if (noted_[i]->file != nullptr) {
      add_blocks(read_files_[i].blocks, *noted_[i]->file, *log);
    }
  }
  if (!found) {
    error_ = found.error();
  }
  return found;
}

namespace {

// Refuses requests that HBase refuses.
Status check_scan(const ScanRequest& request, const std::vector<FamilyQuestion>& questions) {
  if (request.batch && *request.batch == 0) {
    return Error::invalid_argument("batch", "expected 1 cell at least, found 0");
  }
  if (!request.filter) {
    return {};
  }
  const FilterForm& filter = request.filter->form();
  if (request.batch && filter.has_row_filter()) {
    return Error::invalid_argument("batch", message("expected a filter that does not need whole rows, found ",
                                                    request.filter->to_string()));
  }
  const bool leaves_families = std::ranges::any_of(
      questions, [&](const FamilyQuestion& question) { return !filter.is_essential(question.family->name); });
  if (request.is_reversed && leaves_families) {
    return Error(
        ErrorCode::kUnsupported, "reversed scan",
        message("expected a filter that needs all families that are asked for, as HBase does, found ",
                request.filter->to_string()));
  }
  return {};
}

Result<std::unique_ptr<TableScan>> start_scan(std::shared_ptr<const TableSource> files, ScanRequest request) {
  if (!files->layout().faults.empty()) {
    return files->layout().faults.front();
  }
  for (const std::string* const row : {&request.start, &request.stop}) {
    if (row->size() > kLongestRow) {
      return Error::invalid_argument(
          "row", message("expected at most ", kLongestRow, " bytes, found ", row->size()));
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto questions,
                            family_questions(files->layout().schema, request, request.is_raw, files->now()));
  BLOOMERY_RETURN_IF_ERROR(check_scan(request, questions));
  return std::make_unique<TableScan>(std::move(files), std::move(request), std::move(questions));
}

}  // namespace
}  // namespace table

template <typename Layout>
Result<Table> Table::make(Result<Layout> layout, const TableOptions& options) {
  if (!layout) {
    return layout.error();
  }
  auto& families = layout->schema.families;
  std::ranges::sort(families, {}, &FamilySchema::name);
  if (options.reads_logs) {
    BLOOMERY_RETURN_IF_ERROR(table::read_logs(*layout, options));
  } else {
    table::warn_of_left_logs(*layout);
  }
  return Table(std::make_shared<const table::TableFiles>(std::move(*layout), options));
}

Result<Table> Table::open(const std::string& directory, const TableOptions& options) {
  return make(table::layout_of_directory(directory, options), options);
}

Result<RootListing> Table::list(const std::string& root) {
  const table::RootDirectory directory(root);
  RootListing listing;
  BLOOMERY_ASSIGN_OR_RETURN(listing.tables, directory.tables());
  BLOOMERY_ASSIGN_OR_RETURN(listing.snapshots, directory.snapshots());
  return listing;
}

Result<Table> Table::open_table(const std::string& root, std::string_view name, const TableOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const table::TableName parsed, table::TableName::parse(name));
  const table::RootDirectory directory(root, options.files);
  if (const std::string path = directory.table(parsed); !table::exists(directory.files(), path)) {
    return table::none_at(path, "table", directory.tables());
  }
  return make(table::layout_of_table(directory, parsed, options), options);
}

Result<Table> Table::open_snapshot(const std::string& root, const std::string& name,
                                   const TableOptions& options) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    return Error::invalid_argument("snapshot",
                                   message("expected the name of a snapshot, found '", name, "'"));
  }
  const table::RootDirectory directory(root, options.files);
  if (const std::string path = directory.snapshot(name); !table::exists(directory.files(), path)) {
    return table::none_at(path, "snapshot", directory.snapshots());
  }
  return make(table::layout_of_snapshot(directory, name, options), options);
}

Result<Table> Table::open_files(const std::vector<std::string>& files, const TableOptions& options) {
  return make(table::layout_of_files(files, options), options);
}

const TableSchema& Table::schema() const {
  return files_->layout().schema;
}

std::vector<TableRegion> Table::regions() const {
  std::vector<TableRegion> regions;
  for (const table::RegionLayout& layout : files_->layout().regions) {
    TableRegion& region = regions.emplace_back(
        TableRegion{.name = layout.name, .start = layout.info.start, .end = layout.info.end});
    for (const auto& [family, files] : layout.families) {
      for (const table::StoreFilePath& file : files) {
        region.files.push_back({family, file.path, file.name, file.half.has_value()});
      }
    }
  }
  return regions;
}

const std::vector<TableLog>& Table::logs() const {
  return files_->layout().logs;
}

const std::vector<std::string>& Table::warnings() const {
  return files_->layout().warnings;
}

const std::vector<Error>& Table::faults() const {
  return files_->layout().faults;
}

Result<RowResult> Table::get(const GetRequest& request) const {
  BLOOMERY_ASSIGN_OR_RETURN(const auto gets, table::RowGets::make(files_, request));
  RowResult result;
  BLOOMERY_RETURN_IF_ERROR([&]() -> Status {
    const auto found = gets->get(request.row, result);
    return found ? Status() : Status(found.error());
  }());
  return result;
}

// Gets run in the order of their rows, so that the files of a region are opened once.
Result<std::vector<RowResult>> Table::get(std::span<const GetRequest> requests) const {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::string_view(requests[i].row); });
  std::vector<RowResult> results(requests.size());
  for (const std::size_t i : order) {
    BLOOMERY_ASSIGN_OR_RETURN(results[i], get(requests[i]));
  }
  return results;
}

TableReadCounters Table::read_counters() const {
  return files_->counters();
}

Result<TableScanner> Table::scan(const ScanRequest& request) const {
  BLOOMERY_ASSIGN_OR_RETURN(auto state, table::start_scan(files_, request));
  return TableScanner(std::move(state));
}

TableScanner::TableScanner(std::unique_ptr<table::TableScan> state) : state_(std::move(state)) {}
TableScanner::TableScanner(TableScanner&&) noexcept = default;
TableScanner& TableScanner::operator=(TableScanner&&) noexcept = default;
TableScanner::~TableScanner() = default;

Result<bool> TableScanner::next() {
  return state_->next();
}

const RowResult& TableScanner::result() const {
  return state_->result();
}

const std::vector<SkippedRows>& TableScanner::skipped() const {
  return state_->skipped();
}

const std::vector<FileOfScan>& TableScanner::files() const {
  return state_->files();
}

RowResult TableScanner::take_result() {
  return std::move(state_->result());
}

}  // namespace bloomery
