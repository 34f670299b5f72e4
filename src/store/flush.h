// Writes the frozen memstores of a region to files.
//
//   1. an HFile for each family, in its directory: synced, with its final name, and the directory synced
//   2. the tracker's list of each family, one atomic step: from now on the file counts
//
// A crash before step 2 leaves a file that no list names, which the next open removes; the log still has its
// edits. Between two families, each file says up to which sequence id it has the edits of its own family.
//
// Of cells with equal keys only the newest is written: no reader could see the others. Everything else, as
// versions and deletes, is left to compactions.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/store/store_options.h"
#include "store/environment.h"
#include "store/region.h"
#include "store/store_files.h"
#include "store/store_log.h"

namespace bloomery::store {

// `sequence` is the greatest sequence id of the edits. The region's families then have new_files.
Status write_frozen(StoreFiles& store, Region& region, const TableSchema& schema, const StoreOptions& options,
                    std::uint64_t sequence, Clock& clock);

// Gives a family a file without cells, which says that no edit up to `sequence` is missing.
Status settle_logs(StoreFiles& store, RegionFamily& family, const FamilySchema& schema,
                   const StoreOptions& options, std::uint64_t sequence, std::int64_t now_ms);

// Appends to the log what HBase writes after a flush: the files, and up to which sequence id they have all
// edits. `entry_sequence` is the marker's own.
Status append_flush_marker(StoreLog& log, const Region& region, std::uint64_t entry_sequence,
                           std::uint64_t sequence, const Environment& environment);

// Appends to the log what HBase writes after a compaction. `entry_sequence` is the marker's own.
Status append_compaction_marker(StoreLog& log, const Region& region, std::uint64_t entry_sequence,
                                std::string_view description, const Environment& environment);

// Begins a file of a family, which has all edits up to `sequence`. `options` are those of the family.
Result<HFileWriter> begin_store_file(FileSystem& files, const std::string& path, HFileWriteOptions options,
                                     std::int64_t sequence, std::int64_t now_ms);

// Opens files of a store, with its cache.
HFileOptions file_options(const StoreOptions& options);

}  // namespace bloomery::store
