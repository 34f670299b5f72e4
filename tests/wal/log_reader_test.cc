// Logs without seals: what is refused by name, how ends are told from damage, and values of every codec.
#include "wal/log_reader.h"

#include <gtest/gtest.h>

#include "hfile/payload_compressor.h"
#include "hfile/protobuf_writer.h"
#include "tests/base/long_tests.h"
#include "tests/codec/damage.h"
#include "tests/wal/golden_logs.h"
#include "tests/wal/sealed_logs.h"

namespace bloomery {
namespace {

using wal::LogEndKind;
using wal::LogEntry;
using wal::LogHeader;

std::string header_bytes(const LogHeader& header) {
  hfile::ByteWriter out;
  append_log_header(out, header);
  return std::string(out.text());
}

Error refusal_of(const LogHeader& header) {
  const std::string bytes = header_bytes(header);
  MemoryFiles files(bytes);
  const auto reader = opened_log(files, "log");
  EXPECT_FALSE(reader);
  return reader ? Error::capacity("", "") : reader.error();
}

TEST(LogHeader, ItsBytesAreThoseOfHBase) {
  const std::string& log = golden_logs().at("main/localhost%2C22393%2C1795623465301.1795623475509");
  EXPECT_EQ(header_bytes({}), log.substr(0, 85));
}

TEST(LogHeader, ForeignWritersAndCodecsAreRefusedByName) {
  LogHeader header;
  header.codec_class = "org.apache.hadoop.hbase.regionserver.wal.SecureWALCellCodec";
  EXPECT_EQ(refusal_of(header).code(), ErrorCode::kUnsupported);
  EXPECT_NE(refusal_of(header).detail().find("SecureWALCellCodec"), std::string::npos);
  header.codec_class = "org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec";
  EXPECT_NE(refusal_of(header).detail().find("IndexedWALEditCodec"), std::string::npos);
  LogHeader other;
  other.writer_class = "Another";
  EXPECT_EQ(refusal_of(other).code(), ErrorCode::kUnsupported);
}

TEST(LogHeader, EncryptedLogsAreRefused) {
  const std::string bytes = std::string("PWAL\x05\x12\x03key", 10);
  MemoryFiles files(bytes);
  const auto reader = opened_log(files, "log");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(reader.error().detail().find("encrypt"), std::string::npos);
}

TEST(LogHeader, CompressionsThatAreNotReadAreRefusedByName) {
  const std::string bytes = std::string("PWAL\x06\x08\x01\x30\x01\x38\x00", 11);  // LZO
  MemoryFiles files(bytes);
  const auto reader = opened_log(files, "log");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(reader.error().detail().find("LZO"), std::string::npos) << reader.error().to_string();
}

TEST(LogReader, ALogThatEndsInItsHeaderIsTornAndEmpty) {
  const std::string header = header_bytes({});
  for (std::size_t size = 0; size <= header.size(); ++size) {
    const std::string cut = header.substr(0, size);
    MemoryFiles files(cut);
    auto reader = opened_log(files, "log");
    ASSERT_TRUE(reader) << size;
    EXPECT_FALSE(read_all(*reader, [](const LogEntry&) { FAIL(); }));
    EXPECT_EQ(reader->end().kind, size < header.size() ? LogEndKind::kTorn : LogEndKind::kOpen);
  }
}

// The outcome of a damaged log: its entries and cells until the first error, and how it ended.
struct DamagedOutcome {
  std::size_t entries = 0;
  std::size_t cells = 0;
  std::string end;
};

DamagedOutcome outcome_of(const std::string& name) {
  const std::string& bytes = golden_logs().at("damaged/" + name + ".log");
  DamagedOutcome outcome;
  MemoryFiles files(bytes);
  auto reader = opened_log(files, "log");
  if (!reader) {
    outcome.end = "refused";
    return outcome;
  }
  const auto error = read_all(*reader, [&](const LogEntry& entry) {
    ++outcome.entries;
    outcome.cells += entry.cells.size();
  });
  constexpr const char* kNames[] = {"closed", "open", "torn"};
  outcome.end = error ? "damage" : kNames[static_cast<int>(reader->end().kind)];
  return outcome;
}

// A table of docs/formats/hbase-wal.md. HBase 2.5 loses entries silently where this is damage.
TEST(LogReader, DamagedLogsWithoutSeals) {
  struct Row {
    const char* name;
    std::size_t entries;
    std::size_t cells;
    const char* end;
  };
  constexpr Row kRows[] = {
      {"00-as-it-is", 321, 574, "closed"},
      {"01-not-closed", 321, 574, "open"},
      {"02-bit-in-value", 321, 574, "closed"},
      {"10-low-bit-of-cell-length", 164, 296, "damage"},
      {"11-high-bit-of-cell-length", 164, 296, "damage"},
      {"12-cell-length-plus-64K", 164, 296, "damage"},
      {"13-low-bit-of-key-length-in-cell", 164, 296, "damage"},
      {"14-bit-in-cell-count", 164, 296, "damage"},
      {"15-low-bit-of-entry-length", 164, 296, "damage"},
      {"16-bit-6-of-entry-length", 164, 296, "damage"},
      {"20-zeroed-512-in-the-middle", 164, 296, "damage"},
      {"21-zeroed-4096-page", 190, 342, "damage"},
      {"22-zeroed-one-entry", 164, 296, "damage"},
      {"30-cut-between-entries", 164, 296, "open"},
      {"31-cut-in-key", 164, 296, "torn"},
      {"32-cut-in-cells", 164, 296, "torn"},
      {"33-cut-tail-1-byte-of-trailer", 321, 574, "torn"},
      {"34-zeros-after-last", 321, 574, "torn"},
      {"35-zeros-3-after-last", 321, 574, "torn"},
      {"36-garbage-after-last", 321, 574, "torn"},
      {"37-zeros-in-place-of-last-entry", 320, 570, "torn"},
      {"40-entry-taken-out", 320, 572, "closed"},
      {"43-entry-twice", 322, 576, "closed"},
      {"50-empty", 0, 0, "torn"},
      {"51-header-cut", 0, 0, "torn"},
      {"52-magic", 0, 0, "refused"},
  };
  for (const Row& row : kRows) {
    const DamagedOutcome outcome = outcome_of(row.name);
    EXPECT_EQ(outcome.entries, row.entries) << row.name;
    EXPECT_EQ(outcome.cells, row.cells) << row.name;
    EXPECT_EQ(outcome.end, row.end) << row.name;
  }
}

// Damaged bytes of genuine logs: entries or an error that says where, never a crash.
void expect_survives(const std::string& path) {
  const std::string log = golden_logs().at(path).substr(0, 2500);
  const auto read = [&](const std::string& damaged, const std::string& what) {
    MemoryFiles files(damaged);
    auto reader =
        opened_log(files, path, {.memory = {.limit_bytes = std::uint64_t{64} << 20}, .despite_header = true});
    for (int errors = 0; reader && errors < 10; ++errors) {
      const auto error = read_all(*reader, [](const LogEntry&) {});
      if (error) {
        EXPECT_NE(error->detail().find("expected"), std::string::npos) << what << " " << error->to_string();
      }
      if (!error || !reader->skip_damage()) {
        break;
      }
    }
  };
  for_each_flip(log, read, runs_long_tests() ? Flips::kAll : Flips::kOneInTurn);
  for_each_cut(log, read);
}

TEST(LogReader, EveryByteOfAPlainLogDamaged) {
  expect_survives("main/localhost%2C22393%2C1795623465301.1795623475509");
}

TEST(LogReader, EveryByteOfACompressedLogDamaged) {
  expect_survives("compressed/localhost%2C22393%2C1795623669515.1795623681670");
}

TEST(LogReader, EveryByteOfALogWithCompressedValuesDamaged) {
  expect_survives("values/localhost%2C22393%2C1795623848466.1795623855699");
}

TEST(LogReader, EveryByteOfARecoveredLogDamaged) {
  expect_survives(
      "recovered-compressed/0870da58f79bf6b88c96acf380ed5864/recovered.edits/0000000000000000017");
}

// An entry larger than the limit is named, and memory stays below it.
// HBase reads no such cell either. A page of zeros over a key ends in such a type.
TEST(LogReader, ACellOfATypeToSeekByIsNone) {
  for (const CellType type : {CellType::kMinimum, CellType::kMaximum}) {
    wal::LogEntry entry{.region = "r", .table = "t", .sequence_id = 1};
    entry.cells.push_back({.key = {"row", "f", "q", 1, type}, .value = "value"});
    hfile::ByteWriter out;
    wal::LogWriter writer(out);
    ASSERT_TRUE(writer.append(entry));
    writer.close();
    const std::string bytes(out.text());
    MemoryFiles files(bytes);
    auto reader = opened_log(files, "log");
    ASSERT_TRUE(reader);
    EXPECT_FALSE(reader->next());
  }
}

TEST(LogReader, AnEntryAboveTheLimitIsAnError) {
  auto entries = owned_entries(3);
  entries[1].value.assign(1000000, 'v');
  const SealedLog log = sealed_log(entries, Closing::kClosed);
  MemoryFiles files(log.bytes);
  auto reader = opened_log(files, "log", {.max_entry_bytes = 50000});
  ASSERT_TRUE(reader);
  std::size_t count = 0;
  const auto error = read_all(*reader, [&](const LogEntry&) { ++count; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::kCapacity) << error->to_string();
  EXPECT_EQ(count, 1u);
}

// Entries that are larger than one read of the window, and a window that slides over many.
TEST(LogReader, LargeEntriesAndManyOfThem) {
  auto entries = owned_entries(400);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].value.assign(i % 40 == 0 ? 700000 : 10 * i, static_cast<char>('a' + i % 26));
  }
  const SealedLog log = sealed_log(entries, Closing::kClosed);
  MemoryFiles files(log.bytes);
  auto reader = opened_log(files, "log");
  ASSERT_TRUE(reader);
  const auto error = read_all(*reader, [&](const LogEntry& entry) {
    ASSERT_EQ(entry.cells[0].value, entries[entry.number].value);
    ASSERT_EQ(entry.offset, log.ends[entry.number]);
  });
  EXPECT_FALSE(error) << error->to_string();
  EXPECT_EQ(reader->entries(), 400u);
}

// A log whose values are compressed, as HBase writes it: each value is complete in itself.
std::string log_with_values(hfile::Compression compression, const std::vector<std::string>& values) {
  LogHeader header;
  header.is_compressed = header.has_compressed_values = true;
  header.value_compression = compression;
  hfile::ByteWriter out;
  append_log_header(out, header);
  hfile::ByteWriter key;
  const auto new_word = [](hfile::ByteWriter& to, std::string_view word) {
    to.append("\xff");
    hfile::append_delimited(to, word);
  };
  hfile::ByteWriter word;
  new_word(word, "r");
  hfile::append_bytes_field(key, 1, word.text());
  hfile::append_bytes_field(key, 2, word.text());
  hfile::append_integer_field(key, 3, 7);
  hfile::append_integer_field(key, 4, 8);
  hfile::append_integer_field(key, 7, values.size());
  hfile::append_delimited(out, key.text());
  for (const std::string& value : values) {
    std::string stored = value;
    if (compression != hfile::Compression::kNone) {
      auto compressor = hfile::PayloadCompressor::create(compression, {});
      EXPECT_TRUE(compressor);
      stored.resize(compressor->largest_stored(value.size()));
      stored.resize(*compressor->compress(bytes_of(value), std::as_writable_bytes(std::span(stored))));
    }
    out.compressed_int(12 + 3);
    out.compressed_int(value.size());
    out.compressed_int(0);
    for (const char* const text : {"r", "f", "q"}) {
      new_word(out, text);
    }
    out.number(std::uint64_t{5});
    out.number(std::uint8_t{4});
    hfile::append_delimited(out, stored);
  }
  return std::string(out.text());
}

TEST(LogReader, ValuesOfEveryCodec) {
  const std::vector<std::string> values = {"", "a", std::string(5000, 'b'), "the value",
                                           std::string(300000, 'c')};
  for (const auto compression :
       {hfile::Compression::kNone, hfile::Compression::kGz, hfile::Compression::kSnappy,
        hfile::Compression::kLz4, hfile::Compression::kZstd}) {
    const std::string log = log_with_values(compression, values);
    MemoryFiles files(log);
    auto reader = opened_log(files, "log");
    ASSERT_TRUE(reader) << reader.error().to_string();
    const auto error = read_all(*reader, [&](const LogEntry& entry) {
      ASSERT_EQ(entry.cells.size(), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(entry.cells[i].value, values[i]) << i;
        EXPECT_EQ(entry.cells[i].mvcc, 7);
      }
    });
    EXPECT_FALSE(error) << hfile::compression_name(compression) << " " << error->to_string();
    EXPECT_EQ(reader->entries(), 1u);
  }
}

TEST(LogReader, ALogThatGrowsIsReadUpToItsSizeAtOpening) {
  const SealedLog log = sealed_log(owned_entries(10), Closing::kOpen);
  const std::string half = log.bytes.substr(0, log.ends[5] + 3);
  MemoryFiles files(half);
  auto reader = opened_log(files, "log");
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->next());
  files.replace(log.bytes);
  EXPECT_FALSE(read_all(*reader, [](const LogEntry&) {}));
  EXPECT_EQ(reader->entries(), 5u);
  EXPECT_EQ(reader->end().kind, LogEndKind::kTorn);
  EXPECT_TRUE(reader->end().has_grown);
}

}  // namespace
}  // namespace bloomery
