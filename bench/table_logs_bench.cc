// Opens a table whose edits are in logs alone, in bounded memory: seconds and the peak of the process's memory.
//
//   table_logs_bench ROOT TABLE MEGABYTES [LOG_MEMORY]      then opens, counts all rows, and gets 1000 of them
//   table_logs_bench ROOT TABLE MEGABYTES many              so many thousand logs of one entry, which are opened
//
// ROOT is a copy of an HBase root whose WALs may be replaced, for example roots/main of
// tests/golden/hbase-wal/roots.tar.zst with the table basic. Entries have one cell: 20 bytes of a random row, 100
// bytes of value, in logs of 128 MB that a child process writes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bloomery/table/table.h"
#include "wal/log_writer.h"

namespace {

using namespace bloomery;
namespace fs = std::filesystem;

constexpr std::uint64_t kFirstSequence = 1'000'000;

std::string row_of(std::uint64_t number) {
  std::mt19937_64 random(number);
  return fmt::format("{:020}", random());
}

class LogFiles {
 public:
  LogFiles(const std::string& root, std::string region)
      : folder_(root + "/WALs/a,1,2"), region_(std::move(region)) {
    fs::remove_all(root + "/WALs");
    fs::create_directories(folder_);
  }
  // Writes entries until the log has so many bytes.
  void write(std::uint64_t bytes) {
    hfile::ByteWriter out;
    wal::LogWriter writer(out);
    std::ofstream file(fmt::format("{}/host%2C1%2C2.{}", folder_, 1000 + logs_++), std::ios::binary);
    std::uint64_t written = 0;
    const std::string value(100, 'v');
    const auto flush = [&] {
      written += out.size();
      file.write(reinterpret_cast<const char*>(out.bytes().data()), static_cast<std::streamsize>(out.size()));
      out.clear();
    };
    while (written + out.size() < bytes) {
      const std::string row = row_of(entries_);
      const Cell cell{.key = {row, "f", "q", 1700000000000, CellType::kPut}, .value = value};
      if (!writer.append({.region = region_,
                          .table = "t",
                          .sequence_id = kFirstSequence + entries_++,
                          .cells = {cell}})) {
        std::abort();
      }
      if (out.size() >= 1 << 20) {
        flush();
      }
    }
    writer.close();
    flush();
  }

 private:
  std::string folder_;
  std::string region_;
  std::uint64_t logs_ = 0;
  std::uint64_t entries_ = 0;
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void print(const char* what, double since, std::uint64_t count) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<6} {:>10} {:>8.2f} s of CPU   peak {:>5} MB\n", what, count, cpu_seconds() - since,
             usage.ru_maxrss / 1024);
}

int measure(const std::string& root, const std::string& name, const TableOptions& options) {
  const double begin = cpu_seconds();
  const auto table = Table::open_table(root, name, options);
  if (!table) {
    fmt::print("{}\n", table.error().to_string());
    return 1;
  }
  print("open", begin, table->logs().size());
  const double opened = cpu_seconds();
  auto scanner = table->scan({});
  std::uint64_t rows = 0;
  for (auto found = scanner->next(); found && *found; found = scanner->next()) {
    ++rows;
  }
  print("count", opened, rows);
  const double counted = cpu_seconds();
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    GetRequest get;
    get.row = row_of(i * 7);
    const auto row = table->get(get);
    found += row && !row->empty() ? 1U : 0U;
  }
  print("get", counted, found);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    return 2;
  }
  const std::uint64_t megabytes = std::strtoull(argv[3], nullptr, 10);
  const bool is_many = argc > 4 && std::string_view(argv[4]) == "many";
  if (const pid_t child = ::fork(); child == 0) {
    const auto table = Table::open_table(argv[1], argv[2], {.reads_logs = false});
    LogFiles logs(argv[1], table->regions().front().name);
    for (std::uint64_t left = megabytes * (is_many ? 1000 : 1); left > 0;) {
      const std::uint64_t now = is_many ? 1 : std::min<std::uint64_t>(left, 128);
      logs.write(is_many ? 100 : now * 1'000'000);
      left -= now;
    }
    ::_exit(0);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  TableOptions options;
  if (argc > 4 && !is_many) {
    options.log_memory_bytes = std::strtoull(argv[4], nullptr, 10);
  }
  return measure(argv[1], argv[2], options);
}
