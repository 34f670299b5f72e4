#include "table/table_files.h"

#include <algorithm>
#include <utility>

namespace bloomery::table {

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
  const auto& [info, name, families, logged] = layout().regions[region];
  const auto files = families.find(family);
  const auto edits = logged.find(family);
  BLOOMERY_ASSIGN_OR_RETURN(auto store,
                            open_store(files == families.end() ? std::vector<StoreFilePath>() : files->second,
                                       {.cache = options().cache,
                                        .keep_index_blocks = options().pins_indexes,
                                        .keep_bloom_chunks = options().pins_filters,
                                        .memory = options().memory},
                                       edits == logged.end() ? std::vector<LoggedFile>() : edits->second,
                                       FileSystem::or_real(options().files)));
  open.families[family] = store;
  close_old();
  return store;
}

void TableFiles::count(const OpenRegion& region, std::map<FileKey, FileReadCounters>& to) const {
  const std::string& name = layout().regions[region.number].name;
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
  TableReadCounters counters = TableSource::counters();
  for (auto& [key, file] : files) {
    counters.files.push_back(std::move(file));
  }
  return counters;
}

}  // namespace bloomery::table
