// The name of a file of an sstable, and what its version says about the filter.
//
//   from 2.2 (la)   VERSION-ID-FORMAT-COMPONENT               nb-7-big-Filter.db    da-3-bti-Statistics.db
//   up to 2.1 (ka)  KEYSPACE-TABLE-VERSION-ID-COMPONENT       shop-orders-ka-12-Filter.db
//
// ID is a number, or from 4.1 on possibly letters, digits and underscores. A file that was still being written before
// 3.0 has tmp- or tmplink- in front of the version. Source: docs/formats/cassandra.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/cassandra/cassandra_probes.h"

namespace bloomery {

struct SSTableName {
  std::string prefix;     // all in front of the component: "nb-7-big-"
  std::string version;    // "nb"
  std::string component;  // "Filter.db"
  bool is_temporary = false;
};

// Returns the parts of a file's name without its folder; nothing if it is not of this shape.
std::optional<SSTableName> parse_sstable_name(std::string_view name);
// The same for the path of a file.
std::optional<SSTableName> sstable_name_of(std::string_view path);

// The properties in which versions differ.
struct CassandraLayout {
  std::string version;
  CassandraProbeOrder order = CassandraProbeOrder::kSecondHalfFirst;
  bool big_endian_words = false;  // otherwise bit i is bit i mod 8 of byte i / 8
  bool has_metadata = false;      // Statistics.db is a table of parts
  bool has_header = false;        // and records the type of the key
  bool has_metadata_crc = false;  // and has checksums
};

// Checks that no file of another version gets this name: whoever reads the version from the name looks for other bits.
// A path whose name is of no sstable's file is fine. Errors: kInvalidArgument.
Status check_sstable_version(const std::string& path, std::string_view version);

// Errors: kUnsupported for a version that is not known, since its bits might lie elsewhere.
Result<CassandraLayout> cassandra_layout(std::string_view version);

}  // namespace bloomery
