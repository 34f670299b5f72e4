// Every cell of every genuine log is what HBase's own reader printed, and every log ends as it said. Plain
// logs are rewritten byte for byte.
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/byte_text.h"
#include "base/message.h"
#include "tests/wal/golden_logs.h"
#include "wal/log_writer.h"

namespace bloomery {
namespace {

using wal::LogEndKind;
using wal::LogEntry;

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// The values, separated by tabs.
template <typename... Values>
std::string columns(const Values&... values) {
  std::string text;
  (text.append(message(values, "\t")), ...);
  text.pop_back();
  return text;
}

std::string cell_columns(const Cell& cell) {
  const CellKey& key = cell.key;
  return columns(escape_bytes(key.row), escape_bytes(key.family), escape_bytes(key.qualifier), key.timestamp,
                 cell_type_name(key.type), hex(cell.tags), escape_bytes(cell.value));
}

// HBase prints nonces as signed numbers.
std::int64_t as_java(const std::optional<std::uint64_t>& number) {
  return static_cast<std::int64_t>(number.value_or(0));
}

std::string printed(const std::string& log, const LogEntry& entry) {
  const std::string front =
      columns(log, entry.offset, entry.number, entry.region, entry.table, entry.sequence_id, entry.write_time,
              entry.original_sequence_id.value_or(0), as_java(entry.nonce_group), as_java(entry.nonce),
              entry.attributes.empty() ? "-" : "?", entry.cells.size());
  std::string lines;
  for (std::size_t i = 0; i < entry.cells.size(); ++i) {
    lines += columns(front, i, cell_columns(entry.cells[i])) + "\n";
  }
  return lines;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns the differing line of two texts, for a short message.
std::string first_difference(const std::string& found, const std::string& expected) {
  std::istringstream left(found);
  std::istringstream right(expected);
  for (std::string a, b; std::getline(left, a), std::getline(right, b) || left;) {
    if (a != b) {
      return "found:    " + a + "\nexpected: " + b;
    }
    if (!left || !right) {
      break;
    }
  }
  return "";
}

std::string line_of_end(const std::string& path, const wal::LogReader& reader) {
  const bool is_closed = reader.end().kind == LogEndKind::kClosed;
  return message(name_of(path), "\t", reader.entries(), " entries\tat ", reader.end().offset, "\t",
                 is_closed ? "end" : "EOFException");
}

void expect_as_printed(const std::string& folder) {
  std::string lines;
  std::istringstream ends(golden_logs().at("cells/" + folder + ".ends"));
  for_each_golden_log(folder + "/", [&](const std::string& path, const std::string& bytes) {
    MemoryFiles files(bytes);
    auto reader = opened_log(files, path);
    ASSERT_TRUE(reader) << reader.error().to_string();
    const auto error =
        read_all(*reader, [&](const LogEntry& entry) { lines += printed(name_of(path), entry); });
    ASSERT_FALSE(error) << error->to_string();
    EXPECT_FALSE(reader->is_sealed());
    std::string end;
    std::getline(ends, end);
    EXPECT_TRUE(end.starts_with(line_of_end(path, *reader))) << line_of_end(path, *reader) << "\n" << end;
    EXPECT_EQ(reader->end().kind == LogEndKind::kTorn,
              path == "torn/localhost%2C22393%2C1795624033949.1795624081120");
  });
  const std::string& expected = golden_logs().at("cells/" + folder + ".tsv");
  EXPECT_TRUE(lines == expected) << first_difference(lines, expected);
}

TEST(GoldenLogs, PlainOnesAreReadAsHBaseReadsThem) {
  expect_as_printed("main");
}

TEST(GoldenLogs, CompressedOnesAreReadAsHBaseReadsThem) {
  expect_as_printed("compressed");
}

TEST(GoldenLogs, OnesWithCompressedValuesAreReadAsHBaseReadsThem) {
  expect_as_printed("values");
}

TEST(GoldenLogs, TornOnesAreReadUpToTheCut) {
  expect_as_printed("torn");
}

// The columns of a cell that log splitting keeps: region, table, sequence id, write time and the cell.
std::string kept_columns(const std::string& line) {
  std::istringstream columns(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(columns, field, '\t');) {
    fields.push_back(field);
  }
  fields.resize(20);
  std::string kept = fields[3] + "\t" + fields[4] + "\t" + fields[5] + "\t" + fields[6];
  for (std::size_t i = 13; i < 20; ++i) {
    kept += "\t" + fields[i];
  }
  return kept;
}

// HBase's reader printed nothing of the files that its splitting wrote. Their cells are cells of the logs.
void expect_recovered_from(const std::string& folder, const std::string& logs) {
  std::set<std::string> known;
  std::istringstream lines(golden_logs().at("cells/" + logs + ".tsv"));
  for (std::string line; std::getline(lines, line);) {
    known.insert(kept_columns(line));
  }
  std::size_t cells = 0;
  for_each_golden_log(folder + "/", [&](const std::string& path, const std::string& bytes) {
    ASSERT_EQ(wal::log_kind_of(path), wal::LogKind::kRecoveredEdits);
    MemoryFiles files(bytes);
    auto reader = opened_log(files, path);
    ASSERT_TRUE(reader) << reader.error().to_string();
    const auto error = read_all(*reader, [&](const LogEntry& entry) {
      EXPECT_EQ(entry.region, path.substr(folder.size() + 1, entry.region.size()));
      std::istringstream text(printed("", entry));
      for (std::string line; std::getline(text, line); ++cells) {
        EXPECT_TRUE(known.contains(kept_columns(line))) << path << "\n" << line;
      }
    });
    ASSERT_FALSE(error) << error->to_string();
    EXPECT_EQ(reader->end().kind, LogEndKind::kClosed) << path;
    EXPECT_EQ(reader->entry().sequence_id, std::stoull(name_of(path))) << path;
  });
  EXPECT_GT(cells, 400u);
}

TEST(GoldenLogs, RecoveredEditsAreThoseOfTheLogs) {
  expect_recovered_from("recovered", "main");
}

TEST(GoldenLogs, CompressedRecoveredEditsAreThoseOfTheLogs) {
  expect_recovered_from("recovered-compressed", "compressed");
}

// A torn log is rewritten up to the cut.
TEST(GoldenLogs, PlainOnesAreRewrittenByteForByte) {
  std::size_t logs = 0;
  for (const char* const folder : {"main/", "torn/", "recovered/"}) {
    for_each_golden_log(folder, [&](const std::string& path, const std::string& bytes) {
      MemoryFiles files(bytes);
      auto reader = opened_log(files, path);
      ASSERT_TRUE(reader) << reader.error().to_string();
      hfile::ByteWriter out;
      wal::LogWriter writer(out, reader->header());
      const auto error =
          read_all(*reader, [&](const LogEntry& entry) { ASSERT_TRUE(writer.append(entry)) << path; });
      ASSERT_FALSE(error) << error->to_string();
      if (reader->end().kind == LogEndKind::kClosed) {
        writer.close();
      }
      EXPECT_TRUE(out.text() == std::string_view(bytes).substr(0, out.size())) << path;
      EXPECT_EQ(out.size(), reader->end().kind == LogEndKind::kTorn ? reader->end().offset : bytes.size())
          << path;
      ++logs;
    });
  }
  EXPECT_GT(logs, 60u);
}

}  // namespace
}  // namespace bloomery
