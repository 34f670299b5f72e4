// The systems that store_bench and store_ycsb measure: this store, RocksDB and LevelDB, by one interface, and what
// both programs share: clocks, rows, values and processes.
//
// Each has 20-byte rows, 100-byte values, one column, no compression of blocks, a filter of rows with each file, and
// hands writes to the operating system without a sync.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/table_rows.h"
#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery {

// Ends the program with this sentence.
[[noreturn]] void stop(std::string_view what);

inline void take(const Status& status) {
  if (!status) {
    stop(status.error().to_string());
  }
}
template <typename T>
T take(Result<T> result) {
  if (!result) {
    stop(result.error().to_string());
  }
  return *std::move(result);
}

// CPU time with all threads, and wall time.
double process_seconds();
double wall_seconds();

// Runs `measure` in a process of its own and returns its figures.
using Figures = std::array<double, 4>;
Figures in_process(const std::function<Figures()>& measure);

// Distinct rows in random order.
class Rows {
 public:
  explicit Rows(std::uint64_t count, std::uint64_t seed = 0);
  std::uint64_t size() const { return bytes_.size() / kRowBytes; }
  std::string_view operator[](std::uint64_t i) const {
    return std::string_view(bytes_).substr(i * kRowBytes, kRowBytes);
  }

 private:
  std::string bytes_;
};

std::string_view value_of(std::uint64_t i);

// A table "t" with a family "f".
TableSchema schema_of_bench(std::uint64_t block_bytes = 64 << 10);

struct TargetOptions {
  std::string path;
  std::uint64_t buffer_bytes = std::uint64_t{64} << 20;
  std::uint64_t cache_bytes = 0;         // of blocks; 0: the default of the system
  std::uint64_t block_bytes = 64 << 10;  // of this store; the others have 4 KiB
  bool compacts = false;                 // LevelDB always does
};

class Target {
 public:
  virtual ~Target() = default;
  virtual void put(std::string_view row, std::string_view value) = 0;
  // Writes the values value_of(from) and so on to these rows, in one batch.
  virtual void put_all(const Rows& rows, std::uint64_t from, std::uint64_t to) = 0;
  // Returns whether the row is there.
  virtual bool get(std::string_view row) = 0;
  // Returns how many rows it has read, at most `count`.
  virtual std::uint64_t scan(std::string_view start, std::uint64_t count) = 0;
  // Writes all to files, and leaves one version of each row.
  virtual void compact() = 0;
  // The last step of a write: all is in files, and the system is closed.
  virtual void finish() = 0;
  // How the names of files with rows end.
  virtual bool has_rows(const std::string& path) const = 0;
};

// The names of the systems that this program was built with, ours first.
const std::vector<std::string>& target_names();
std::unique_ptr<Target> make_target(std::string_view name, const TargetOptions& options);

}  // namespace bloomery
