// Compares BLOOMFILTER => AUTO with each fixed kind of filter, by counts alone: one run is like another.
//
//    auto_filter mixes    data blocks that a get reads, and bytes of filters
//    auto_filter spread   false positives of a get of an absent row, with rates that are spread over files of
//                         several sizes, and with one rate for all, in as many bytes
//
// `mixes` writes a table in rounds on a simulated machine: 2,000 of 6,000 rows, three of their ten columns
// each, a flush, compactions as they come, and 2,000 gets. A mix is
//
//    rows       whole rows, of which half are absent
//    columns    columns: a fifth in absent rows, the others in rows that are there; half of the names are
//               columns that no row has
//    both       half of each
//    changing   `rows` for 24 rounds, then `columns`, then `both`
//
// Each phase has 24 rounds, and the last 12 are counted. `filter_bytes` is the mean over these rounds.
//
// `spread` writes the files for real and asks each for as many absent rows as it has rows, 100,000 at least.
// Prints TSV.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "hfile/cache/cache_parts.h"
#include "hfile/read_log.h"
#include "hfile/writer_access.h"
#include "store/auto_filters.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

constexpr std::uint64_t kRows = 6000;
constexpr int kRounds = 24;
constexpr int kCountedRounds = 12;
constexpr int kRowsOfRound = 2000;
constexpr int kGetsOfRound = 2000;

template <typename T>
auto take(T result) {
  if (!result) {
    fmt::print(stderr, "auto_filter: {}\n", result.error().to_string());
    std::_Exit(1);
  }
  if constexpr (!std::is_same_v<T, Status>) {
    return *std::move(result);
  }
}

// Rows with even numbers are there.
std::string row_name(std::uint64_t number) {
  return fmt::format("row {:016}", number);
}

enum class Mix { kWholeRows, kColumns, kBoth };

// A table with one kind of filter, and the figures of a phase.
class Run {
 public:
  Run(const std::string& mix, const std::string& kind)
      : mix_(mix), kind_(kind), machine_(1, {.flush_bytes = std::uint64_t{64} << 20}) {
    machine_.create();
    TableSchema schema = take(TableSchema::of_table("t"));
    take(schema.add_family("f"));
    take(schema.set("f", "BLOOMFILTER", kind));
    take(schema.set("f", "BLOCKSIZE", "4096"));
    take(machine_.store().create_table(schema));
  }

  void phase(const char* name, Mix mix) {
    std::uint64_t blocks = 0;
    double filter_bytes = 0;
    double file_count = 0;
    for (int round = 0; round < kRounds; ++round) {
      write();
      const std::uint64_t read = get(mix);
      if (round >= kRounds - kCountedRounds) {
        blocks += read;
        filter_bytes += static_cast<double>(bytes_of_filters()) / kCountedRounds;
        file_count += static_cast<double>(files().size()) / kCountedRounds;
      }
    }
    fmt::print("{}\t{}\t{}\t{:.4f}\t{:.0f}\t{:.2f}\t{}\n", mix_, name, kind_,
               static_cast<double>(blocks) / (kGetsOfRound * kCountedRounds), filter_bytes, file_count,
               files().back()->file->bloom_names());
    std::fflush(stdout);
  }

 private:
  void write() {
    StoreTable table = machine_.table("t");
    for (int i = 0; i < kRowsOfRound; ++i) {
      const std::string row = row_name(2 * (random_() % kRows));
      for (int column = 0; column < 3; ++column) {
        take(table.put(row, "f", "c" + std::to_string(random_() % 10), std::string(40, 'v'),
                       {.durability = Durability::kSkipWal}));
      }
      machine_.clock().advance(1);
    }
    take(table.flush());
    machine_.executor().run_due();
  }

  // Returns the number of data blocks that were read.
  std::uint64_t get(Mix mix) {
    const StoreTable table = machine_.table("t");
    const hfile::ReadLog log;
    for (int i = 0; i < kGetsOfRound; ++i) {
      const bool is_row = mix == Mix::kWholeRows || (mix == Mix::kBoth && random_() % 2 == 0);
      const bool is_absent = is_row ? random_() % 2 == 0 : random_() % 5 == 0;
      GetRequest request;
      request.row = row_name(2 * (random_() % kRows) + (is_absent ? 1 : 0));
      if (!is_row) {
        request.columns = {
            {.family = "f",
             .qualifier = fmt::format("{}{}", random_() % 2 == 0 ? "c" : "d", random_() % 10)}};
      }
      take(table.reader().get(request));
    }
    return static_cast<std::uint64_t>(std::ranges::count_if(log.reads(), [](const hfile::BlockRead& read) {
      return hfile::group_of(read.address.kind) == BlockGroup::kData;
    }));
  }

  const std::vector<table::StoreFilePointer>& files() {
    const auto& state = StoreAccess::state_of(machine_.store());
    return state->table("t")->regions.front()->families().front().files->files;
  }
  std::uint64_t bytes_of_filters() {
    std::uint64_t bytes = 0;
    for (const auto& file : files()) {
      for (const hfile::ChunkedFilter* const filter : file->file->filters()) {
        bytes += filter->meta().total_bytes;
      }
    }
    return bytes;
  }

  std::string mix_;
  std::string kind_;
  SimulatedStore machine_;
  std::mt19937_64 random_{44};
};

void print_mixes() {
  fmt::print("mix\tphase\tfilter\tdata_blocks_per_get\tfilter_bytes\tfiles\tnewest_file\n");
  const std::vector<std::pair<const char*, Mix>> phases = {
      {"rows", Mix::kWholeRows}, {"columns", Mix::kColumns}, {"both", Mix::kBoth}};
  for (const char* const kind : {"NONE", "ROW", "ROWCOL", "AUTO"}) {
    for (const auto& [name, mix] : phases) {
      Run(name, kind).phase(name, mix);
    }
    Run changing("changing", kind);
    for (const auto& [name, mix] : phases) {
      changing.phase(name, mix);
    }
  }
}

struct Measured {
  std::uint64_t bytes = 0;
  double false_positives = 0;  // of a get that asks each file
};

// Writes a file of each size with the rate, and asks it for rows that it does not have.
Measured measure(const std::vector<std::uint64_t>& sizes, const std::vector<double>& rates) {
  Measured measured;
  sim::SimulatedDisk disk;
  take(disk.make_directory("/d"));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string path = fmt::format("/d/{}", i);
    HFileWriteOptions options{.bloom = {.type = hfile::BloomType::kRow}};
    options.bloom.own_size = filter_size({.keys = static_cast<double>(sizes[i])}, rates[i]);
    options.bloom.type = options.bloom.own_size ? hfile::BloomType::kRow : hfile::BloomType::kNone;
    auto writer = take(hfile::WriterAccess::create_in(disk, path, options));
    for (std::uint64_t row = 0; row < sizes[i]; ++row) {
      const std::string name = row_name(2 * row);
      take(writer.append({.key = {name, "f", "q", 1, CellType::kPut}}));
    }
    take(writer.finish());
    const auto file = take(hfile::OpenFile::open(path, {.keep_bloom_chunks = true}, {.files = &disk}));
    measured.bytes += file->bloom() ? file->bloom()->meta().total_bytes : 0;
    const std::uint64_t probes = std::max<std::uint64_t>(sizes[i], 100'000);
    std::uint64_t maybes = 0;
    for (std::uint64_t probe = 0; probe < probes; ++probe) {
      // Between the rows of the file; the same row in another form if there are more probes than rows.
      maybes += file->may_contain_row(row_name(2 * (probe % sizes[i])) + std::to_string(probe)) ? 1U : 0U;
    }
    measured.false_positives += static_cast<double>(maybes) / static_cast<double>(probes);
  }
  return measured;
}

void print_spread() {
  fmt::print("files\tbytes_uniform\tbytes_spread\tfp_uniform\tfp_spread\tratio_measured\tratio_predicted\n");
  const std::vector<std::vector<std::uint64_t>> stores = {{50'000, 50'000, 50'000, 50'000},
                                                          {200'000, 20'000, 20'000},
                                                          {200'000, 20'000, 20'000, 20'000},
                                                          {270'000, 90'000, 30'000, 10'000, 10'000},
                                                          {500'000, 50'000, 5000, 5000, 5000},
                                                          {500'000, 5000, 5000, 5000},
                                                          {400'000, 100'000, 25'000, 6000, 6000, 6000}};
  for (const auto& sizes : stores) {
    std::vector<FilterPart> parts;
    double bits = 0;
    std::string name;
    for (const std::uint64_t size : sizes) {
      parts.push_back({.keys = static_cast<double>(size)});
      bits += filter_bits(parts.back(), 0.01);
      name += (name.empty() ? "" : " ") + std::to_string(size);
    }
    const std::vector<double> uniform(sizes.size(), 0.01);
    const std::vector<double> spread = spread_rates(parts, bits);
    const Measured of_uniform = measure(sizes, uniform);
    const Measured of_spread = measure(sizes, spread);
    fmt::print(
        "{}\t{}\t{}\t{:.5f}\t{:.5f}\t{:.3f}\t{:.3f}\n", name, of_uniform.bytes, of_spread.bytes,
        of_uniform.false_positives, of_spread.false_positives,
        of_spread.false_positives / of_uniform.false_positives,
        std::accumulate(spread.begin(), spread.end(), 0.0) / (0.01 * static_cast<double>(sizes.size())));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace bloomery::store

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what == "mixes") {
    bloomery::store::print_mixes();
  } else if (what == "spread") {
    bloomery::store::print_spread();
  } else {
    fmt::print(stderr, "auto_filter: expected mixes or spread\n");
    return 2;
  }
  return 0;
}
