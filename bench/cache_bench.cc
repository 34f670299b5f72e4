// How often does a cache of blocks find what is asked for? The project's policy beside LRU and the rules of HBase's
// LruBlockCache, over recorded traces, with the same bytes.
//
//   cache_bench TRACE...        CSV: trace,share,bytes,lru,hbase,own     hits in 100 questions; of the last 80 %
//
// A line of a trace is "FILE OFFSET BYTES": a block that was asked for. table_bench records them. share is the part of
// the trace's different bytes that the cache may hold.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/cache/policies.h"

namespace bloomery {
namespace {

struct Question {
  std::uint64_t key;
  std::uint64_t bytes;
};

struct Trace {
  std::vector<Question> questions = {};
  std::uint64_t bytes = 0;  // of all blocks, each once
};

Trace read_trace(const std::string& path) {
  Trace trace;
  std::ifstream lines(path);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> keys;
  std::uint64_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  while (lines >> file >> offset >> bytes) {
    const auto [key, is_new] = keys.try_emplace({file, offset}, keys.size());
    trace.bytes += is_new ? bytes : 0;
    trace.questions.push_back({key->second, bytes});
  }
  return trace;
}

template <typename Policy>
double hits(const Trace& trace, std::uint64_t most_bytes) {
  Policy policy(most_bytes);
  const std::size_t begin = trace.questions.size() / 5;
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < trace.questions.size(); ++i) {
    const bool is_hit = policy.ask(trace.questions[i].key, trace.questions[i].bytes);
    found += is_hit && i >= begin ? 1U : 0U;
  }
  return 100.0 * static_cast<double>(found) / static_cast<double>(trace.questions.size() - begin);
}

int run(const std::vector<std::string>& paths) {
  fmt::print("trace,share,bytes,lru,hbase,own\n");
  for (const std::string& path : paths) {
    const Trace trace = read_trace(path);
    if (trace.questions.empty()) {
      fmt::print(stderr, "cache_bench: {}: no questions\n", path);
      return 1;
    }
    for (const double share : {0.01, 0.05, 0.2, 0.5}) {
      const auto bytes = static_cast<std::uint64_t>(share * static_cast<double>(trace.bytes));
      fmt::print("{},{},{},{:.1f},{:.1f},{:.1f}\n", std::filesystem::path(path).stem().string(), share, bytes,
                 hits<Lru>(trace, bytes), hits<LruRules>(trace, bytes), hits<OwnPolicy>(trace, bytes));
    }
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run({argv + 1, argv + argc});
}
