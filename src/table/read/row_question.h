// The keys of one row for queries of many files' Bloom filters, each hashed once:
//
//   ROW, and the delete-family filter   the row
//   ROWPREFIX_FIXED_LENGTH              its prefix; hashed again for a file with another length
//   ROWCOL                              the row with each named column, and with the empty one, which has the
//                                       markers that delete the family
//
// file_uses.h decides which file is queried for what.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hfile/bloom/bloom_hash.h"
#include "hfile/bloom/bloom_key.h"

namespace bloomery::table {

// The bytes of a key, and its hashes by the functions that were used so far.
class HashedKey {
 public:
  HashedKey() = default;
  explicit HashedKey(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  hbase::HashPair pair(hbase::BloomHash hash) {
    std::optional<hbase::HashPair>& known = pairs_[static_cast<std::size_t>(hash)];
    if (!known) {
      known = hbase::hash_pair(hash, bytes_);
    }
    return *known;
  }

 private:
  std::string_view bytes_;
  std::array<std::optional<hbase::HashPair>, 3> pairs_ = {};
};

class RowQuestion {
 public:
  // Switches to another row; the view must stay valid.
  void start(std::string_view row) {
    row_ = HashedKey(row);
    prefix_bytes_ = 0;
    columns_.clear();
    of_columns_ = nullptr;
  }

  std::string_view row() const { return row_.bytes(); }
  HashedKey& whole_row() { return row_; }
  // Precondition: bytes > 0.
  HashedKey& prefix(std::size_t bytes) {
    if (prefix_bytes_ != bytes) {
      prefix_ = HashedKey(hbase::row_prefix(row_.bytes(), bytes));
      prefix_bytes_ = bytes;
    }
    return prefix_;
  }
  // Returns the keys of the columns, followed by the key of the markers.
  std::vector<std::unique_ptr<HashedKey>>& columns(const std::vector<std::string>& names) {
    if (of_columns_ != &names) {
      of_columns_ = &names;
      columns_.clear();
      keys_.clear();
      for (std::size_t i = 0; i <= names.size(); ++i) {
        const std::string_view name = i < names.size() ? std::string_view(names[i]) : std::string_view();
        keys_.push_back(std::make_unique<hbase::RowColKey>(hbase::RowCol{row_.bytes(), name}));
        columns_.push_back(std::make_unique<HashedKey>(keys_.back()->bytes()));
      }
    }
    return columns_;
  }

 private:
  HashedKey row_;
  HashedKey prefix_;
  std::size_t prefix_bytes_ = 0;
  const std::vector<std::string>* of_columns_ = nullptr;
  std::vector<std::unique_ptr<hbase::RowColKey>> keys_;  // pointers, so that their addresses do not change
  std::vector<std::unique_ptr<HashedKey>> columns_;
};

}  // namespace bloomery::table
