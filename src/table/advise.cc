#include "bloomery/table/advise.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <utility>

#include "base/memory_budget.h"
#include "base/message.h"
#include "bloomery/hfile/cell.h"
#include "hfile/bloom_fill.h"
#include "hfile/recognition.h"
#include "table/family_sums.h"
#include "table/store_files.h"
#include "table/store_walk.h"

namespace bloomery {
namespace table {
namespace {

// A store of more than 2 GiB is sampled, with 100,000 rows, unless the caller sets the sample.
constexpr std::uint64_t kCountedBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kSampleRows = 100000;

struct CountedStore {
  std::vector<hfile::OpenFilePointer> files = {};
  std::vector<CountedFile> counted = {};
};

// Collects the advice for a directory, store by store.
class Adviser {
 public:
  // `errors` are those of files that find_hfiles() could not read.
  Adviser(const AdviceOptions& options, std::vector<Error> errors)
      : options_(options), errors_(std::move(errors)) {}

  // Adds the HFiles of one directory, grouped by the family of their first cell. Usually there is one family.
  void add(const StoreDirectory& directory);
  // Returns the advice. `found` lists the files that were not added.
  TableAdvice result(FoundFiles found);

 private:
  CountedFile describe(const std::string& store, const hfile::OpenFile& file);
  void add_store(CountedStore store);
  std::uint64_t rows_to_sample(const CountedStore& store) const;

  AdviceOptions options_;
  std::map<std::string, FamilySums> families_;
  std::vector<Error> errors_;
};

// Describes a file and its filter without reading cells.
CountedFile Adviser::describe(const std::string& store, const hfile::OpenFile& file) {
  CountedFile counted{.path = file.path(),
                      .store = store,
                      .file_bytes = file.file_bytes(),
                      .cells = file.trailer().entry_count,
                      .bloom_type = file.bloom_type()};
  const auto& keys = file.index().root_keys;  // empty if the file has no cells
  counted.family = keys.empty() ? std::filesystem::path(store).filename().string() : keys.front().family;
  if (!file.filter_status()) {
    errors_.push_back(file.filter_status().error().in_file(file.path()));
  }
  if (file.bloom_type() == hbase::BloomType::kNone) {
    return counted;
  }
  counted.filter_keys = file.bloom()->meta().key_count;
  counted.filter.bytes = file.bloom()->meta().total_bytes;
  const Result<hfile::BloomFill> fill = hfile::measure_fill(file, *file.bloom());
  if (!fill) {
    errors_.push_back(fill.error().in_file(file.path()));
    return counted;  // fpp is still 1: such a filter saves no reads
  }
  counted.filter.fpp = fill->fpp_of_lookup(file.bloom_type());
  return counted;
}

std::uint64_t Adviser::rows_to_sample(const CountedStore& store) const {
  std::uint64_t bytes = 0;
  for (const CountedFile& file : store.counted) {
    bytes += file.file_bytes;
  }
  return options_.sample_rows.value_or(bytes > kCountedBytes ? kSampleRows : 0);
}

// Counts the cells of a store. If a file fails, its error is recorded, and the store is counted again without
// it.
void Adviser::add_store(CountedStore store) {
  const std::string family = store.counted.front().family;
  while (!store.files.empty()) {
    std::size_t failed = 0;
    const WalkOptions walk{.prefix_bytes = options_.prefix_bytes, .sample_rows = rows_to_sample(store)};
    const Result<StoreCounts> counts =
        within_memory(store.files.front()->path(), [&] { return walk_store(store.files, walk, failed); });
    if (counts) {
      families_[family].add_store(std::move(store.counted), *counts);
      return;
    }
    errors_.push_back(counts.error());
    const auto at = static_cast<std::ptrdiff_t>(failed);
    store.files.erase(store.files.begin() + at);
    store.counted.erase(store.counted.begin() + at);
  }
}

void Adviser::add(const StoreDirectory& directory) {
  std::map<std::string, CountedStore> stores;
  for (const std::string& path : directory.files) {
    const Result<hfile::OpenFilePointer> file = hfile::open_hfile(path, {}, options_.memory);
    if (!file) {
      errors_.push_back(file.error());
      continue;
    }
    if ((*file)->trailer().row_order != RowOrder::kBytes) {
      errors_.push_back(
          Error::unsupported(path, (*file)->trailer().offset,
                             "expected a file of a table, found one of hbase:meta, whose filters HBase "
                             "chooses itself"));
      continue;
    }
    CountedFile counted = describe(directory.path, **file);
    CountedStore& store = stores[counted.family];
    store.files.push_back(*file);
    store.counted.push_back(std::move(counted));
  }
  for (auto& [family, store] : stores) {
    add_store(std::move(store));
  }
}

// Returns true if the file's directory has counted files of the family, or is named after the family.
bool is_of_family(const UncountedFile& file, const FamilyAdvice& family) {
  return std::filesystem::path(file.store).filename() == family.family ||
         std::ranges::any_of(family.files,
                             [&](const AdvisedFile& counted) { return counted.store == file.store; });
}

TableAdvice Adviser::result(FoundFiles found) {
  TableAdvice advice{.others = std::move(found.others),
                     .uncounted = std::move(found.uncounted),
                     .replaced_regions = std::move(found.replaced),
                     .errors = std::move(errors_)};
  for (const auto& [name, sums] : families_) {
    FamilyAdvice& family = advice.families.emplace_back(sums.advice(name));
    family.uncounted_files = static_cast<std::uint64_t>(std::ranges::count_if(
        advice.uncounted, [&](const UncountedFile& file) { return is_of_family(file, family); }));
  }
  return advice;
}

}  // namespace
}  // namespace table

Result<TableAdvice> advise_filters(const std::string& directory, const AdviceOptions& options) {
  if (options.prefix_bytes > kLongestRow) {
    return Error::invalid_argument(
        "prefix_bytes", message("expected at most ", kLongestRow, " bytes, found ", options.prefix_bytes));
  }
  BLOOMERY_ASSIGN_OR_RETURN(table::FoundFiles found, table::find_hfiles(directory));
  table::Adviser adviser(options, std::exchange(found.errors, {}));
  for (const table::StoreDirectory& store : found.stores) {
    adviser.add(store);
  }
  return adviser.result(std::move(found));
}

}  // namespace bloomery
