// The names of files in a family's directory, and the meaning of each form.
//
//   HEX                                a flush or a compaction wrote it
//   HEX_SeqId_N_                       bulk loaded, with the sequence id N
//   HEX_del                            an old list of deletes of large objects; never read
//   FILE.REGION                        a reference: one half of the file of that region
//   TABLE=REGION-FILE                  a link to the file of another table or region
//   NS=TABLE=REGION-FILE
//   LINK.REGION                        a reference to the target of the link
//
// FILE is one of the first two forms. Names of tables may contain - and . , so a link is split at its last =,
// and after it at the first - . Source: HBase 2.6, StoreFileInfo and HFileLink.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "table/layout/hbase_messages.h"

namespace bloomery::table {

// Identifies a file in a root directory.
struct StoreFilePlace {
  TableName table = {};
  std::string region = {};
  std::string file = {};
};

struct StoreFileName {
  // The target of a link.
  std::optional<StoreFilePlace> link = {};
  std::string file = {};                            // FILE, also in the name of a link
  std::optional<std::string> referred_region = {};  // set for a reference
  std::optional<std::int64_t> sequence_id = {};     // set if FILE has _SeqId_
};

// Returns nothing for a name of another form, or for deletes of large objects.
std::optional<StoreFileName> parse_store_file_name(std::string_view name);

bool is_hex(std::string_view text);

}  // namespace bloomery::table
