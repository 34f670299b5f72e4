// The settings of a family as HBase writes them, in text, and their effect.
//
// Source: HBase 2.6, ColumnFamilyDescriptorBuilder. Settings that only writers use are not parsed.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

// Fills the other fields of the family from `family.settings` and `family.configuration`. A missing setting
// is inherited from the table, or else has HBase's default. `place` is the descriptor's byte offset in its
// file. Errors: kCorruption for a value that HBase does not accept.
Status read_family_settings(FamilySchema& family, const SettingMap& of_table, std::uint64_t place);

}  // namespace bloomery::table
