#include "table/filter/fuzzy_row.h"

#include <algorithm>

#include "base/message.h"

namespace bloomery::table {
namespace {

bool is_fixed(const FuzzyKey& key, std::size_t i) {
  return i < key.mask.size() && key.mask[i] == 0;
}

bool matches(const FuzzyKey& key, std::string_view row) {
  const std::size_t size = std::min(key.key.size(), row.size());
  for (std::size_t i = 0; i < size; ++i) {
    if (is_fixed(key, i) && key.key[i] != row[i]) {
      return false;
    }
  }
  return true;
}

// The order of bytes in the direction of the scan: a reversed scan begins with the greatest byte.
struct Direction {
  bool is_reversed;

  int byte_at(std::string_view row, std::size_t i) const {
    return i < row.size() ? static_cast<unsigned char>(row[i]) : is_reversed ? 0 : -1;
  }
  bool is_before(int a, int b) const { return is_reversed ? a > b : a < b; }
  int last() const { return is_reversed ? 0 : 0xff; }
  int first() const { return is_reversed ? 0xff : 0; }
  int step() const { return is_reversed ? -1 : 1; }
};

// Returns the first row after all rows that begin with `row`, as short as possible, or `row` itself if there
// is none.
std::string behind(std::string row) {
  std::string next = row;
  while (!next.empty() && next.back() == '\xff') {
    next.pop_back();
  }
  if (next.empty()) {
    return row;
  }
  next.back() = static_cast<char>(next.back() + 1);
  return next;
}

// Returns how many bytes of a next row are needed: up to the last fixed one and up to `stepped`.
std::size_t needed_bytes(const FuzzyKey& key, std::size_t size, std::size_t stepped) {
  std::size_t needed = std::min(size, key.mask.size());
  while (needed > 0 && !is_fixed(key, needed - 1)) {
    --needed;
  }
  return std::max(needed, stepped);
}

}  // namespace

Status check_fuzzy_keys(const std::vector<FuzzyKey>& keys) {
  if (keys.empty()) {
    return Error::invalid_argument("FuzzyRowFilter", "expected a key and a mask at least, found none");
  }
  for (const FuzzyKey& key : keys) {
    if (key.key.size() != key.mask.size()) {
      return Error::invalid_argument(
          "FuzzyRowFilter",
          message("expected a mask of ", key.key.size(), " bytes, as its key, found ", key.mask.size()));
    }
    if (std::ranges::any_of(key.mask, [](char c) { return c != 0 && c != 1; })) {
      return Error::invalid_argument("FuzzyRowFilter", "expected masks of bytes 0 and 1, found another byte");
    }
  }
  return {};
}

std::optional<std::string> next_fuzzy_row(const FuzzyKey& key, std::string_view row, bool is_reversed) {
  const Direction direction{is_reversed};
  const std::size_t size = std::max(key.key.size(), row.size());
  std::string next = key.key;
  next.resize(size, static_cast<char>(direction.first()));
  std::optional<std::size_t> to_step;  // the last free byte that has a next value
  bool is_behind = false;
  for (std::size_t i = 0; i < size; ++i) {
    const int byte = direction.byte_at(row, i);
    if (!is_fixed(key, i)) {
      next[i] = static_cast<char>(std::max(byte, 0));
      if (byte != direction.last()) {
        to_step = i;
      }
    } else if (const int wanted = static_cast<unsigned char>(key.key[i]); byte != wanted) {
      is_behind = direction.is_before(byte, wanted);
      break;
    }
  }
  if (!is_behind) {
    if (!to_step) {
      return std::nullopt;
    }
    next[*to_step] = static_cast<char>(static_cast<unsigned char>(next[*to_step]) + direction.step());
    for (std::size_t i = *to_step + 1; i < size; ++i) {
      if (!is_fixed(key, i)) {
        next[i] = static_cast<char>(direction.first());
      }
    }
  }
  next.resize(needed_bytes(key, size, to_step ? *to_step + 1 : 0));
  return is_reversed ? behind(std::move(next)) : next;
}

void FuzzyRowState::append_text(const Settings& keys, std::string& out) {
  out += "FuzzyRowFilter(";
  for (const FuzzyKey& key : keys) {
    out += &key == &keys.front() ? "" : ", ";
    append_quoted(out, key.key);
    out += ", ";
    append_quoted(out, key.mask);
  }
  out += ')';
}

FilterAnswer FuzzyRowState::filter_cell(const Cell& cell) {
  if (std::ranges::any_of(keys_, [&](const FuzzyKey& key) { return matches(key, cell.key.row); })) {
    return FilterAnswer::kInclude;
  }
  is_dropped_ = true;
  return FilterAnswer::kHint;
}

std::optional<FlatKey> FuzzyRowState::hint(const CellKey& cell) {
  const auto is_behind = [&](const std::string& next) {
    return is_reversed_ ? next < cell.row : next > cell.row;
  };
  next_rows_.resize(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!has_begun_ || (next_rows_[i] && !is_behind(*next_rows_[i]))) {
      next_rows_[i] = next_fuzzy_row(keys_[i], cell.row, is_reversed_);
    }
  }
  has_begun_ = true;
  const std::string* nearest = nullptr;
  for (const auto& next : next_rows_) {
    if (next && (nearest == nullptr || (is_reversed_ ? *next > *nearest : *next < *nearest))) {
      nearest = &*next;
    }
  }
  if (nearest == nullptr) {
    is_done_ = true;
    return std::nullopt;
  }
  if (nearest->size() > kLongestRow) {
    return FlatKey(first_on_row(std::string_view(*nearest).substr(0, kLongestRow)));
  }
  return FlatKey(first_on_row(*nearest));
}

}  // namespace bloomery::table
