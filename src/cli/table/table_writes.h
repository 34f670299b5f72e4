// What verbs of `bloomery table` and the shell share when they write: split keys as text, and deletions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/store/store.h"
#include "bloomery/table/cell_choice.h"

namespace bloomery::cli {

// Returns the keys in order; \xHH is a byte. Errors: kInvalidArgument, without a subject.
Result<SplitKeys> split_keys_of(const std::vector<std::string>& texts);

struct Deletion {
  std::string_view row = {};
  std::optional<std::string_view> family = {};     // nothing: all families
  std::optional<std::string_view> qualifier = {};  // nothing: all columns of the family
  std::optional<std::int64_t> timestamp = {};
  bool is_one_version = false;  // the newest, or that of the timestamp
};

// Errors: those of StoreTable::mutate().
Status delete_cells(StoreTable& table, const Deletion& deletion, const bloomery::WriteOptions& options = {});

}  // namespace bloomery::cli
