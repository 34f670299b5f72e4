// Any bytes as the small files of a folder of Cassandra, and as keys:
//
//   Statistics.db with and without checksums       a log of transactions       the name of a file
//   a first line as the type of a key, and every other line as a key of it
//
// Parsing answers an error or a value that holds together. It never crashes, hangs or allocates by what a length claims.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/cassandra/key_text.h"
#include "codec/cassandra/key_type.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "codec/cassandra/transaction_log.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void parse_statistics(std::span<const std::byte> file) {
  for (const char* version : {"jb", "la", "me", "nb"}) {
    const CassandraLayout layout = *cassandra_layout(version);
    const auto statistics = read_statistics(file, layout);
    if (statistics && *statistics) {
      require((*statistics)->fpp > 0 && (*statistics)->fpp <= 1);
      require(!layout.has_header || (*statistics)->key_type.has_value());
    }
  }
}

void parse_log(std::string_view text) {
  const auto log = read_transaction_log(text);
  if (!log) {
    return;
  }
  std::vector<SSTableFiles> present;
  for (const TransactionRecord& record : log->records) {
    present.push_back({.sstable = record.sstable, .files = record.files, .newest_ms = record.time_ms});
  }
  (void)dead_sstables(*log, "/data", present);
}

// The first line is a type; each line behind it is a key of it, with tabs between its columns.
void parse_keys(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const auto type = parse_cassandra_key_type(text.substr(0, end));
  if (!type) {
    require(!type.error().to_string().empty());
    return;
  }
  require(!describe(*type).empty());
  for (text.remove_prefix(end); !text.empty();) {
    text.remove_prefix(1);
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    std::vector<std::string_view> columns;
    for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
      columns.push_back(line.substr(0, tab));
      line.remove_prefix(tab + 1);
    }
    columns.push_back(line);
    KeyWriter writer;
    if (append_cassandra_key(writer, *type, columns)) {
      require(!writer.bytes().empty() && writer.bytes().size() <= 65'535);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  parse_statistics(std::as_bytes(std::span(data, size)));
  parse_log(text);
  parse_keys(text);
  if (const auto name = parse_sstable_name(text)) {
    require(name->prefix + name->component == text && !name->component.empty());
  }
  return 0;
}
