// What does a key cost in a ribbon that lies on disk: with its pages in memory and without, one at a time and in batches?
//
//   serving_bench FILE [KEYS]      KEYS cold keys in batches, default 200,000; a hundredth of them one at a time
//
// The hashes are random, so nearly all are absent; they touch the pages that present ones touch. "Cold" means that the
// page cache has nothing of the file when the round begins. Batches have 1,024 keys. A cold filter is opened as one
// (OpenOptions::is_cold). Its batches then ask for their pages ahead, which one key alone cannot do. Checksums are
// verified shard by shard on first touch, or not at all.
//
// CSV: pages,checksums,way,keys,ns. Lines that begin with # compare. Dirty pages of the file are written first.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "bench/timing.h"
#include "bloomery/filter/ribbon_filter.h"

namespace bloomery {
namespace {

constexpr std::size_t kBatch = 1024;

std::vector<Hash128> random_hashes(std::uint64_t count, std::uint64_t seed) {
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = {.low = mixed(seed + 2 * i), .high = mixed(seed + 2 * i + 1)};
  }
  return hashes;
}

// Takes the file's pages out of the page cache. They are clean, so all go.
void forget(const char* path) {
  const int file = ::open(path, O_RDONLY);
  if (file < 0 || ::fdatasync(file) != 0 || ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) {
    fmt::print(stderr, "serving_bench: {}: its pages cannot be forgotten\n", path);
    std::exit(1);
  }
  ::close(file);
}

RibbonFilter opened(const char* path, Verify verify, bool is_cold) {
  auto filter = RibbonFilter::open(
      path,
      {.verify = verify, .recorded_keys = RecordedKeys::kKnown, .is_cold = is_cold, .without_secret = true});
  if (!filter) {
    fmt::print(stderr, "serving_bench: {}\n", filter.error().to_string());
    std::exit(1);
  }
  return std::move(filter.value());
}

void ask_singly(const RibbonFilter& filter, std::span<const Hash128> hashes) {
  std::uint64_t matches = 0;
  for (const Hash128& hash : hashes) {
    matches += filter.may_contain(hash) ? 1U : 0U;
  }
  g_sink = matches;
}

void ask_in_batches(const RibbonFilter& filter, std::span<const Hash128> hashes) {
  std::array<std::uint64_t, answer_words(kBatch)> answers;
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(hashes.size(), kBatch))) {
    filter.may_contain_batch(hashes.first(std::min(hashes.size(), kBatch)), answers);
    g_sink = answers[0];
  }
}

struct Row {
  const char* pages;
  const char* checksums;
  const char* way;
  double ns;
};

Row measured(const char* path, Verify verify, bool is_cold, bool is_batch, std::span<const Hash128> hashes) {
  RibbonFilter filter = opened(path, verify, is_cold);
  const auto ask = [&] { is_batch ? ask_in_batches(filter, hashes) : ask_singly(filter, hashes); };
  if (is_cold) {
    forget(path);
  } else {
    ask();  // brings the pages, and verifies the shards
  }
  const Row row{is_cold ? "cold" : "warm", verify == Verify::kChecksums ? "on first touch" : "not verified",
                is_batch ? "batches" : "one at a time", timed(hashes.size(), ask).ns};
  fmt::print("{},{},{},{},{:.1f}\n", row.pages, row.checksums, row.way, hashes.size(), row.ns);
  return row;
}

int run(const char* path, std::uint64_t keys) {
  fmt::print("pages,checksums,way,keys,ns\n");
  for (const Verify verify : {Verify::kHeaderOnly, Verify::kChecksums}) {
    for (const bool is_cold : {true, false}) {
      const auto many = random_hashes(keys, 1);
      const auto few = random_hashes(is_cold ? std::max<std::uint64_t>(keys / 100, 100) : keys, 1);
      const Row single = measured(path, verify, is_cold, false, few);
      const Row batch = measured(path, verify, is_cold, true, many);
      fmt::print("# {}, {}: batches answer {:.1f} times as many keys per second\n", single.pages,
                 single.checksums, single.ns / batch.ns);
    }
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  const std::uint64_t keys = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 200'000;
  if (argc < 2 || argc > 3 || keys == 0) {
    fmt::print(stderr, "usage: serving_bench FILE [KEYS]\n");
    return 2;
  }
  return bloomery::run(argv[1], keys);
}
