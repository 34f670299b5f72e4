// The settings of a table: its families, and for each family the number of versions, their time to live, the
// effect of deletes, and how its files are written.
//
// Example:
//    TableSchema schema;                             // of files without a descriptor
//    FamilySchema family{.name = "f"};
//    family.versions = 3;
//    schema.families.push_back(family);
//    const FamilySchema* found = schema.find("f");   // null if there is no such family
//    auto users = TableSchema::of_table("users");   // of a new table, with HBase's names of attributes
//    if (users) {
//      Status added = users->add_family("f");
//      Status set = users->set("f", "BLOOMFILTER", "ROWCOL");
//    }
//
// The defaults are HBase's. Source: HBase 2.6, TableDescriptor and ColumnFamilyDescriptor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

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
  bool chooses_filters = false;           // BLOOMFILTER is AUTO: each file of a store has the one that pays
  bool has_mob = false;                   // IS_MOB
  // The name of the class that tracks the family's files: "DEFAULT", "FILE", or another one that is refused
  // when the family is read.
  std::string file_tracker = "DEFAULT";
  SettingMap settings = {};       // all attributes as text, also those that only writers use
  SettingMap configuration = {};  // the family's configuration; an attribute of the same name counts
};

struct TableSchema {
  std::string name_space = {};
  std::string name = {};
  std::vector<FamilySchema> families = {};  // ascending by name
  SettingMap settings = {};                 // the table's attributes
  SettingMap configuration = {};            // the table's configuration; an attribute of the same name counts

  // Returns the schema of a new table "NAMESPACE:NAME" or "NAME", without families. Errors: kInvalidArgument
  // for a name that HBase refuses. Letters that are not ASCII are refused, too.
  static Result<TableSchema> of_table(std::string_view name);
  // Adds a family with HBase's default attributes. Errors: kInvalidArgument for a name that HBase refuses,
  // and for a family that exists.
  Status add_family(std::string_view family);
  // Removes a family. Errors: kInvalidArgument if there is none of this name.
  Status remove_family(std::string_view family);
  // Sets an attribute of a family or of the table to what the text says, in HBase's syntax.
  // src/table/layout/attributes.h lists names and values. Errors: kInvalidArgument for a name or a value that
  // HBase refuses; kUnsupported for one that HBase knows and Bloomery does not.
  Status set(std::string_view family, std::string_view attribute, std::string_view value);
  Status set(std::string_view attribute, std::string_view value);
  // Checks the rules that join several attributes. Errors:
  //
  //   kInvalidArgument   no families, fewer VERSIONS than MIN_VERSIONS, or a prefix filter without a length
  //   kUnsupported       an attribute that set() would refuse, in a schema of another origin
  Status check() const;

  // Returns null if there is no family of this name.
  const FamilySchema* find(std::string_view family) const {
    const auto found = std::ranges::find(families, family, &FamilySchema::name);
    return found == families.end() ? nullptr : &*found;
  }
};

}  // namespace bloomery
