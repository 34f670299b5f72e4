// What does one key cost in a C++ program, beside the filters of Boost.Bloom?
//
// Contestants have the same bits per key, 16 and k = 8: BlockedBloomFilter as its header gives it, and Boost's
// fast_multiblock64 and fast_multiblock32; BloomFilter and Boost's filter of 8 bits anywhere. Everybody gets the same
// keys in the same order, half of those asked are in. Integers are hashed by each side's own default; strings by that,
// and Boost's also by XXH3, a good hash of 64 bits. "Ready" keys are hashes already. "In batches" is each side's own call
// for many keys, with batches of 1024 here. Where the call for one key is measured, answers are summed, as a loop of a
// program would: the processor may overlap one question with the next.
//
// All contestants take turns in every round; the median of 15 rounds is printed, in ns a key, with the measured
// false-positive rate of the contestant. The filters come from the allocator that each side's user gets without asking.
//
//   boost_bloom_bench [KEYS...]       CSV: keys,operation,contestant,ns,fpp
// Default 10^4, 10^6, 10^7, 10^8 keys; the last takes 4 GB. bench/boost_bloom.sh builds it for any x86-64 and for this
// machine, and writes the page.
#include <algorithm>
#include <boost/bloom/fast_multiblock32.hpp>
#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/key_batches.h"

namespace bloomery {
namespace {

constexpr std::size_t kRounds = 15;
constexpr std::size_t kBatch = 1024;
constexpr std::uint64_t kBitsPerKey = 16;
constexpr std::uint64_t kAsked = std::uint64_t{1} << 20;         // different keys of a round, at most
constexpr std::uint64_t kAskedInCache = std::uint64_t{1} << 14;  // of filters that stay in the first caches
constexpr std::uint64_t kAbsent = std::uint64_t{1} << 40;  // added to the number of a key that is not in

// Boost's filters of keys that are hashes already, and of strings by a good hash.
struct AsIs {
  using is_avalanching = std::true_type;
  std::size_t operator()(std::uint64_t hash) const { return hash; }
};
struct Xxh3 {
  using is_avalanching = std::true_type;
  std::size_t operator()(std::string_view key) const { return XXH3_64bits(key.data(), key.size()); }
};

template <typename Key, typename Block, typename Hash = boost::hash<Key>>
using Boost = boost::bloom::filter<Key, 1, Block, 0, Hash>;
using Block64 = boost::bloom::fast_multiblock64<8>;
using Block32 = boost::bloom::fast_multiblock32<8>;
template <typename Key, typename Hash = boost::hash<Key>>
using BoostTextbook = boost::bloom::filter<Key, 8, boost::bloom::block<unsigned char, 1>, 0, Hash>;

template <typename Filter>
Filter unwrapped(Result<Filter> made) {
  if (!made) {
    std::fprintf(stderr, "boost_bloom_bench: %s\n", made.error().to_string().c_str());
    std::exit(1);
  }
  return std::move(*made);
}

BlockedBloomFilter blocked_filter(std::uint64_t keys) {
  const BlockedShape shape{.words = (keys * kBitsPerKey + 511) / 512 * 8, .hash_count = 8};
  return unwrapped(BlockedBloomFilter::for_shape(shape, keys));
}

BloomFilter textbook_filter(std::uint64_t keys) {
  return unwrapped(BloomFilter::for_shape({.bits = keys * kBitsPerKey, .hash_count = 8}, keys));
}

// What contestants of one size have measured.
struct Table {
  std::uint64_t keys;
  std::vector<std::pair<std::string, std::string>> order;  // operation, contestant
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;
  std::map<std::string, double> fpps;  // by contestant

  void print() {
    for (const auto& row : order) {
      const auto fpp = fpps.find(row.second);
      std::printf("%" PRIu64 ",%s,%s,%.3f,", keys, row.first.c_str(), row.second.c_str(), median(times[row]));
      std::printf(fpp == fpps.end() ? "\n" : "%.6f\n", fpp == fpps.end() ? 0.0 : fpp->second);
    }
    std::fflush(stdout);
  }
};

// Work of one contestant, done as often in a round as makes kAsked keys.
struct Turn {
  std::string operation;
  std::string contestant;
  std::uint64_t keys;
  std::function<void()> work;

  double ns_per_key() const {
    const std::uint64_t times = std::max<std::uint64_t>(1, kAsked / keys);
    return timed(keys * times,
                 [&] {
                   for (std::uint64_t i = 0; i < times; ++i) {
                     work();
                   }
                 })
        .ns;
  }
};

void take_turns(Table& table, const std::vector<Turn>& turns) {
  for (const Turn& turn : turns) {
    turn.work();  // once unmeasured
    table.order.emplace_back(turn.operation, turn.contestant);
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (const Turn& turn : turns) {
      table.times[{turn.operation, turn.contestant}].push_back(turn.ns_per_key());
    }
  }
}

template <typename Filter, typename Keys>
std::function<void()> asking(const Filter& filter, const Keys& keys) {
  return [&filter, &keys] {
    std::uint64_t sum = 0;
    for (const auto& key : keys) {
      sum += filter.may_contain(key) ? 1U : 0U;
    }
    g_sink = sum;
  };
}

template <typename Filter, typename Keys>
std::function<void()> inserting(Filter& filter, const Keys& keys) {
  return [&filter, &keys] {
    for (const auto& key : keys) {
      filter.insert(key);
    }
  };
}

template <typename Filter, typename Keys>
double fpp_of(const Filter& filter, const Keys& absent) {
  std::uint64_t found = 0;
  for (const auto& key : absent) {
    found += filter.may_contain(key) ? 1U : 0U;
  }
  return static_cast<double>(found) / static_cast<double>(absent.size());
}

// Integer keys one at a time: i times an odd number, so that neither order nor density helps.
std::uint64_t integer_key(std::uint64_t i) {
  return mixed(i);
}

std::vector<std::uint64_t> asked_integers(std::uint64_t keys) {
  std::vector<std::uint64_t> asked(keys <= 100'000 ? kAskedInCache : kAsked);
  for (std::uint64_t i = 0; i < asked.size(); ++i) {
    const std::uint64_t member = mixed(i ^ 0x5bd1e995) % keys;
    asked[i] = integer_key(mixed(~i) % 2 == 0 ? member : kAbsent + i);
  }
  return asked;
}

template <typename Keep>
auto filtered(const std::vector<std::uint64_t>& keys, Keep keep) {
  std::vector<std::uint64_t> kept;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(kept), keep);
  return kept;
}

std::vector<std::uint64_t> absent_integers() {
  std::vector<std::uint64_t> absent(std::uint64_t{4} << 20);
  for (std::uint64_t i = 0; i < absent.size(); ++i) {
    absent[i] = integer_key(kAbsent + kAsked + i);
  }
  return absent;
}

// Boost's calls for many keys.
template <typename Filter>
std::function<void()> asking_many(const Filter& filter, const std::vector<std::uint64_t>& words) {
  return [&] {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < words.size(); at += kBatch) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
      filter.may_contain(first, first + kBatch,
                         [&sum](std::uint64_t, bool found) { sum += found ? 1U : 0U; });
    }
    g_sink = sum;
  };
}

template <typename Filter>
std::function<void()> inserting_many(Filter& filter, const std::vector<std::uint64_t>& words) {
  return [&] {
    for (std::size_t at = 0; at < words.size(); at += kBatch) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
      filter.insert(first, first + kBatch);
    }
  };
}

void integers(Table& table) {
  BlockedBloomFilter ours = blocked_filter(table.keys);
  Boost<std::uint64_t, Block64> boost64(table.keys * kBitsPerKey);
  Boost<std::uint64_t, Block32> boost32(table.keys * kBitsPerKey);
  for (std::uint64_t i = 0; i < table.keys; ++i) {
    ours.insert(integer_key(i));
    boost64.insert(integer_key(i));
    boost32.insert(integer_key(i));
  }
  const std::vector<std::uint64_t> asked = asked_integers(table.keys);
  const std::vector<std::uint64_t> absent = absent_integers();
  table.fpps["ours"] = fpp_of(ours, absent);
  table.fpps["boost64"] = fpp_of(boost64, absent);
  table.fpps["boost32"] = fpp_of(boost32, absent);
  take_turns(table, {{"integer query", "boost64", asked.size(), asking(boost64, asked)},
                     {"integer query", "ours", asked.size(), asking(ours, asked)},
                     {"integer query", "boost32", asked.size(), asking(boost32, asked)}});
  std::vector<std::uint64_t> members =
      filtered(asked, [&](std::uint64_t key) { return boost64.may_contain(key); });
  members.resize(members.size() / kBatch * kBatch);
  take_turns(table, {{"integer re-insert", "boost64", members.size(), inserting(boost64, members)},
                     {"integer re-insert", "ours", members.size(), inserting(ours, members)},
                     {"integer re-insert", "boost32", members.size(), inserting(boost32, members)}});
  const auto testing = [&](auto& filter) {
    return [&] {
      std::uint64_t sum = 0;
      for (const std::uint64_t key : members) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(filter)>, BlockedBloomFilter>) {
          sum += filter.test_and_insert(key) ? 1U : 0U;
        } else if (!filter.may_contain(key)) {
          filter.insert(key);
          ++sum;
        }
      }
      g_sink = sum;
    };
  };
  take_turns(table, {{"integer test and insert", "boost64", members.size(), testing(boost64)},
                     {"integer test and insert", "ours", members.size(), testing(ours)}});

  const auto ours_asking = [&] {
    std::vector<std::uint64_t> answers(answer_words(kBatch));
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < asked.size(); at += kBatch) {
      may_contain_keys(ours, std::span(asked).subspan(at, kBatch), answers);
      sum += answers[0];
    }
    g_sink = sum;
  };
  const auto ours_inserting = [&] {
    for (std::size_t at = 0; at < members.size(); at += kBatch) {
      insert_keys(ours, std::span(members).subspan(at, kBatch));
    }
  };
  take_turns(table, {{"integer batch query", "boost64", asked.size(), asking_many(boost64, asked)},
                     {"integer batch query", "ours", asked.size(), ours_asking},
                     {"integer batch query", "boost32", asked.size(), asking_many(boost32, asked)}});
  take_turns(table,
             {{"integer batch re-insert", "boost64", members.size(), inserting_many(boost64, members)},
              {"integer batch re-insert", "ours", members.size(), ours_inserting},
              {"integer batch re-insert", "boost32", members.size(), inserting_many(boost32, members)}});
}

void ready_hashes(Table& table) {
  BlockedBloomFilter ours = blocked_filter(table.keys);
  Boost<std::uint64_t, Block64, AsIs> boost64(table.keys * kBitsPerKey);
  Boost<std::uint64_t, Block32, AsIs> boost32(table.keys * kBitsPerKey);
  for (std::uint64_t i = 0; i < table.keys; ++i) {
    ours.insert(Hash128{.low = integer_key(i), .high = 0});
    boost64.insert(integer_key(i));
    boost32.insert(integer_key(i));
  }
  const std::vector<std::uint64_t> words = asked_integers(table.keys);
  std::vector<Hash128> hashes(words.size());
  std::transform(words.begin(), words.end(), hashes.begin(),
                 [](std::uint64_t word) { return Hash128{.low = word, .high = 0}; });
  take_turns(table, {{"ready query", "boost64", words.size(), asking(boost64, words)},
                     {"ready query", "ours", words.size(), asking(ours, hashes)},
                     {"ready query", "boost32", words.size(), asking(boost32, words)}});

  std::vector<Hash64> low_words(words.size());
  std::ranges::transform(words, low_words.begin(), [](std::uint64_t word) { return Hash64{word}; });
  const auto asking_words = [&] {
    std::vector<std::uint64_t> answers(answer_words(kBatch));
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < words.size(); at += kBatch) {
      ours.may_contain_batch(std::span<const Hash64>(low_words).subspan(at, kBatch), answers);
      sum += answers[0];
    }
    g_sink = sum;
  };
  take_turns(table, {{"batch query", "boost64", words.size(), asking_many(boost64, words)},
                     {"batch query", "ours", words.size(), asking_words},
                     {"batch query", "ours whole hashes", words.size(),
                      [&] { query_in_batches(ours, hashes, kBatch); }},
                     {"batch query", "boost32", words.size(), asking_many(boost32, words)}});

  std::vector<std::uint64_t> members =
      filtered(words, [&](std::uint64_t word) { return boost64.may_contain(word); });
  members.resize(members.size() / kBatch * kBatch);
  std::vector<Hash128> member_hashes(members.size());
  std::transform(members.begin(), members.end(), member_hashes.begin(),
                 [](std::uint64_t word) { return Hash128{.low = word, .high = 0}; });
  const auto ours_inserting = [&] {
    for (std::size_t at = 0; at < member_hashes.size(); at += kBatch) {
      ours.insert_batch(std::span(member_hashes).subspan(at, kBatch));
    }
  };
  std::vector<Hash64> low_members(members.size());
  std::ranges::transform(members, low_members.begin(), [](std::uint64_t word) { return Hash64{word}; });
  const auto ours_inserting_words = [&] {
    for (std::size_t at = 0; at < members.size(); at += kBatch) {
      ours.insert_batch(std::span<const Hash64>(low_members).subspan(at, kBatch));
    }
  };
  take_turns(table, {{"batch re-insert", "boost64", members.size(), inserting_many(boost64, members)},
                     {"batch re-insert", "ours", members.size(), ours_inserting_words},
                     {"batch re-insert", "ours whole hashes", members.size(), ours_inserting},
                     {"batch re-insert", "boost32", members.size(), inserting_many(boost32, members)}});
}

std::string string_key(std::uint64_t i, std::size_t size) {
  static constexpr char kDigits[] = "abcdefghijklmnopqrstuvwxyz012345";
  std::string key(size, 'x');
  std::uint64_t rest = mixed(i);
  for (std::size_t at = size - 13; at < size; ++at, rest >>= 5) {
    key[at] = kDigits[rest % 32];
  }
  return key;
}

void strings(Table& table, std::size_t size) {
  BlockedBloomFilter ours = blocked_filter(table.keys);
  Boost<std::string, Block64> own_hash(table.keys * kBitsPerKey);
  Boost<std::string, Block64, Xxh3> good_hash(table.keys * kBitsPerKey);
  for (std::uint64_t i = 0; i < table.keys; ++i) {
    const std::string key = string_key(i, size);
    ours.insert(key);
    own_hash.insert(key);
    good_hash.insert(key);
  }
  std::vector<std::string> asked(table.keys <= 100'000 ? kAskedInCache : kAsked / 4);
  for (std::uint64_t i = 0; i < asked.size(); ++i) {
    asked[i] = string_key(i % 2 == 0 ? mixed(i) % table.keys : kAbsent + i, size);
  }
  const std::string operation = "string query " + std::to_string(size) + " bytes";
  take_turns(table, {{operation, "boost64", asked.size(), asking(own_hash, asked)},
                     {operation, "ours", asked.size(), asking(ours, asked)},
                     {operation, "boost64 with xxh3", asked.size(), asking(good_hash, asked)}});
}

void textbook(Table& table) {
  BloomFilter ours = textbook_filter(table.keys);
  BoostTextbook<std::uint64_t> boost(table.keys * kBitsPerKey);
  for (std::uint64_t i = 0; i < table.keys; ++i) {
    ours.insert(integer_key(i));
    boost.insert(integer_key(i));
  }
  const std::vector<std::uint64_t> asked = asked_integers(table.keys);
  const std::vector<std::uint64_t> absent = absent_integers();
  table.fpps["ours textbook"] = fpp_of(ours, absent);
  table.fpps["boost textbook"] = fpp_of(boost, absent);
  take_turns(table, {{"textbook integer query", "boost textbook", asked.size(), asking(boost, asked)},
                     {"textbook integer query", "ours textbook", asked.size(), asking(ours, asked)}});
  const std::vector<std::uint64_t> members =
      filtered(asked, [&](std::uint64_t key) { return boost.may_contain(key); });
  take_turns(table,
             {{"textbook integer re-insert", "boost textbook", members.size(), inserting(boost, members)},
              {"textbook integer re-insert", "ours textbook", members.size(), inserting(ours, members)}});
}

void measure(std::uint64_t keys) {
  Table table{.keys = keys, .order = {}, .times = {}, .fpps = {}};
  integers(table);
  ready_hashes(table);
  if (keys <= 10'000'000) {  // making more strings would take longer than all else
    strings(table, 20);
    strings(table, 60);
  }
  textbook(table);
  table.print();
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < argc; ++i) {
    sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  }
  if (sizes.empty()) {
    sizes = {10'000, 1'000'000, 10'000'000, 100'000'000};
  }
  for (const std::uint64_t keys : sizes) {
    bloomery::measure(keys);
  }
}
