// What does a canonical URL cost as a key, beside the hash of the same line as it is?
//
// Reads URL lines (tools/url_stream prints some; the first 2,000, which is a batch of the command) and takes
// the median of 1,001 passes over each of: XXH3-128 of the lines, which is the peer; the canonical form of
// lines that are canonical already; of the same lines with a fragment behind them, which have to be written
// anew; with the query sorted; with an international host; and the hash of canonical keys as the command
// makes it (KeyHasher). The lines are in memory; one thread.
//   build/bench/tools/url_stream 3000 --distinct > urls; taskset -c 1 build/bench/bench/canonical_url_bench
//   urls
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "keys/key_hasher.h"
#include "keys/url/canonical_url.h"
#include "timing.h"

namespace bloomery {
namespace {

constexpr int kPasses = 1001;
constexpr std::size_t kLines = 2000;

double median_ns(std::size_t lines, const std::function<void()>& pass) {
  std::vector<double> times;
  for (int i = 0; i < kPasses; ++i) {
    times.push_back(timed(lines, pass).ns);
  }
  return median(std::move(times));
}

double canonical_ns(const std::vector<std::string>& lines, const UrlOptions& options = {}) {
  UrlCanonicalizer urls(options);
  return median_ns(lines.size(), [&] {
    std::uint64_t sum = 0;
    for (const std::string& line : lines) {
      sum += urls.canonical(line)->size();
    }
    g_sink = sum;
  });
}

double hash_ns(const std::vector<std::string>& lines, const KeyTreatment& treatment) {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  KeyHasher hasher({}, treatment, {});
  std::vector<Hash128> hashes;
  return median_ns(lines.size(), [&] { g_sink = hasher.hash(views, 1, hashes) ? hashes.front().low : 0; });
}

int measure(const char* file) {
  std::ifstream input(file);
  std::vector<std::string> plain;
  std::vector<std::string> with_fragment;
  std::vector<std::string> with_query;
  std::vector<std::string> international;
  std::size_t bytes = 0;
  for (std::string line; plain.size() < kLines && std::getline(input, line);) {
    UrlCanonicalizer urls;
    if (urls.canonical(line) != line || line.find('/', 8) == std::string::npos) {
      continue;
    }
    bytes += line.size();
    plain.push_back(line);
    with_fragment.push_back(line + "#f");
    with_query.push_back(line.substr(0, line.find('?')) + "?b=2&a=1");
    international.push_back(
        "https://b\xc3\xbc"
        "cher.example" +
        line.substr(line.find('/', 8)));
  }
  if (plain.empty()) {
    fmt::print(stderr, "canonical_url_bench: {} has no canonical URL\n", file);
    return 2;
  }
  const double floor = hash_ns(plain, {});
  const auto row = [floor](const char* what, double ns) {
    fmt::print("{},{:.1f},{:.2f}\n", what, ns, ns / floor);
  };
  fmt::print("# {} lines, {:.1f} bytes on average\nwhat,ns_per_line,times_the_hash\n", plain.size(),
             static_cast<double>(bytes) / static_cast<double>(plain.size()));
  row("hash of the line", floor);
  row("canonical already", canonical_ns(plain));
  row("with a fragment", canonical_ns(with_fragment));
  row("query sorted", canonical_ns(with_query, {.sort_query = true}));
  row("international host", canonical_ns(international));
  row("hash of form url; canonical already", hash_ns(plain, {.form = KeyForm::kUrl}));
  row("hash of form url; with a fragment", hash_ns(with_fragment, {.form = KeyForm::kUrl}));
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: canonical_url_bench FILE\n");
    return 2;
  }
  return bloomery::measure(argv[1]);
}
