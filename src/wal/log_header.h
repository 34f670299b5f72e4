// The header and the trailer of a write-ahead log.
//
//   header     "PWAL" | varint length | WALHeader
//   trailer    WALTrailer | i32 its length | "LAWP"          only in a closed log, at its end
//
//   WALHeader  1 compressed  2 encryption key  3 compressed tags  4 writer class  5 codec class
//              6 compressed values  7 their compression          1000 seal (log_seal.h)
//   WALTrailer 1000 u64 number of entries, seal
//
// Both messages may have other fields, which are ignored. Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/byte_writer.h"
#include "wal/log_seal.h"

namespace bloomery::wal {

inline constexpr const char* kLogSubject = "write-ahead log";
inline constexpr std::string_view kLogMagic = "PWAL";
inline constexpr std::string_view kTrailerMagic = "LAWP";
// The length and the magic at the end of a trailer.
inline constexpr std::size_t kTrailerTailBytes = 8;
// No writer needs a larger header.
inline constexpr std::uint64_t kMostHeaderBytes = 65536;

struct LogHeader {
  // Optional fields are absent in logs of older versions.
  std::optional<bool> is_compressed = false;
  std::optional<bool> has_compressed_tags = false;
  std::optional<std::string> writer_class = "ProtobufLogWriter";
  std::optional<std::string> codec_class = "org.apache.hadoop.hbase.regionserver.wal.WALCellCodec";
  std::optional<bool> has_compressed_values = false;
  std::optional<hfile::Compression> value_compression = std::nullopt;
  std::optional<Seal> seal = std::nullopt;
  std::size_t size_bytes = 0;  // with the magic
};

// How the beginning of a log was read.
struct HeaderRead {
  LogHeader header = {};
  bool is_cut = false;  // the log ends inside of its header
};

// Reads the header at the front of `log`. Errors: kCorruption for another magic or a damaged message;
// kUnsupported, by name, for an encrypted log, another writer, another codec, and a compression that is not
// read here.
Result<HeaderRead> read_log_header(std::span<const std::byte> log);

// Appends the header; if it has a seal, with its `previous`. Returns the seal that was written.
std::optional<Seal> append_log_header(hfile::ByteWriter& out, const LogHeader& header);

struct LogTrailer {
  std::uint64_t size_bytes = 0;               // with length and magic
  std::optional<std::uint64_t> entries = {};  // of a sealed log
  std::optional<Seal> seal = {};
  std::optional<Error> damage = {};  // the seal is wrong
};

// Returns the trailer at the end of `tail`, the last bytes of a log, or nothing if there is none. `offset` is
// the position of `tail` in the log.
std::optional<LogTrailer> read_log_trailer(std::span<const std::byte> tail, std::uint64_t offset);

// Appends a trailer. With `previous`, the link of the last record, it has a seal.
void append_log_trailer(hfile::ByteWriter& out, std::uint64_t entries, std::optional<std::uint32_t> previous);

}  // namespace bloomery::wal
