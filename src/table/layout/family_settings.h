// The settings of a family as HBase writes them, in text, and what they decide.
//
// Source: HBase 2.6, ColumnFamilyDescriptorBuilder. Not here: settings that only writers use.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

// Fills the other fields of the family from `family.settings`. A setting that the family lacks is the table's, and else
// HBase's default. `place` is where the descriptor begins in its file. Errors: kCorruption for a value that HBase does
// not take.
Status read_family_settings(FamilySchema& family, const SettingMap& of_table, std::uint64_t place);

}  // namespace bloomery::table
