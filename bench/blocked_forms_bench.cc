// At 0.1 % and below, which form of one cache line a key is better: bits in lanes, or bits anywhere in the
// cache line?
//
// Free bits need fewer bits per key (15.5 and 21.9 at 0.1 % and 0.01 %, k = 9 and 12, against 15.7 and 22.9
// for lanes, k = 8 and 16). This prototype gives them their best chance: queries by two register permutes and
// a blend for eight bits at a time, inserts by comparing word numbers in vectors. Both are sized for the same
// fpp; rows print what each costs, and the fpp that was met, so that the space won and the time lost stand
// side by side. The answer is in docs/blocked-bloom.md.
//   taskset -c 1 build/bench/bench/blocked_forms_bench [KEYS]      CSV; default 10^7 and 10^8 keys. Needs
//   AVX2.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/memory.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "filter/blocked/blocked_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define BENCH_AVX2 __attribute__((target("avx2")))

namespace bloomery {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// k bits anywhere in a cache line of sixteen 32-bit words, k from 9 to 16.
class FreeBlockedFilter {
 public:
  FreeBlockedFilter(double bits, std::uint32_t hash_count)
      : memory_(*AlignedBuffer::zeroed(static_cast<std::uint64_t>(bits) / 512 * 64)),
        table_{.words = reinterpret_cast<std::uint64_t*>(memory_.bytes().data()),
               .windows = memory_.bytes().size() / 64,
               .stride_shift = 3,
               .hash_count = hash_count} {}

  BENCH_AVX2 void insert_batch(std::span<const Hash128> hashes) {
    std::array<WindowPlace, 64> places;
    for (; !hashes.empty(); hashes = hashes.subspan(std::min<std::size_t>(64, hashes.size()))) {
      const std::size_t size = locate(hashes, places);
      for (std::size_t i = 0; i < size; ++i) {
        const auto [first, second] = positions(places[i].rest);
        alignas(32) std::array<std::uint32_t, 16> bits;
        _mm256_store_si256(reinterpret_cast<__m256i*>(bits.data()), first);
        _mm256_store_si256(reinterpret_cast<__m256i*>(bits.data() + 8), second);
        auto* const line = reinterpret_cast<__m256i*>(places[i].window);
        __m256i low = _mm256_load_si256(line);
        __m256i high = _mm256_load_si256(line + 1);
        for (std::uint32_t bit = 0; bit < table_.hash_count; ++bit) {
          const __m256i word = _mm256_set1_epi32(static_cast<int>(bits[bit] >> 5));
          const __m256i mask = _mm256_set1_epi32(static_cast<int>(1U << (bits[bit] & 31)));
          low = _mm256_or_si256(
              low,
              _mm256_and_si256(mask, _mm256_cmpeq_epi32(word, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))));
          high = _mm256_or_si256(
              high, _mm256_and_si256(
                        mask, _mm256_cmpeq_epi32(word, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15))));
        }
        _mm256_store_si256(line, low);
        _mm256_store_si256(line + 1, high);
      }
    }
  }

  BENCH_AVX2 void may_contain_batch(std::span<const Hash128> hashes, std::uint64_t* answers) const {
    std::array<std::array<WindowPlace, 64>, 2> places;
    std::size_t size = locate(hashes, places[0]);
    for (std::size_t turn = 0; size > 0; turn ^= 1) {
      hashes = hashes.subspan(size);
      const std::size_t next = hashes.empty() ? 0 : locate(hashes, places[turn ^ 1]);
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < size; ++i) {
        word |= contains(places[turn][i]) << i;
      }
      *answers++ = word;
      size = next;
    }
  }

 private:
  struct Positions {
    __m256i first;   // 0..511, the first eight
    __m256i second;  // the others; those beyond k repeat the first eight's
  };

  std::size_t locate(std::span<const Hash128> hashes, std::array<WindowPlace, 64>& places) const {
    const std::size_t size = std::min<std::size_t>(64, hashes.size());
    for (std::size_t i = 0; i < size; ++i) {
      places[i] = place_of(table_, hashes[i].low);
      __builtin_prefetch(places[i].window);
    }
    return size;
  }

  BENCH_AVX2 Positions positions(std::uint64_t rest) const {
    const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kWindowSalts.data()));
    const __m256i a = _mm256_set1_epi32(static_cast<int>(rest >> 32));
    const __m256i b = _mm256_set1_epi32(static_cast<int>((rest * kRestMultiplier) >> 32));
    const __m256i first = _mm256_srli_epi32(_mm256_mullo_epi32(a, salts), 23);
    const __m256i second = _mm256_srli_epi32(_mm256_mullo_epi32(b, salts), 23);
    const __m256i used = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(table_.hash_count) - 8),
                                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return {.first = first, .second = _mm256_blendv_epi8(first, second, used)};
  }

  BENCH_AVX2 static __m256i missing(__m256i low, __m256i high, __m256i position) {
    const __m256i word = _mm256_srli_epi32(position, 5);
    const __m256i from_low = _mm256_permutevar8x32_epi32(low, word);
    const __m256i from_high = _mm256_permutevar8x32_epi32(high, word);
    const __m256i upper = _mm256_slli_epi32(word, 28);  // bit 3 of the word number to the sign
    const __m256i found = _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(from_low), _mm256_castsi256_ps(from_high), _mm256_castsi256_ps(upper)));
    const __m256i mask =
        _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(position, _mm256_set1_epi32(31)));
    return _mm256_andnot_si256(found, mask);
  }

  BENCH_AVX2 std::uint64_t contains(const WindowPlace& place) const {
    const auto* const line = reinterpret_cast<const __m256i*>(place.window);
    const __m256i low = _mm256_load_si256(line);
    const __m256i high = _mm256_load_si256(line + 1);
    const auto [first, second] = positions(place.rest);
    const __m256i any = _mm256_or_si256(missing(low, high, first), missing(low, high, second));
    return static_cast<std::uint64_t>(_mm256_testz_si256(any, any));
  }

  AlignedBuffer memory_;
  BlockedTable table_;
};

constexpr std::size_t kBatch = 1024;

template <typename Use>
double nanoseconds(std::uint64_t first, std::uint64_t count, Use use) {
  std::vector<Hash128> hashes(kBatch);
  double seconds = 0;
  for (std::uint64_t done = 0; done < count; done += kBatch) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      hashes[i].low = mixed(mixed(first + done + i + 1));
    }
    const auto start = std::chrono::steady_clock::now();
    use(hashes);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return seconds * 1e9 / static_cast<double>(count);
}

struct Row {
  double insert = 0;
  std::vector<double> present;
  std::vector<double> absent;
  std::uint64_t hits = 0;
  std::uint64_t trials = 0;
};

template <typename Query>
void query_round(Row& row, std::uint64_t keys, int round, Query query) {
  constexpr std::uint64_t kProbes = std::uint64_t{1} << 21;
  std::vector<std::uint64_t> answers(kBatch / 64);
  row.present.push_back(nanoseconds(mixed(static_cast<std::uint64_t>(round)) % (keys / 2),
                                    std::min(kProbes, keys / 2),
                                    [&](auto& hashes) { query(hashes, answers.data()); }));
  row.absent.push_back(nanoseconds((std::uint64_t{1} << 40) + row.trials, kProbes, [&](auto& hashes) {
    query(hashes, answers.data());
    for (const std::uint64_t word : answers) {
      row.hits += static_cast<std::uint64_t>(__builtin_popcountll(word));
    }
  }));
  row.trials += kProbes;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(std::uint64_t keys, double fpp, const char* form, double bits_per_key, std::uint32_t k,
           const Row& row) {
  fmt::print("{},{:g},{},{:.2f},{},{:.2f},{:.2f},{:.2f},{:.3e}\n", keys, fpp, form, bits_per_key, k,
             row.insert, median(row.present), median(row.absent),
             static_cast<double>(row.hits) / static_cast<double>(row.trials));
}

void compare(std::uint64_t keys, double fpp, double free_bits_per_key, std::uint32_t free_k) {
  BlockedBloomFilter lanes = *BlockedBloomFilter::for_capacity(keys, fpp);
  FreeBlockedFilter free(free_bits_per_key * static_cast<double>(keys), free_k);
  Row lane_row;
  Row free_row;
  lane_row.insert =
      nanoseconds(0, keys, [&](auto& hashes) { lanes.insert_batch(hashes, Sharing::kExclusive); });
  free_row.insert = nanoseconds(0, keys, [&](auto& hashes) { free.insert_batch(hashes); });
  for (int round = 0; round < 9; ++round) {
    query_round(lane_row, keys, round, [&](auto& hashes, std::uint64_t* answers) {
      lanes.may_contain_batch(hashes, {answers, kBatch / 64});
    });
    query_round(free_row, keys, round,
                [&](auto& hashes, std::uint64_t* answers) { free.may_contain_batch(hashes, answers); });
  }
  print(keys, fpp, "lanes", static_cast<double>(lanes.shape().bits()) / static_cast<double>(keys),
        lanes.shape().hash_count, lane_row);
  print(keys, fpp, "free", free_bits_per_key, free_k, free_row);
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes = {10'000'000, 100'000'000};
  if (argc > 1) {
    sizes = {static_cast<std::uint64_t>(std::strtod(argv[1], nullptr))};
  }
  fmt::print("keys,fpp,form,bits_per_key,k,insert_ns,present_ns,absent_ns,measured_fpp\n");
  for (const std::uint64_t keys : sizes) {
    bloomery::compare(keys, 1e-3, 15.5, 9);
    bloomery::compare(keys, 1e-4, 21.95, 12);
  }
  return 0;
}

#else

int main() {
  fmt::print("needs AVX2\n");
}

#endif
