// Reads and writes a log in memory, with and without seals: MB per second of processor time.
//
//   wal_bench [ENTRIES [VALUE_BYTES]]      1000000 entries of one cell with 100 bytes if not given
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "tests/hfile/memory_files.h"
#include "wal/log_reader.h"
#include "wal/log_writer.h"

namespace {

using namespace bloomery;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void write_log(hfile::ByteWriter& out, std::uint64_t entries, const std::string& value, bool sealed) {
  wal::LogHeader header;
  if (sealed) {
    header.seal = wal::Seal{};
  }
  wal::LogWriter writer(out, header);
  wal::LogEntry entry{
      .region = "0123456789abcdef0123456789abcdef", .table = "table", .write_time = 1700000000000};
  entry.cells.resize(1);
  std::string row = "row-0000000000000000";
  for (std::uint64_t i = 0; i < entries; ++i) {
    store_big(reinterpret_cast<std::byte*>(row.data()) + 4, i);
    entry.sequence_id = i + 1;
    entry.cells[0] = {.key = {row, "f", "q", 1700000000000, CellType::kPut}, .value = value};
    if (!writer.append(entry)) {
      std::abort();
    }
  }
  writer.close();
}

std::uint64_t read_log(std::string_view bytes) {
  MemoryFiles files(bytes);
  auto reader = wal::LogReader::open(files, "log", {});
  std::uint64_t sum = 0;
  for (;;) {
    const auto found = reader ? reader->next() : Result<bool>(reader.error());
    if (!found) {
      fmt::print("{}\n", found.error().to_string());
      std::abort();
    }
    if (!*found) {
      return sum;
    }
    for (const Cell& cell : reader->entry().cells) {
      sum += cell.key.row.size() + cell.value.size();
    }
  }
}

void measure(std::uint64_t entries, std::size_t value_bytes, bool sealed) {
  const std::string value(value_bytes, 'v');
  hfile::ByteWriter out;
  write_log(out, entries, value, sealed);  // the buffer has grown then
  out.clear();
  const double begin = cpu_seconds();
  write_log(out, entries, value, sealed);
  const double written = cpu_seconds();
  const std::uint64_t sum = read_log(out.text());
  const double read = cpu_seconds();
  const double megabytes = static_cast<double>(out.size()) / 1e6;
  fmt::print("{:<9} {:>8.1f} MB   write {:>7.0f} MB/s   read {:>7.0f} MB/s   {} bytes of rows and values\n",
             sealed ? "sealed" : "no seals", megabytes, megabytes / (written - begin),
             megabytes / (read - written), sum);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t entries = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const std::size_t value_bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  for (const bool sealed : {false, true}) {
    measure(entries, value_bytes, sealed);
  }
}
