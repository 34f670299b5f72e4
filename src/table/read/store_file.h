// A store file as one of several that are merged: its half, its rank in the order of files, and the mvcc of
// its cells.
//
// Files are ordered by sequence id, then larger files first, then by the time of their bulk load, then by
// name. Of cells with equal keys and equal mvcc the one of the newest file comes first.
//
//   sequence id    MAX_SEQ_ID_KEY, one more for a top half
//                  for a bulk-loaded file: the number in its name; else MAX_SEQ_ID_KEY; else -1
//   mvcc           as in the file, or 0; for a bulk-loaded file its sequence id, unless SKIP_RESET_SEQ_ID
//
// What only logs have (logs/logged_file.h) is newer than all files, and has the mvcc of its entries. Cells in
// memory (memory_cells.h) are newer than both.
//
// A file that was compacted into another one no longer counts, though it may still exist. The other one names
// it in COMPACTION_EVENT_KEY.
//
// Source: HBase 2.6, HStoreFile, StoreFileComparators, StoreFileReader, StoreEngine.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_options.h"
#include "bloomery/table/read_counters.h"
#include "hfile/recognition.h"
#include "hfile/time_span.h"
#include "table/layout/table_layout.h"
#include "table/read/asked_reads.h"
#include "table/read/memory_cells.h"

namespace bloomery::table {

// Counts the answers of a store file's Bloom filter to gets, and how many were right. Readers count locally
// and add their counts periodically.
class FilterCounts {
 public:
  void add(const FilterCounters& counted) {
    checks_.fetch_add(counted.checks, std::memory_order_relaxed);
    negatives_.fetch_add(counted.negatives, std::memory_order_relaxed);
    true_positives_.fetch_add(counted.true_positives, std::memory_order_relaxed);
    false_positives_.fetch_add(counted.false_positives, std::memory_order_relaxed);
  }
  FilterCounters get() const {
    return {.checks = checks_.load(std::memory_order_relaxed),
            .negatives = negatives_.load(std::memory_order_relaxed),
            .true_positives = true_positives_.load(std::memory_order_relaxed),
            .false_positives = false_positives_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> checks_{0};
  std::atomic<std::uint64_t> negatives_{0};
  std::atomic<std::uint64_t> true_positives_{0};
  std::atomic<std::uint64_t> false_positives_{0};
};

struct StoreFile {
  hfile::OpenFilePointer file = {};
  std::shared_ptr<const MemoryCells> memory = {};  // then there is no file
  std::string name = {};
  std::optional<FileHalf> half = {};
  std::int64_t sequence_id = -1;
  std::optional<std::int64_t> mvcc = {};  // replaces the mvcc of every cell
  std::optional<std::int64_t> bulk_load_time = {};
  std::optional<hfile::TimeSpan> times = {};
  // The first and the last row; nothing if there are no cells or the file does not say. Views of the open
  // file.
  std::optional<std::pair<std::string_view, std::string_view>> rows = {};
  // Of the file in its region; null for cells in memory.
  std::shared_ptr<FilterCounts> filter_counts = {};
  std::shared_ptr<AskedReadCounts> reads = {};

  // Return false only if the file, or its half, certainly does not have the row, or no row from `first` to
  // `last`. There an empty view is no bound.
  bool may_have_row(std::string_view row) const;
  bool may_have_rows(std::string_view first, std::string_view last) const;
  // Returns true if there is certainly no cell.
  bool is_empty() const;
  // Returns the times of all cells, or nothing if they are not known. Cells in memory may become more.
  std::optional<hfile::TimeSpan> time_span() const { return memory != nullptr ? memory->times() : times; }
  // Returns the path of the file, or the name of cells in memory.
  const std::string& path() const { return file != nullptr ? file->path() : name; }
};

// Returns the file alone, complete but for what depends on the other files of a store: name, half and order.
StoreFile store_file_of(hfile::OpenFilePointer file);
// Returns the cells as a file with the name "memstore".
StoreFile store_file_of(std::shared_ptr<const MemoryCells> memory);

using StoreFilePointer = std::shared_ptr<const StoreFile>;

// The live files of one family in one region, from the oldest to the newest. Cells in memory come last.
struct OpenStore {
  std::vector<StoreFilePointer> files = {};
  std::shared_ptr<GetCounts> gets = std::make_shared<GetCounts>();  // shared by all versions of the store
};

// The edits of logs are the newest files. Errors: those of HFileReader::open(); kCorruption of its file info.
Result<std::shared_ptr<const OpenStore>> open_store(const std::vector<StoreFilePath>& paths,
                                                    const HFileOptions& options,
                                                    const std::vector<LoggedFile>& logged = {},
                                                    FileSystem& files = FileSystem::real());
// Errors: as open_store().
Result<StoreFilePointer> open_store_file(const StoreFilePath& path, const HFileOptions& options,
                                         FileSystem& files);
// Returns the store with one more file, in its place, and without some others.
std::shared_ptr<const OpenStore> with_file(const OpenStore& store, const StoreFilePointer& file,
                                           std::span<const StoreFilePointer> without = {});
// Returns the store with cells in memory, the newest last. Precondition: it has none yet.
std::shared_ptr<const OpenStore> with_memory(const OpenStore& store,
                                             std::span<const std::shared_ptr<const MemoryCells>> memory);

}  // namespace bloomery::table
