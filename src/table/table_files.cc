#include "table/table_files.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace bloomery::table {

TableFiles::TableFiles(TableLayout layout, const TableOptions& options)
    : layout_(std::move(layout)), options_(options) {
  const auto& regions = layout_.regions;
  is_disjoint_ = std::ranges::adjacent_find(regions, [](const RegionLayout& a, const RegionLayout& b) {
                   return a.info.end.empty() || a.info.end > b.info.start;
                 }) == regions.end();
}

std::int64_t TableFiles::now() const {
  using std::chrono::milliseconds;
  if (options_.now_ms) {
    return *options_.now_ms;
  }
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::vector<std::size_t> TableFiles::regions_of(std::string_view row) const {
  std::vector<std::size_t> found;
  if (is_disjoint_) {
    const auto start = [](const RegionLayout& region) -> std::string_view { return region.info.start; };
    const auto behind = std::ranges::upper_bound(layout_.regions, row, {}, start);
    const auto at = static_cast<std::size_t>(behind - layout_.regions.begin());
    if (at > 0 && has_row(at - 1, row)) {
      found.push_back(at - 1);
    }
    return found;
  }
  for (std::size_t i = 0; i < layout_.regions.size(); ++i) {
    if (has_row(i, row)) {
      found.push_back(i);
    }
  }
  return found;
}

// Returns the region's entry in open_, made if needed, and moves it to the front as the most recently read
// one.
TableFiles::OpenRegion& TableFiles::opened(std::size_t region) const {
  const auto found = std::ranges::find(open_, region, &OpenRegion::number);
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
  } else {
    open_.push_front({.number = region});
  }
  return open_.front();
}

// Closes the least recently read regions beyond kMostFiles. The most recently read region stays open, however
// many files it has.
void TableFiles::close_old() const {
  std::size_t files = 0;
  for (auto region = open_.begin(); region != open_.end();) {
    ++files;  // a region counts as one more, since opened() searches all
    for (const auto& [family, store] : region->families) {
      files += store->files.size();
    }
    if (files > kMostFiles && region != open_.begin()) {
      count(*region, closed_);
      region = open_.erase(region);
    } else {
      ++region;
    }
  }
}

Result<StorePointer> TableFiles::store(std::size_t region, const std::string& family) const {
  const std::lock_guard lock(mutex_);
  OpenRegion& open = opened(region);
  if (const auto found = open.families.find(family); found != open.families.end()) {
    return found->second;
  }
  const auto& [info, name, families, logged] = layout_.regions[region];
  const auto files = families.find(family);
  const auto edits = logged.find(family);
  BLOOMERY_ASSIGN_OR_RETURN(auto store,
                            open_store(files == families.end() ? std::vector<StoreFilePath>() : files->second,
                                       {.cache = options_.cache,
                                        .keep_index_blocks = options_.pins_indexes,
                                        .keep_bloom_chunks = options_.pins_filters,
                                        .memory = options_.memory},
                                       edits == logged.end() ? std::vector<LoggedFile>() : edits->second,
                                       FileSystem::or_real(options_.files)));
  open.families[family] = store;
  close_old();
  return store;
}

void TableFiles::add(const FamilyReadCounters& counted) const {
  const std::lock_guard lock(mutex_);
  FamilyReadCounters& sum = families_[counted.family];
  sum.family = counted.family;
  sum.column_gets += counted.column_gets;
  sum.row_gets += counted.row_gets;
  sum.absent_column_gets += counted.absent_column_gets;
  sum.absent_row_gets += counted.absent_row_gets;
}

void TableFiles::count(const OpenRegion& region, std::map<FileKey, FileReadCounters>& to) const {
  const std::string& name = layout_.regions[region.number].name;
  for (const auto& [family, store] : region.families) {
    for (const StoreFilePointer& file : store->files) {
      FileReadCounters& counters = to[{name, family, file->file->path()}];
      counters.region = name;
      counters.family = family;
      counters.path = file->file->path();
      counters.filter += file->filter_counts->get();
      counters.blocks += file->file->counters();
    }
  }
}

TableReadCounters TableFiles::counters() const {
  const std::lock_guard lock(mutex_);
  auto files = closed_;
  for (const OpenRegion& region : open_) {
    count(region, files);
  }
  TableReadCounters counters;
  for (auto& [key, file] : files) {
    counters.files.push_back(std::move(file));
  }
  for (const auto& [name, family] : families_) {
    counters.families.push_back(family);
  }
  return counters;
}

}  // namespace bloomery::table
