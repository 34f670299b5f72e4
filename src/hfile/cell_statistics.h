// Collects the statistics of all cells for file info while a file is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "bloomery/hfile/cell.h"

namespace bloomery::hfile {

struct CellStatistics {
  std::uint64_t count = 0;
  std::uint64_t rows = 0;  // counted by the writer, which compares the keys
  std::uint64_t columns = 0;
  std::uint64_t key_bytes = 0;  // total size of the flat keys
  std::uint64_t value_bytes = 0;
  std::uint64_t most_bytes = 0;  // the largest cell, counted as for hfile.LEN_OF_BIGGEST_CELL
  std::string most_key = {};     // the key of the first such cell
  std::size_t most_tags_bytes = 0;
  std::int64_t max_mvcc = 0;
  std::int64_t min_timestamp = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_timestamp = -1;
  std::int64_t earliest_put = std::numeric_limits<std::int64_t>::max();
  std::uint64_t delete_family_count = 0;

  void add(const Cell& cell, std::string_view flat_key) {
    ++count;
    key_bytes += flat_key.size();
    value_bytes += cell.value.size();
    add_size(cell, flat_key);
    most_tags_bytes = std::max(most_tags_bytes, cell.tags.size());
    max_mvcc = std::max(max_mvcc, cell.mvcc);
    add_timestamp(cell.key.timestamp);
    switch (cell.key.type) {
      case CellType::kPut:
        earliest_put = std::min(earliest_put, cell.key.timestamp);
        break;
      case CellType::kDeleteFamily:
        ++delete_family_count;
        add_timestamp(0);
        break;
      case CellType::kDeleteColumn:
        add_timestamp(0);  // it deletes all timestamps from 0 to its own
        break;
      case CellType::kDeleteFamilyVersion:
        ++delete_family_count;
        break;
      default:
        break;
    }
  }

 private:
  // Counts a cell with its length prefixes and its own length, as HBase would send it over the network.
  void add_size(const Cell& cell, std::string_view flat_key) {
    constexpr std::size_t kLengths = 4 + 8;
    const std::size_t tags = cell.tags.empty() ? 0 : 2 + cell.tags.size();
    const std::size_t size = kLengths + flat_key.size() + cell.value.size() + tags;
    if (size > most_bytes) {
      most_bytes = size;
      most_key = flat_key;
    }
  }

  void add_timestamp(std::int64_t timestamp) {
    min_timestamp = std::min(min_timestamp, timestamp);
    max_timestamp = std::max(max_timestamp, timestamp);
  }
};

}  // namespace bloomery::hfile
