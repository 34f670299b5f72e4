// How many bits per key does each type of filter take, beside the least that any filter can take?
//
// Every type is filled with N random hashes (10^6 unless given), planned for them. Its size is that of its file, header
// and all. The least is log2(1 / fpp) bits a key for a filter that may err at this fpp. The fpp is also counted, on 2^24
// hashes that are not in, and all N keys are asked. If a key is lost, or the fpp is far above the one that was asked for,
// the program ends with status 1.
//
//   bits_per_key [N]      prints a Markdown table: "9.58 (1.44)" are 9.58 bits a key, 1.44 times the least
//
// A scalable filter starts with room for 16,384 keys and grows. A windowed filter has all keys in its window. An exact set
// does not err, so the least does not apply to it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/timing.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/ribbon_filter.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kStrangers = std::uint64_t{1} << 24;
constexpr std::uint64_t kFirstStranger = std::uint64_t{1} << 40;
constexpr std::size_t kBatch = 4096;

struct AskedFpp {
  double fpp;
  const char* text;
};
constexpr std::array<AskedFpp, 6> kAsked = {{{1e-2, "1 %"},
                                             {0x1p-8, "2^-8"},
                                             {1e-3, "0.1 %"},
                                             {0x1p-12, "2^-12"},
                                             {1e-4, "0.01 %"},
                                             {0x1p-16, "2^-16"}}};

struct Kind {
  const char* name;
  FilterType type;
  BlockedSetting setting = BlockedSetting::kFast;
  bool is_exact = false;
};
constexpr std::array<Kind, 9> kKinds = {
    {{.name = "`ribbon`", .type = FilterType::kRibbon},
     {.name = "`bloom`", .type = FilterType::kBloom},
     {.name = "`blocked:dense`", .type = FilterType::kBlocked, .setting = BlockedSetting::kDense},
     {.name = "`blocked:fast`", .type = FilterType::kBlocked},
     {.name = "`quotient`", .type = FilterType::kQuotient},
     {.name = "`scalable`", .type = FilterType::kScalable},
     {.name = "`windowed`", .type = FilterType::kWindowed},
     {.name = "`counting`", .type = FilterType::kCounting},
     {.name = "exact set", .type = FilterType::kBlocked, .is_exact = true}}};

[[noreturn]] void fail(int status, const std::string& message) {
  fmt::print(stderr, "bits_per_key: {}\n", message);
  std::exit(status);  // NOLINT(concurrency-mt-unsafe): nothing else runs
}

template <typename Value>
Value checked(Result<Value> result) {
  if (!result) {
    fail(2, result.error().to_string());
  }
  return std::move(*result);
}

Hash128 hash_at(std::uint64_t index) {
  return {.low = mixed(index + 1), .high = mixed(~index)};
}

// Calls `visit` with batches of the hashes at [first, first + count).
void for_batches(std::uint64_t first, std::uint64_t count,
                 const std::function<void(std::span<const Hash128>)>& visit) {
  std::vector<Hash128> hashes;
  for (std::uint64_t at = 0; at < count; at += hashes.size()) {
    hashes.resize(std::min<std::uint64_t>(count - at, kBatch));
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      hashes[i] = hash_at(first + at + i);
    }
    visit(hashes);
  }
}

AnyFilter empty_filter(const Kind& kind, std::uint64_t keys, double fpp) {
  FilterPlan plan{.type = kind.type, .capacity = keys, .fpp = fpp, .options = {.setting = kind.setting}};
  if (kind.type == FilterType::kScalable) {
    plan.capacity = std::min<std::uint64_t>(keys, 16'384);
  }
  if (kind.type == FilterType::kWindowed) {
    plan.options.window = Window::keys(keys);
  }
  if (kind.is_exact) {
    plan.exact_below = keys;
  }
  return checked(make_filter(plan));
}

AnyFilter filled(const Kind& kind, std::uint64_t keys, double fpp) {
  if (kind.type == FilterType::kRibbon) {
    std::vector<Hash128> hashes;
    for_batches(0, keys, [&](auto batch) { hashes.insert(hashes.end(), batch.begin(), batch.end()); });
    return checked(RibbonFilter::build_from_hashes(hashes, fpp));
  }
  AnyFilter filter = empty_filter(kind, keys, fpp);
  for_batches(0, keys, [&](auto batch) {
    for (const Hash128& hash : batch) {
      if (!filter.insert(hash)) {
        fail(1, std::string(kind.name) + " refused a key that it is made for");
      }
    }
  });
  return filter;
}

std::uint64_t found(const AnyFilter& filter, std::uint64_t first, std::uint64_t count) {
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> answers;
  for_batches(first, count, [&](auto batch) {
    answers.assign((batch.size() + 63) / 64, 0);
    filter.may_contain_batch(batch, answers);
    for (const std::uint64_t word : answers) {
      sum += static_cast<std::uint64_t>(std::popcount(word));
    }
  });
  return sum;
}

// Returns the cell of the table.
std::string measured(const Kind& kind, std::uint64_t keys, const AskedFpp& asked) {
  const AnyFilter filter = filled(kind, keys, asked.fpp);
  const std::string which = fmt::format("{} at {}", kind.name, asked.text);
  if (found(filter, 0, keys) != keys) {
    fail(1, which + " lost a key");
  }
  const auto wrong = static_cast<double>(found(filter, kFirstStranger, kStrangers));
  const double expected = (kind.is_exact ? 0 : asked.fpp) * static_cast<double>(kStrangers);
  if (wrong > expected + 5 * std::sqrt(expected)) {
    fail(1, fmt::format("{}: expected at most about {:.0f} false positives, found {:.0f}", which, expected,
                        wrong));
  }
  const double bits = static_cast<double>(filter.file_bytes()) * 8 / static_cast<double>(keys);
  return kind.is_exact ? fmt::format("{:.0f}", bits)
                       : fmt::format("{:.3f} ({:.3f})", bits, bits / -std::log2(asked.fpp));
}

void print_table(std::uint64_t keys) {
  std::string head = "| type |";
  std::string rule = "|---|";
  std::string least = "| the least |";
  for (const AskedFpp& asked : kAsked) {
    head += fmt::format(" {} |", asked.text);
    rule += "---:|";
    least += fmt::format(" {:.3f} |", -std::log2(asked.fpp));
  }
  fmt::print("{}\n{}\n{}\n", head, rule, least);
  for (const Kind& kind : kKinds) {
    fmt::print("| {} |", kind.name);
    for (const AskedFpp& asked : kAsked) {
      fmt::print(" {} |", measured(kind, keys, asked));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  const double keys = argc > 1 ? std::atof(argv[1]) : 1e6;
  if (argc > 2 || !(keys >= 1000 && keys <= 1e9)) {
    fmt::print(stderr, "Usage: bits_per_key [N]      N is from 1000 to 1e9\n");
    return 2;
  }
  bloomery::print_table(static_cast<std::uint64_t>(keys));
  return 0;
}
