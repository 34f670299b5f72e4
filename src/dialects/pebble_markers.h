// How a database directory of Pebble is told from one of RocksDB.
//
//   marker.manifest.NNNNNN.MANIFEST-XXXXXX   names the manifest, in the place of CURRENT
//   marker.format-version.NNNNNN.VVV         the format of the whole database
//
// N counts how often a marker was moved, and the highest one counts. A marker of a manifest is there from Pebble's format 2
// on. A file CURRENT beside it, if there is one, names MANIFEST-000000, which does not exist, so that a program that does
// not know the markers fails.
//
// Such a database is named and not read: it shows the keys of a table under another prefix than the table's filter has,
// its log names tables that are in no manifest, and tag 10 of its manifest means something else than RocksDB's.
// A database of Pebble's format 1 has CURRENT and no such marker, and is one of RocksDB.
//
// Source: Pebble 2.1, vfs/atomicfs/marker.go and format_major_version.go.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/directory.h"

namespace bloomery {

struct PebbleMarkers {
  std::string manifest = {};
  std::string format = {};  // "013"; empty if no marker says it
};

// Returns what the markers among the entries of a directory say; nothing if none is that of a manifest.
std::optional<PebbleMarkers> pebble_markers(std::span<const DirectoryEntry> entries);

}  // namespace bloomery
