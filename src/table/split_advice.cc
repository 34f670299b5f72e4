#include "bloomery/table/split_advice.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "base/message.h"
#include "bloomery/base/uint128.h"
#include "bloomery/hfile/hfile_reader.h"
#include "hfile/block_index.h"
#include "hfile/reader_access.h"
#include "hfile/recognition.h"

namespace bloomery {
namespace table {
namespace {

constexpr std::uint64_t kMostRegions = std::uint64_t{1} << 16;
constexpr std::size_t kMostPlaces = std::size_t{1} << 17;

// A row, and the bytes on disk that count at it: blocks whose index key has the row, or in small files the
// row's share.
struct Place {
  std::string row;
  std::uint64_t bytes;
};

// The bytes of a table by row; keeps at most kMostPlaces rows.   Calls: add* sorted
class BytesByRow {
 public:
  void add(std::string_view row, std::uint64_t bytes) {
    if (places_.size() == kMostPlaces) {
      sort();
      if (places_.size() > kMostPlaces / 2) {
        halve();
      }
    }
    places_.push_back({std::string(row), bytes});
  }

  // Returns each row once, ascending.
  const std::vector<Place>& sorted() {
    sort();
    return places_;
  }

 private:
  // Sorts the places, and merges those of the same row.
  void sort() {
    std::ranges::sort(places_, {}, &Place::row);
    join_if([](const Place& a, const Place& b) { return a.row == b.row; });
  }
  // Merges every second place into the one before it.
  void halve() {
    bool joins = false;
    join_if([&joins](const Place&, const Place&) { return joins = !joins; });
  }
  template <typename Joins>
  void join_if(const Joins& joins) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (kept != 0 && joins(places_[kept - 1], places_[i])) {
        places_[kept - 1].bytes += places_[i].bytes;
      } else if (kept++ != i) {
        places_[kept - 1] = std::move(places_[i]);
      }
    }
    places_.resize(kept);
  }

  std::vector<Place> places_;
};

// A file of so few data blocks is read completely: all its bytes would otherwise count for the few rows at
// which its blocks begin.
constexpr std::size_t kFewBlocks = 4;

// Adds the rows of a small file, or of the region's half of it. Each row gets a share of the data blocks'
// bytes by the sizes of its cells.
Status add_row_bytes(const TableRegion& region, const TableFile& listed, const hfile::OpenFilePointer& file,
                     BytesByRow& bytes) {
  std::uint64_t on_disk = 0;
  for (const hfile::IndexEntry& entry : file->index().root.entries) {
    on_disk += entry.on_disk_bytes;
  }
  std::vector<Place> rows;
  std::uint64_t all = 0;
  HFileScanner scanner = hfile::ReaderAccess::reader_of(file).scan();
  Result<bool> found = scanner.seek_to_first();
  for (; found && *found; found = scanner.next()) {
    const CellKey& key = scanner.cell().key;
    const std::uint64_t size =
        key.row.size() + key.family.size() + key.qualifier.size() + scanner.cell().value.size();
    all += size;
    if (rows.empty() || rows.back().row != key.row) {
      rows.push_back({std::string(key.row), 0});
    }
    rows.back().bytes += size;
  }
  if (!found) {
    return found.error();
  }
  for (const Place& row : rows) {
    if (!listed.is_half || (region.start <= row.row && (region.end.empty() || row.row < region.end))) {
      bytes.add(row.row,
                static_cast<std::uint64_t>(Uint128{on_disk} * row.bytes / std::max<std::uint64_t>(all, 1)));
    }
  }
  return {};
}

// Adds the data blocks of a file, or of the region's half of it. The first block of a half counts at the
// region's start.
Status add_block_bytes(const TableRegion& region, const TableFile& listed, const FileMemory& memory,
                       BytesByRow& bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::OpenFilePointer file, hfile::open_hfile(listed.path, {}, memory));
  if (file->index().levels == 1 && file->index().root.entries.size() <= kFewBlocks) {
    return add_row_bytes(region, listed, file, bytes);
  }
  hfile::IndexCursor index(file->index(), file->source());
  const bool begins_inside = listed.is_half && !region.start.empty();
  Result<bool> found = begins_inside ? index.seek(first_on_row(region.start)) : index.first();
  if (found && !*found && begins_inside) {
    found = index.first();
  }
  for (; found && *found; found = index.next()) {
    const auto key = parse_flat_key(index.key());
    if (!key) {
      return Error::corruption(message(listed.path, ": index"), index.address().offset, "the key of a cell",
                               "other bytes");
    }
    if (listed.is_half && !region.end.empty() && key->row >= region.end) {
      break;
    }
    bytes.add(std::max<std::string_view>(key->row, region.start), index.address().on_disk_bytes);
  }
  return found ? Status() : in_file(Status(found.error()), listed.path);
}

// Splits the places into `regions` ranges. Split i is at the place where the bytes before it are nearest to i
// / regions of all bytes.
SplitAdvice cut(const std::vector<Place>& places, std::uint64_t regions) {
  SplitAdvice advice;
  const std::uint64_t all =
      std::accumulate(places.begin(), places.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const Place& place) { return sum + place.bytes; });
  std::uint64_t before = 0;  // the bytes of all places up to i
  std::uint64_t last_cut = 0;
  std::uint64_t next = 1;
  for (std::size_t i = 0; i + 1 < places.size() && next < regions; ++i) {
    before += places[i].bytes;
    const auto wanted = static_cast<std::uint64_t>(Uint128{all} * next / regions);
    const std::uint64_t after = before + places[i + 1].bytes;
    const bool is_nearest = before >= wanted || (after > wanted && wanted - before <= after - wanted);
    if (is_nearest) {
      advice.keys.push_back(places[i + 1].row);
      advice.region_bytes.push_back(before - last_cut);
      last_cut = before;
      // A place that is larger than a region uses up all the splits in it.
      next = std::max(next + 1, static_cast<std::uint64_t>(Uint128{before} * regions / all) + 1);
    }
  }
  advice.region_bytes.push_back(all - last_cut);
  return advice;
}

Result<std::uint64_t> regions_of(const SplitWish& wish, std::uint64_t all) {
  const std::uint64_t regions =
      wish.region_bytes == 0
          ? wish.regions
          : std::max<std::uint64_t>(all / wish.region_bytes + (all % wish.region_bytes != 0 ? 1U : 0U), 1);
  if (regions == 0 || regions > kMostRegions) {
    return Error::invalid_argument("regions", message("expected 1 to ", kMostRegions, ", found ", regions));
  }
  return regions;
}

}  // namespace
}  // namespace table

Result<SplitAdvice> advise_splits(const Table& table, const SplitWish& wish, const FileMemory& memory) {
  table::BytesByRow bytes;
  for (const TableRegion& region : table.regions()) {
    for (const TableFile& file : region.files) {
      BLOOMERY_RETURN_IF_ERROR(table::add_block_bytes(region, file, memory, bytes));
    }
  }
  const std::vector<table::Place>& places = bytes.sorted();
  std::uint64_t all = 0;
  for (const table::Place& place : places) {
    all += place.bytes;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t regions, table::regions_of(wish, all));
  return table::cut(places, regions);
}

}  // namespace bloomery
