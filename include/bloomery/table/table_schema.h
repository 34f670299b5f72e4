// The settings of a table that decide what a read returns. These are its families, and for each family the
// number of versions, their time to live, and the effect of deletes.
//
// Example:
//    TableSchema schema;
//    FamilySchema family{.name = "f"};
//    family.versions = 3;
//    schema.families.push_back(family);
//    const FamilySchema* found = schema.find("f");   // null if there is no such family
//
// The defaults are HBase's. `settings` has every setting as text, including those that only writers use.
// Source: HBase 2.6, TableDescriptor and ColumnFamilyDescriptor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

// HBase's KEEP_DELETED_CELLS. kTrue and kTtl differ only in what flushes and compactions keep.
enum class KeepDeletedCells : std::uint8_t { kFalse, kTrue, kTtl };

using SettingMap = std::map<std::string, std::string, std::less<>>;

struct FamilySchema {
  std::string name = {};
  std::int32_t versions = 1;                         // VERSIONS
  std::int32_t min_versions = 0;                     // MIN_VERSIONS
  std::optional<std::int64_t> time_to_live_ms = {};  // TTL; nothing means forever
  KeepDeletedCells keep_deleted = KeepDeletedCells::kFalse;
  bool has_new_version_behavior = false;  // NEW_VERSION_BEHAVIOR
  bool uses_bloom_filters = true;         // BLOOMFILTER is not NONE
  bool has_mob = false;                   // IS_MOB
  // The name of the class that tracks the family's files: "DEFAULT", "FILE", or another one that is refused
  // when the family is read.
  std::string file_tracker = "DEFAULT";
  SettingMap settings = {};  // the family's attributes and configuration
};

struct TableSchema {
  std::string name_space = {};
  std::string name = {};
  std::vector<FamilySchema> families = {};  // ascending by name
  SettingMap settings = {};                 // the table's attributes and configuration

  // Returns null if there is no family of this name.
  const FamilySchema* find(std::string_view family) const {
    const auto found = std::ranges::find(families, family, &FamilySchema::name);
    return found == families.end() ? nullptr : &*found;
  }
};

}  // namespace bloomery
