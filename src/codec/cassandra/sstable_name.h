// The file name of an sstable component, and what its version says about the filter.
//
//   from 2.2 (la)   VERSION-ID-FORMAT-COMPONENT               nb-7-big-Filter.db    da-3-bti-Statistics.db
//   up to 2.1 (ka)  KEYSPACE-TABLE-VERSION-ID-COMPONENT       shop-orders-ka-12-Filter.db
//
// ID is a number, or from 4.1 on possibly letters, digits and underscores. Before 3.0, the name of an
// unfinished file has tmp- or tmplink- before the version. Source: docs/formats/cassandra.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/cassandra/cassandra_probes.h"

namespace bloomery {

struct SSTableName {
  std::string prefix;     // everything before the component: "nb-7-big-"
  std::string version;    // "nb"
  std::string component;  // "Filter.db"
  bool is_temporary = false;
};

// Parses a file name without its folder; returns nothing if it does not have this form.
std::optional<SSTableName> parse_sstable_name(std::string_view name);
// Parses the file name at the end of a path; returns nothing if it does not have this form.
std::optional<SSTableName> sstable_name_of(std::string_view path);

// The properties in which versions differ.
struct CassandraLayout {
  std::string version;
  CassandraProbeOrder order = CassandraProbeOrder::kSecondHalfFirst;
  bool big_endian_words = false;  // otherwise bit i is bit i mod 8 of byte i / 8
  bool has_metadata = false;      // Statistics.db begins with a table of its parts
  bool has_header = false;        // Statistics.db records the type of the key
  bool has_metadata_crc = false;  // Statistics.db has checksums
  bool has_vints = false;         // the numbers of Index.db are vints (vint.h)
};

// Checks that a file of another version does not get this name: a reader that derives the version from the
// name would test the wrong bits. A path whose name belongs to no sstable is accepted. Errors:
// kInvalidArgument.
Status check_sstable_version(const std::string& path, std::string_view version);

// Errors: kUnsupported for an unknown version, since its layout might differ.
Result<CassandraLayout> cassandra_layout(std::string_view version);

}  // namespace bloomery
