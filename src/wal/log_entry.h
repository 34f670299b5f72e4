// An entry of a write-ahead log: one atomic write of one region, or one of HBase's own records (a marker).
//
// All texts are views of the reader's buffers until it reads the next entry, or of the caller's bytes if a
// writer receives the entry. Cells are in the order of the mutation, not in the order of a file.
//
// Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bloomery/hfile/cell.h"

namespace bloomery::wal {

// The family of HBase's own records.
inline constexpr std::string_view kMarkerFamily = "METAFAMILY";

// A family whose edits are replicated: 0 local, 1 global, 2 serial.
struct FamilyScope {
  std::string_view family = {};
  std::uint64_t type = 0;

  bool operator==(const FamilyScope&) const = default;
};

// A cluster that the edit has passed, by its UUID.
struct ClusterId {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  bool operator==(const ClusterId&) const = default;
};

// An attribute that a coprocessor, or another writer, adds to the key of an entry.
struct Attribute {
  std::string_view key = {};
  std::string_view value = {};

  bool operator==(const Attribute&) const = default;
};

struct LogEntry {
  std::uint64_t offset = 0;      // in its log
  std::uint64_t size_bytes = 0;  // in its log
  std::uint64_t number = 0;      // in its log, from 0
  std::string_view region = {};  // the encoded name
  std::string_view table = {};   // "namespace:table" or "table"
  std::uint64_t sequence_id = 0;
  std::uint64_t write_time = 0;  // ms since 1970
  std::vector<FamilyScope> scopes = {};
  std::vector<ClusterId> cluster_ids = {};
  std::optional<std::uint64_t> nonce_group = {};
  std::optional<std::uint64_t> nonce = {};
  std::optional<std::uint64_t> original_sequence_id = {};  // of an edit that a replica replays
  std::vector<Attribute> attributes = {};                  // without the seal of a sealed log
  std::vector<Cell> cells = {};                            // mvcc is mvcc()

  // Returns the mvcc of the cells.
  std::uint64_t mvcc() const {
    return original_sequence_id.value_or(0) > 0 ? *original_sequence_id : sequence_id;
  }
  // Returns true if the entry is one of HBase's own records, and no data.
  bool is_marker() const { return !cells.empty() && cells.front().key.family == kMarkerFamily; }
};

}  // namespace bloomery::wal
