// Writes the messages and files of HBase's directories; hbase_messages.h has their layouts and reads them.
//
//   .tableinfo.SEQUENCE.LENGTH   PBUF | TableSchema
//   .regioninfo                  PBUF | varint length | RegionInfo
//   .snapshotinfo, data.manifest   messages: a snapshot's description (of the type FLUSH) and its manifest
//   list of a file tracker       i32 length | message | i32 CRC-32 of the message, big-endian
//
// The bytes are HBase's. Its fields have a fixed order, except attributes and configuration: HBase writes
// them in the order of a Java HashMap, by bucket. This writer computes the buckets. Names that share a bucket
// are in the order in which HBase's user set them, which no file records. Here the attributes that every
// descriptor has are first, then the others by name. Only such names can make two descriptors of the same
// settings differ in their bytes.
//
// Source: HBase 2.6, ProtobufUtil and StoreFileListFile; the order was tried with its client library.
#pragma once

#include <string>

#include "table/layout/hbase_messages.h"

namespace bloomery::table {

// Return complete files.
std::string write_table_schema_file(const TableSchema& schema);
std::string write_region_info_file(const RegionInfo& region);
std::string write_tracker_list(const TrackedFiles& files);

// Return messages.
std::string write_table_schema(const TableSchema& schema);
std::string write_region_info(const RegionInfo& region);
std::string write_snapshot_description(const SnapshotDescription& snapshot);
// Precondition: the manifest has no references.
std::string write_snapshot_manifest(const SnapshotManifest& manifest);

}  // namespace bloomery::table
