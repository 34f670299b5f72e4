// Distinguishes a database directory of Pebble from one of RocksDB.
//
//   marker.manifest.NNNNNN.MANIFEST-XXXXXX   names the manifest, instead of CURRENT
//   marker.format-version.NNNNNN.VVV         the format of the database
//
// N counts the moves of a marker, and the highest one counts. A manifest marker exists from Pebble's format 2
// on. If the directory also has a file CURRENT, that names MANIFEST-000000, which does not exist, so that a
// program that ignores the markers fails.
//
// Such a database is reported and not read, for three reasons:
//
//   - It shows a table's keys under a different prefix than the table's filter.
//   - Its log names tables that are in no manifest.
//   - Tag 10 of its manifest has a different meaning than RocksDB's.
//
// A database of Pebble's format 1 has CURRENT and no such marker, and is read like one of RocksDB.
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
  std::string format = {};  // "013"; empty if no marker states it
};

// Returns the data of the markers among the entries of a directory; nothing if there is no manifest marker.
std::optional<PebbleMarkers> pebble_markers(std::span<const DirectoryEntry> entries);

}  // namespace bloomery
