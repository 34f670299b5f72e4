#include "bloomery/filter/blocked_sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

constexpr int kWords = static_cast<int>(kWindowWords);
constexpr double kLeastBlockedFpp = 1e-10;

// Returns how many bits a key has in word `i` of its window.
constexpr int bits_in_word(int i, std::uint32_t hash_count) {
  return i < static_cast<int>(hash_count - kMinBlockedHashes) ? 2 : 1;
}

// Returns P(b, c), the probability that b different random bits of a word leave c specific bits clear.
constexpr double stays_clear(int bits, int clear) {
  constexpr std::array<std::array<double, 3>, 3> kTable = {
      {{1, 1, 1}, {1, 63.0 / 64, 62.0 / 64}, {1, 62.0 / 64, 62.0 * 61 / (64.0 * 63)}}};
  return kTable[static_cast<std::size_t>(bits)][static_cast<std::size_t>(clear)];
}

// c of the formula in blocked_sizing.h, which selects one term of its sum: how many of the query's bits are
// assumed to be clear, word by word.
using ClearBits = std::array<int, kWindowWords>;

// Returns sum_t (1 - prod_i P(b_l, c_i)). This is the expected number of keys that set a bit assumed to be
// clear, at one key for every start of a window.
double touched(const ClearBits& clear, std::uint32_t hash_count, BlockedSetting setting) {
  const int reach = setting == BlockedSetting::kFast ? 0 : kWords - 1;
  double sum = 0;
  for (int start = -reach; start <= reach; ++start) {
    double untouched = 1;
    for (int word = std::max(0, start); word < std::min(kWords, kWords + start); ++word) {
      untouched *= stays_clear(bits_in_word(word - start, hash_count), clear[static_cast<std::size_t>(word)]);
    }
    sum += 1 - untouched;
  }
  return sum;
}

// Advances to the next choice of clear bits, as an odometer whose digit i runs up to the bits of word i.
// Returns false after the last choice.
bool advance(ClearBits& clear, std::uint32_t hash_count) {
  for (int i = 0; i < kWords; ++i) {
    int& digit = clear[static_cast<std::size_t>(i)];
    if (digit < bits_in_word(i, hash_count)) {
      ++digit;
      return true;
    }
    digit = 0;
  }
  return false;
}

// Returns prod_i C(b_i, c_i) (-1)^c_i.
double coefficient(const ClearBits& clear, std::uint32_t hash_count) {
  double product = 1;
  for (int i = 0; i < kWords; ++i) {
    const int c = clear[static_cast<std::size_t>(i)];
    product *= (c == 1 && bits_in_word(i, hash_count) == 2) ? -2 : (c == 1 ? -1 : 1);
  }
  return product;
}

// The sum of blocked_sizing.h for one k and setting, prepared for any number of keys a window. Terms with
// equal touched() are merged.
class BlockedModel {
 public:
  BlockedModel(std::uint32_t hash_count, BlockedSetting setting) : setting_(setting) {
    std::map<double, double> coefficients;
    ClearBits clear{};
    do {
      coefficients[touched(clear, hash_count, setting)] += coefficient(clear, hash_count);
    } while (advance(clear, hash_count));
    terms_.assign(coefficients.begin(), coefficients.end());
  }

  // The sum is in long double: the terms alternate in sign, and are up to 2^16 times the smallest result.
  double fpp(double bits_per_key) const {
    const long double keys_a_window = static_cast<long double>(setting_) * 8 / bits_per_key;
    long double sum = 0;
    for (const auto& [touch, factor] : terms_) {
      sum += factor * std::exp(-keys_a_window * touch);
    }
    return static_cast<double>(std::clamp(sum, 0.0L, 1.0L));
  }

  // Returns the least bits per key at which the fpp is at most `wanted`. Searches by false position (the
  // Illinois rule) between log bits and log fpp, whose graph is nearly a straight line.
  double bits_per_key_for(double wanted) const {
    const auto excess = [&](double log_bits) {
      return std::log(std::max(fpp(std::exp(log_bits)), kLeastBlockedFpp / 100)) - std::log(wanted);
    };
    double low = std::log(0.01);
    double high = std::log(1024.0);
    double at_low = excess(low);
    double at_high = excess(high);
    for (int step = 0; step < 100 && high - low > 1e-9; ++step) {
      const double middle = std::clamp(low + (high - low) * at_low / (at_low - at_high),
                                       low + (high - low) / 64, high - (high - low) / 64);
      const double at_middle = excess(middle);
      if (at_middle > 0) {
        low = middle;
        at_low = at_middle;
        at_high /= 2;
      } else {
        high = middle;
        at_high = at_middle;
        at_low /= 2;
      }
    }
    return std::exp(high);
  }

 private:
  BlockedSetting setting_;
  std::vector<std::pair<double, double>> terms_;  // `touched` and coefficient of each term
};

// A cache of the last answers of a slow function. A program makes many filters of few plans, so each thread
// keeps some.
template <typename Answer>
class LastAnswers {
 public:
  struct Question {
    double number;
    BlockedSetting setting;
    std::uint32_t hash_count = 0;

    friend bool operator==(const Question&, const Question&) = default;
  };

  // Returns the answer, and computes it if it is not cached.
  template <typename Compute>
  Answer of(const Question& question, const Compute& compute) {
    for (std::size_t i = 0; i < std::min(next_, entries_.size()); ++i) {
      if (entries_[i].question == question) {
        return entries_[i].answer;
      }
    }
    const Answer answer = compute();
    entries_[next_++ % entries_.size()] = {question, answer};
    return answer;
  }

 private:
  struct Entry {
    Question question;
    Answer answer;
  };
  std::array<Entry, 16> entries_ = {};
  std::size_t next_ = 0;
};

// Returns the model of a k. A model costs up to 0.2 ms, so the models of the setting fast, which have few
// terms, are cached.
BlockedModel model_of(std::uint32_t hash_count, BlockedSetting setting) {
  static const std::vector<BlockedModel> fast_models = [] {
    std::vector<BlockedModel> models;
    for (std::uint32_t k = kMinBlockedHashes; k <= kMaxBlockedHashes; ++k) {
      models.emplace_back(k, BlockedSetting::kFast);
    }
    return models;
  }();
  return setting == BlockedSetting::kFast ? fast_models[hash_count - kMinBlockedHashes]
                                          : BlockedModel(hash_count, setting);
}

// The k that needs the fewest bits for an fpp, and these bits for each key.
struct LeastBits {
  double bits_per_key = 0;
  std::uint32_t hash_count = kMinBlockedHashes;
};

LeastBits search_least_bits(double fpp, BlockedSetting setting) {
  LeastBits least{.bits_per_key = 1e9};
  for (std::uint32_t k = kMinBlockedHashes; k <= kMaxBlockedHashes; ++k) {
    if (const double bits = model_of(k, setting).bits_per_key_for(fpp); bits < least.bits_per_key) {
      least = {.bits_per_key = bits, .hash_count = k};
    }
  }
  return least;
}

// Returns search_least_bits(). The search costs 1.5 ms, and 34 ms for the setting dense.
LeastBits least_bits_for(double fpp, BlockedSetting setting) {
  thread_local LastAnswers<LeastBits> answers;
  return answers.of({.number = fpp, .setting = setting}, [&] { return search_least_bits(fpp, setting); });
}

// Returns the k with the lowest fpp at this size.
std::uint32_t best_hash_count(double bits_per_key, BlockedSetting setting) {
  std::uint32_t best = kMinBlockedHashes;
  double least = 2;
  for (std::uint32_t k = kMinBlockedHashes; k <= kMaxBlockedHashes; ++k) {
    if (const double fpp = blocked_fpp(bits_per_key, k, setting); fpp < least) {
      least = fpp;
      best = k;
    }
  }
  return best;
}

// Returns at least `bits` as words, in the unit of the setting, and at least one window.
std::uint64_t words_for(long double bits, BlockedSetting setting) {
  const auto words = static_cast<std::uint64_t>(std::ceil(bits / 64));
  return setting == BlockedSetting::kFast ? std::max<std::uint64_t>((words + 7) / 8, 1) * 8
                                          : std::max<std::uint64_t>(words, kWindowWords);
}

double bits_per_key_of(const BlockedShape& shape, std::uint64_t key_count) {
  const double stride_bits = static_cast<double>(shape.setting) * 8;
  return static_cast<double>(shape.windows()) * stride_bits / static_cast<double>(key_count);
}

Result<BlockedShape> shape_of(long double bits, std::uint32_t hash_count, BlockedSetting setting) {
  if (bits > static_cast<long double>(kMaxBloomBits)) {
    return Error::invalid_argument("size", "expected at most 2^56 bits, found more");
  }
  return BlockedShape{.words = words_for(bits, setting), .hash_count = hash_count, .setting = setting};
}

}  // namespace

Status check_blocked_shape(const BlockedShape& shape) {
  const bool known = shape.setting == BlockedSetting::kFast || shape.setting == BlockedSetting::kDense;
  if (!known) {
    return Error::invalid_argument(
        "stride", "expected 8 or 64 bytes, found " + std::to_string(static_cast<int>(shape.setting)));
  }
  if (shape.words < kWindowWords || shape.words > kMaxBloomBits / 64 ||
      (shape.setting == BlockedSetting::kFast && shape.words % 8 != 0)) {
    return Error::invalid_argument("bits",
                                   "expected a multiple of 64 (of 512 for fast) from 512 to 2^56, found " +
                                       std::to_string(shape.words) + " words of 64");
  }
  if (shape.hash_count < kMinBlockedHashes || shape.hash_count > kMaxBlockedHashes) {
    return Error::invalid_argument("hash count",
                                   "expected 8 to 16, found " + std::to_string(shape.hash_count));
  }
  return {};
}

double blocked_fpp(double bits_per_key, std::uint32_t hash_count, BlockedSetting setting) {
  thread_local LastAnswers<double> answers;
  return answers.of({.number = bits_per_key, .setting = setting, .hash_count = hash_count},
                    [&] { return model_of(hash_count, setting).fpp(bits_per_key); });
}

double predicted_fpp(const BlockedShape& shape, std::uint64_t key_count) {
  return key_count == 0 ? 0 : blocked_fpp(bits_per_key_of(shape, key_count), shape.hash_count, shape.setting);
}

Result<BlockedShape> blocked_shape_for_fpp(std::uint64_t key_count, double fpp, BlockedSetting setting) {
  // Checks the ranges of keys and fpp, with the error messages of the textbook filter.
  BLOOMERY_RETURN_IF_ERROR(shape_for_fpp(key_count, fpp));
  if (fpp < kLeastBlockedFpp) {
    return Error::invalid_argument("fpp",
                                   "expected at least 1e-10 for a blocked Bloom filter; below, the textbook "
                                   "filter needs far fewer bits");
  }
  const auto keys = static_cast<long double>(std::max<std::uint64_t>(key_count, 1));
  const LeastBits least = least_bits_for(fpp, setting);
  const long double margin =
      setting == BlockedSetting::kDense ? 7 * 64 : 0;  // the last seven words start no window
  return shape_of(keys * least.bits_per_key + margin, least.hash_count, setting);
}

Result<BlockedShape> blocked_shape_for_bits_per_key(std::uint64_t key_count, double bits_per_key,
                                                    BlockedSetting setting) {
  BLOOMERY_RETURN_IF_ERROR(shape_for_bits_per_key(key_count, bits_per_key));
  const auto keys = static_cast<long double>(std::max<std::uint64_t>(key_count, 1));
  return shape_of(keys * bits_per_key, best_hash_count(bits_per_key, setting), setting);
}

Result<BlockedShape> blocked_shape_for_bytes(std::uint64_t bytes, double fpp, BlockedSetting setting) {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{kWindowWords} * 8;
  constexpr std::uint64_t kMostBytes = kMaxBloomBits / 8;
  if (bytes < kLeastBytes || bytes > kMostBytes) {
    return Error::invalid_argument("bytes", "expected 64 to 2^53, found " + std::to_string(bytes));
  }
  BLOOMERY_ASSIGN_OR_RETURN(BlockedShape shape, blocked_shape_for_fpp(1'000'000, fpp, setting));
  shape.words = setting == BlockedSetting::kFast ? bytes / 64 * 8 : bytes / 8;
  BLOOMERY_RETURN_IF_ERROR(check_blocked_shape(shape));
  return shape;
}

std::uint64_t capacity_at(const BlockedShape& shape, double fpp) {
  const double bits_per_key = model_of(shape.hash_count, shape.setting).bits_per_key_for(fpp);
  return static_cast<std::uint64_t>(bits_per_key_of(shape, 1) / bits_per_key);
}

double estimated_key_count(const BlockedShape& shape, std::uint64_t set_bits) {
  const auto bits = static_cast<double>(shape.bits());
  // If all bits are set, half a bit counts as clear, so that the logarithm is finite.
  const double clear = std::max(bits - static_cast<double>(set_bits), 0.5) / bits;
  const double double_words = shape.hash_count - kMinBlockedHashes;
  double keys_a_word = 0;
  if (shape.setting == BlockedSetting::kDense) {
    // Windows begin at any word, so each word serves as every word of a window.
    keys_a_word = -std::log(clear) * 64 / shape.hash_count;
    return keys_a_word * static_cast<double>(shape.words);
  }
  // Some words of a window get two bits from a key. Bisection finds the load x at which the mean of
  // exp(-x/64) and exp(-2x/64) over all words is `clear`.
  double low = 0;
  double high = -std::log(clear) * 64;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    const double mean =
        ((8 - double_words) * std::exp(-middle / 64) + double_words * std::exp(-middle / 32)) / 8;
    (mean > clear ? low : high) = middle;
  }
  return (low + high) / 2 * static_cast<double>(shape.windows());
}

}  // namespace bloomery
