// Snapshots of a root, as HBase lays them out: a snapshot names files, and the archive keeps them.
//
//   ROOT/.hbase-snapshot/NAME/.snapshotinfo, data.manifest     the table, its schema, regions and files
//   ROOT/archive/data/NS/TABLE/REGION/FAMILY/FILE              a second name of each file
//   ROOT/.hbase-snapshot/.tmp/NAME                             a snapshot that is being made or dropped
//
// A file gets its name in the archive when the snapshot is made: HBase gives it one when the table no longer
// needs it. HBase and the readers here look into both places, so a table may remove its files at any time.
// The same layout, without data, is an exported snapshot.
//
// A snapshot appears and disappears by one rename. Its files have their names in the archive before it
// appears, and lose them after it has disappeared for good. finish_interrupted_snapshots() ends what a crash
// interrupted. Threads: one at a time for each root that is written.
//
// Source: HBase 2.6, SnapshotManifest, SnapshotDescriptionUtils and ExportSnapshot.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/root_directory.h"

namespace bloomery::table {

struct Snapshot {
  SnapshotDescription description = {};
  SnapshotManifest manifest = {};
  // Both as they are stored, with fields that only HBase knows.
  std::string description_bytes = {};
  std::string manifest_bytes = {};

  // Precondition: the manifest has no references.
  static Snapshot of(SnapshotDescription description, SnapshotManifest manifest);
};

// Errors: kNotFound; kUnsupported for a version other than 2; kCorruption; kIo.
Result<Snapshot> read_snapshot(const RootDirectory& root, const std::string& name);

// Makes the snapshot in `to` of files that `from` has: the same root, or another one that may be a new
// directory. `copies`: the files are copied, not linked. A failure leaves a part of it, which no reader sees.
// Errors: kInvalidArgument for a name that HBase refuses, and with EEXIST for one that is taken; kNotFound
// for a file.
Status write_snapshot(const RootDirectory& from, const RootDirectory& to, const Snapshot& snapshot,
                      bool copies);

// The root of the next two is nobody else's: names in the archive that no snapshot needs are removed.
// Errors: kNotFound; of another snapshot that cannot be read, after which the archive is as it was.
Status drop_snapshot(const RootDirectory& root, const std::string& name);
// Call it after the root was opened, and after a failed write_snapshot().
Status finish_interrupted_snapshots(const RootDirectory& root);

}  // namespace bloomery::table
