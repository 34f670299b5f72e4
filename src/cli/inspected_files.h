// What `inspect` shows of files that are no filters of our own: one function for each kind of file, and what
// prints it. Each returns the facts as one object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/dialects/cassandra_directory.h"
#include "bloomery/dialects/database.h"

namespace bloomery::cli {

// A filter of another system. Returns first the fields that our own filters also have, with the same names,
// then fields of this format only. Facts that the format does not record are omitted.
nlohmann::ordered_json describe_dialect_filter(const DialectFilter& filter, std::uint64_t file_bytes);

// A directory of LevelDB or RocksDB. The `families` of the object list the files by level.
nlohmann::ordered_json describe_database(const Database& database);
// Prints one line per file: family, level, name, bytes, first and last key, filter.
void print_database_files(const Database& database);

// A directory of Cassandra's sstables. The array `sstables` has one object per live sstable. Errors:
// kInvalidArgument if the sstables record different key types.
Result<nlohmann::ordered_json> describe_cassandra(const CassandraDirectory& directory);
// Prints one line per element of such an array.
void print_sstables(const nlohmann::ordered_json& sstables);

// A leased file: its page and its current filter. If the filter cannot be opened, the object says so; every
// answer is then maybe. Errors: the page is damaged.
Result<nlohmann::ordered_json> describe_leased_file(const std::string& path);

// A complete .parquet file: its columns in the array `columns`, with their types, and which row groups have
// filters. Returns nothing if the file does not begin and end like a .parquet file. Errors: kCorruption,
// kUnsupported for an encrypted footer, kCapacity, kNotFound, kIo.
Result<std::optional<nlohmann::ordered_json>> describe_parquet_file(const std::string& path,
                                                                    const FileMemory& memory);
// Returns the columns as lines of text, after a header line.
std::string show_parquet_columns(const nlohmann::ordered_json& columns, std::uint64_t row_groups);

// An HFile: its Bloom filter in the same terms as other filters, and whether the file is intact. Reads the
// entire file; `hfile info` shows more. Errors: those of open_hfile() and of reading.
Result<nlohmann::ordered_json> summarize_hfile(const std::string& path, const FileMemory& memory = {});

}  // namespace bloomery::cli
