// How fast are the filters of Parquet files proven?
//
//   verify_bench FILE.parquet...
//
// Each file is proven several times from the page cache. CSV: file,bytes,keys,verdict,seconds,mb_per_s, with the
// least CPU time of the rounds. bench/verify/parquet_files.py writes files of strings and of numbers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <limits>
#include <string>

#include <fmt/core.h>

#include "verify/parquet_proof.h"

namespace {

constexpr int kVerifyRounds = 5;

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

const char* verdict_name(bloomery::Verdict verdict) {
  constexpr std::array kNames = {"sound", "unproven", "denies", "damaged"};
  return kNames[static_cast<std::size_t>(verdict)];
}

void measure(const std::string& path) {
  double least = std::numeric_limits<double>::max();
  bloomery::Proof proof;
  for (int round = 0; round < kVerifyRounds; ++round) {
    const double start = cpu_seconds();
    proof = bloomery::prove_parquet_file(path, {});
    least = std::min(least, cpu_seconds() - start);
  }
  const std::uint64_t bytes = std::filesystem::file_size(path);
  fmt::print("{},{},{},{},{:.4f},{:.0f}\n", std::filesystem::path(path).filename().string(), bytes,
             proof.keys, verdict_name(proof.verdict()), least, static_cast<double>(bytes) / least / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("file,bytes,keys,verdict,seconds,mb_per_s\n");
  for (int i = 1; i < argc; ++i) {
    measure(argv[i]);
  }
}
