// Prints URLs like those of a web crawl, the same on every machine, as input for tests and benchmarks.
//
//   https://shop.laurel-panel.invalid/message/d0xipk5m?ref=cotton
//   `------------- host ------------' `words' `-code-' `- query, of some
//
// A URL is a pure function of (seed, id). Ids 0, 1, 2, ... are assigned as new URLs appear in the stream, so
// a repeat is a random draw among the ids so far, and no URL is stored.
//
// Invariants: distinct ids give distinct URLs, because each has a code after the last '/' or '-' of its path:
// the permuted id, as eight digits in base 36. Host names are reserved by RFC 2606 and RFC 6761. It uses only
// integer arithmetic: no floating point, and no std:: distribution, whose results differ between libraries.
//
// Limits: it does not imitate the skew of real repeats (every earlier URL is equally likely) or of hosts.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "tools/url_words.h"

namespace url_stream {
namespace {

using namespace std::literals::string_view_literals;

constexpr std::string_view kHelp =
    R"(Prints URL lines, the same for the same arguments on every machine.

  url_stream COUNT [--seed S] [--repeats R]
      COUNT lines; each is with probability R (default 0.4) a repeat of an earlier line, else a new URL.
  url_stream COUNT --sample K [--seed S] [--repeats R]
      K distinct URLs of that stream, spread evenly over its distinct ones.
  url_stream COUNT --distinct [--first ID] [--seed S]
      COUNT distinct URLs, with the ids ID, ID+1, ... (default 0). A stream with D distinct URLs has the ids
      below D: --first 1000000000 gives URLs that no stream of up to 1000000000 lines has.
  url_stream --help

COUNT and ID are at most 10^12, S is a 64-bit number (default 1), R is from 0 to 1 with at most nine decimals.
Exit status: 0, also when the reader goes away; 2 for bad arguments or a failed write.
)";

constexpr std::uint64_t kCountMax = 1'000'000'000'000;
constexpr std::uint64_t kBillion = 1'000'000'000;
constexpr int kExitTrouble = 2;

[[noreturn]] void fail(const std::string& message) {
  std::cerr << "url_stream: " << message << '\n';
  std::exit(kExitTrouble);  // NOLINT(concurrency-mt-unsafe): one thread
}

// ---- numbers

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// A text of up to fifteen bytes with its size. Always copying sixteen bytes avoids a call and a branch: a
// line costs 36 ns, instead of 62 ns with memcpy() of each text's own size.
struct ShortText {
  static constexpr std::size_t kRoom = 15;

  constexpr ShortText() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): tables are lists of texts
  constexpr ShortText(std::string_view text) : size(static_cast<unsigned char>(text.size())) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      bytes[i] = text[i];  // out of bounds is a compile-time error in a constant expression
    }
  }

  std::array<char, kRoom> bytes{};
  unsigned char size = 0;
};
static_assert(sizeof(ShortText) == ShortText::kRoom + 1);

constexpr auto kShortWords = [] {
  std::array<ShortText, kWords.size()> words;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    words[i] = ShortText(kWords[i]);
  }
  return words;
}();

class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t position) : state_(mix(mix(seed + kStep) + position)) {}

  // The remainder favours small values by less than bound / 2^64, which is not detectable in any file of
  // lines.
  std::uint64_t below(std::uint64_t bound) {
    state_ += kStep;
    return mix(state_) % bound;
  }
  bool chance_in_256(std::uint64_t favourable) { return below(256) < favourable; }
  const ShortText& word() { return kShortWords[below(kShortWords.size())]; }
  template <std::size_t size>
  const ShortText& one_of(const std::array<ShortText, size>& choices) {
    return choices[below(size)];
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t state_;
};

// 41 bits hold every id for two arguments of up to 10^12, and fit into eight digits of base 36.
constexpr unsigned kCodeBits = 41;
constexpr std::uint64_t kCodeMask = (std::uint64_t{1} << kCodeBits) - 1;
constexpr std::size_t kCodeDigits = 8;
static_assert(2 * kCountMax <= kCodeMask);
static_assert(kCodeMask < 36ULL * 36 * 36 * 36 * 36 * 36 * 36 * 36);

// A permutation of the 41-bit numbers, because each step (exclusive or, odd factor, shift by half the width)
// is invertible.
constexpr std::uint64_t permuted_code(std::uint64_t seed, std::uint64_t id) {
  std::uint64_t code = (id ^ mix(seed)) & kCodeMask;
  code = (code * 0x9e3779b97f4a7c15) & kCodeMask;
  code ^= code >> 21;
  code = (code * 0xbf58476d1ce4e5b9) & kCodeMask;
  return code ^ (code >> 21);
}

// ---- output

constexpr std::size_t kDigitPairCount = std::size_t{36} * 36;
constexpr auto kDigitPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::array<std::array<char, 2>, kDigitPairCount> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {kDigits[i / 36], kDigits[i % 36]};
  }
  return pairs;
}();

// The position of the next byte of a line. Its address is never taken, so that it stays in a register while
// bytes are stored.
class LineEnd {
 public:
  explicit LineEnd(char* begin) : end_(begin) {}

  template <std::size_t room>
  void append(const char (&literal)[room]) {
    std::memcpy(end_, literal, room - 1);
    end_ += room - 1;
  }

  void append(const ShortText& text) {
    std::memcpy(end_, &text, sizeof text);  // the bytes beyond its size are overwritten later
    end_ += text.size;
  }

  // Appends eight digits in base 36, with leading zeros, as four pairs. No division depends on more than one
  // other.
  void append_base36(std::uint64_t number) {
    constexpr std::uint64_t kPairs = kDigitPairCount;
    const std::uint64_t high = number / (kPairs * kPairs);
    const std::uint64_t low = number % (kPairs * kPairs);
    char* const begin = end_;
    std::memcpy(begin, kDigitPairs[high / kPairs].data(), 2);
    std::memcpy(begin + 2, kDigitPairs[high % kPairs].data(), 2);
    std::memcpy(begin + 4, kDigitPairs[low / kPairs].data(), 2);
    std::memcpy(begin + 6, kDigitPairs[low % kPairs].data(), 2);
    end_ += kCodeDigits;
  }

  void append_decimal(std::uint64_t number) {
    char* const begin = end_;
    end_ += static_cast<std::size_t>(std::to_chars(begin, begin + 20, number).ptr - begin);
  }

  void append_two_digits(std::uint64_t number) {
    end_[0] = static_cast<char>('0' + number / 10);
    end_[1] = static_cast<char>('0' + number % 10);
    end_ += 2;
  }

  char* get() const { return end_; }

 private:
  char* end_;
};

// Buffers lines and writes them to standard output in large blocks.   Calls: (begin_line end_line)* flush
class LineWriter {
 public:
  // begin_line() returns the position for a line of at most 256 bytes, and end_line() commits the line.
  LineEnd begin_line() { return LineEnd(buffer_.data() + used_); }

  void end_line(LineEnd line) {
    line.append("\n");
    used_ = static_cast<std::size_t>(line.get() - buffer_.data());
    if (used_ >= kFlushBytes) {
      flush();
    }
  }

  void flush() {
    for (std::size_t written = 0; written < used_;) {
      const ssize_t result = ::write(STDOUT_FILENO, buffer_.data() + written, used_ - written);
      if (result >= 0) {
        written += static_cast<std::size_t>(result);
      } else if (errno == EPIPE) {
        // `url_stream ... | head` needs no more lines.
        std::exit(EXIT_SUCCESS);  // NOLINT(concurrency-mt-unsafe): one thread
      } else if (errno != EINTR) {
        fail("cannot write to standard output: " + std::generic_category().message(errno));
      }
    }
    used_ = 0;
  }

 private:
  // The longest possible line has 107 bytes, and the slack has 256, so append() needs no checks.
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 18;
  static constexpr std::size_t kSlackBytes = 256;

  std::vector<char> buffer_ = std::vector<char>(kFlushBytes + kSlackBytes);
  std::size_t used_ = 0;
};

// ---- one URL

[[gnu::always_inline]] inline void append_joined_words(LineEnd& out, Draws& draws, int count) {
  out.append(draws.word());
  for (int word = 1; word < count; ++word) {
    out.append("-");
    out.append(draws.word());
  }
}

[[gnu::always_inline]] inline void append_host(LineEnd& out, Draws& draws) {
  static constexpr std::array<ShortText, 8> kSubdomains = {"www."sv, "www."sv,  "www."sv,  ""sv,
                                                           ""sv,     "shop."sv, "blog."sv, "m."sv};
  static constexpr std::array<ShortText, 4> kReservedDomains = {".example.com"sv, ".example.org"sv,
                                                                ".example.net"sv, ".example"sv};
  static constexpr std::array<ShortText, 2> kTestDomains = {".test"sv, ".invalid"sv};
  out.append(draws.one_of(kSubdomains));
  if (draws.chance_in_256(160)) {
    append_joined_words(out, draws, 2);
    out.append(kTestDomains[draws.chance_in_256(192) ? 0 : 1]);
  } else {
    out.append(draws.word());
    out.append(draws.one_of(kReservedDomains));
  }
}

// /2017/11/word-word-word-CODE.html
[[gnu::always_inline]] inline void append_article(LineEnd& out, Draws& draws, std::uint64_t code) {
  out.append("/");
  const std::uint64_t year = 1998 + draws.below(27);
  out.append_two_digits(year / 100);
  out.append_two_digits(year % 100);
  const std::uint64_t month = 1 + draws.below(12);
  out.append("/");
  out.append_two_digits(month);
  out.append("/");
  append_joined_words(out, draws, 3);
  out.append("-");
  out.append_base36(code);
  out.append(".html");
}

// /images/word/word-CODE.jpg
[[gnu::always_inline]] inline void append_picture(LineEnd& out, Draws& draws, std::uint64_t code) {
  static constexpr std::array<ShortText, 2> kEndings = {".jpg"sv, ".png"sv};
  out.append("/images/");
  out.append(draws.word());
  out.append("/");
  out.append(draws.word());
  out.append("-");
  out.append_base36(code);
  out.append(kEndings[draws.chance_in_256(192) ? 0 : 1]);
}

// /word/CODE
[[gnu::always_inline]] inline void append_member(LineEnd& out, Draws& draws, std::uint64_t code) {
  out.append("/");
  out.append(draws.word());
  out.append("/");
  out.append_base36(code);
}

// /word/word-word/CODE
[[gnu::always_inline]] inline void append_product(LineEnd& out, Draws& draws, std::uint64_t code) {
  out.append("/");
  out.append(draws.word());
  out.append("/");
  append_joined_words(out, draws, 2);
  out.append("/");
  out.append_base36(code);
}

// Appends nothing, ?page=N, ?ref=word, or ?ref=word&utm_source=word.
[[gnu::always_inline]] inline void append_query(LineEnd& out, Draws& draws) {
  const std::uint64_t kind = draws.below(256);
  if (kind < 160) {
    return;
  }
  if (kind < 192) {
    out.append("?page=");
    out.append_decimal(1 + draws.below(40));
    return;
  }
  out.append("?ref=");
  out.append(draws.word());
  if (kind >= 232) {
    out.append("&utm_source=");
    out.append(draws.word());
  }
}

// The weights give URLs a mean of 62 bytes: measured 61.9 over 10 million lines of seed 1.
[[gnu::always_inline]] inline void append_url(LineWriter& lines, std::uint64_t seed, std::uint64_t id) {
  Draws draws(seed, id);
  const std::uint64_t code = permuted_code(seed, id);
  LineEnd out = lines.begin_line();
  out.append("https://");
  append_host(out, draws);
  const std::uint64_t kind = draws.below(256);
  if (kind < 56) {
    append_article(out, draws, code);
  } else if (kind < 104) {
    append_picture(out, draws, code);
  } else if (kind < 168) {
    append_member(out, draws, code);
    append_query(out, draws);
  } else {
    append_product(out, draws, code);
    append_query(out, draws);
  }
  lines.end_line(out);
}

// ---- the stream of ids

struct Arguments {
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  std::uint64_t repeats_per_billion = 400'000'000;
  std::optional<std::uint64_t> sample;
  std::optional<std::uint64_t> distinct_first;  // --distinct, from this id
};

// Generates the id of each line; the ids below distinct_count() have appeared already.
class IdStream {
 public:
  // The seed is inverted, because the sequence must differ from that of every URL.
  explicit IdStream(const Arguments& arguments)
      : draws_(~arguments.seed, 0), repeats_per_billion_(arguments.repeats_per_billion) {}

  std::uint64_t next() {
    const bool repeats = draws_.below(kBillion) < repeats_per_billion_;
    if (repeats && distinct_count_ > 0) {
      return draws_.below(distinct_count_);
    }
    return distinct_count_++;
  }

  std::uint64_t distinct_count() const { return distinct_count_; }

 private:
  Draws draws_;
  std::uint64_t repeats_per_billion_;
  std::uint64_t distinct_count_ = 0;
};

void print_stream(LineWriter& out, const Arguments& arguments) {
  IdStream ids(arguments);
  for (std::uint64_t line = 0; line < arguments.count; ++line) {
    append_url(out, arguments.seed, ids.next());
  }
}

void print_distinct(LineWriter& out, const Arguments& arguments) {
  for (std::uint64_t line = 0; line < arguments.count; ++line) {
    append_url(out, arguments.seed, *arguments.distinct_first + line);
  }
}

// Prints the ids floor(j * D / K) for j < K. It adds D / K each time, because the product would not fit into
// 64 bits.
void print_sample(LineWriter& out, const Arguments& arguments) {
  IdStream ids(arguments);
  for (std::uint64_t line = 0; line < arguments.count; ++line) {
    ids.next();
  }
  const std::uint64_t wanted = *arguments.sample;
  if (wanted > ids.distinct_count()) {
    fail("--sample asks for " + std::to_string(wanted) + " distinct URLs, and a stream of " +
         std::to_string(arguments.count) + " lines has " + std::to_string(ids.distinct_count()));
  }
  std::uint64_t id = 0;
  std::uint64_t remainder = 0;
  for (std::uint64_t line = 0; line < wanted; ++line) {
    append_url(out, arguments.seed, id);
    id += ids.distinct_count() / wanted;
    remainder += ids.distinct_count() % wanted;
    if (remainder >= wanted) {
      remainder -= wanted;
      ++id;
    }
  }
}

// Enlarges the pipe, so that writer and reader run in parallel. Does nothing if standard output is no pipe.
void enlarge_pipe() {
  constexpr int kPipeBytes = 1 << 20;  // the limit of Linux for every user
  (void)::fcntl(STDOUT_FILENO, F_SETPIPE_SZ, kPipeBytes);
}

// ---- arguments

std::uint64_t parse_number(std::string_view what, std::string_view text, std::uint64_t max) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > max) {
    fail(std::string(what) + " must be a whole number from 0 to " + std::to_string(max) + ", not '" +
         std::string(text) + "'");
  }
  return number;
}

// Converts "0.4" to 400,000,000 digit by digit, so that rounding never decides whether a line is a repeat.
std::uint64_t parse_per_billion(std::string_view what, std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  const bool well_formed = digits.size() <= 1 && digits.size() + decimals.size() > 0 &&
                           decimals.size() <= 9 &&
                           text.find_first_not_of("0123456789.") == std::string_view::npos &&
                           decimals.find('.') == std::string_view::npos;
  if (well_formed) {
    digits.append(decimals).append(9 - decimals.size(), '0');
    if (const std::uint64_t number = std::stoull(digits); number <= kBillion) {
      return number;
    }
  }
  fail(std::string(what) + " must be from 0 to 1 with at most nine decimals, not '" + std::string(text) +
       "'");
}

void check_combination(const Arguments& arguments, bool has_first, bool has_repeats) {
  if (arguments.distinct_first && arguments.sample) {
    fail("--sample and --distinct exclude each other");
  }
  if (arguments.distinct_first && has_repeats) {
    fail("--repeats has no meaning with --distinct");
  }
  if (!arguments.distinct_first && has_first) {
    fail("--first needs --distinct");
  }
}

Arguments parse_arguments(const std::vector<std::string_view>& words) {
  Arguments arguments;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> first;
  bool distinct = false;
  bool has_repeats = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const auto value = [&]() -> std::string_view {
      return at + 1 < words.size() ? words[++at] : (fail(std::string(word) + " needs a value"), "");
    };
    if (word == "--seed") {
      arguments.seed = parse_number(word, value(), std::numeric_limits<std::uint64_t>::max());
    } else if (word == "--repeats") {
      arguments.repeats_per_billion = parse_per_billion(word, value());
      has_repeats = true;
    } else if (word == "--sample") {
      arguments.sample = parse_number(word, value(), kCountMax);
    } else if (word == "--first") {
      first = parse_number(word, value(), kCountMax);
    } else if (word == "--distinct") {
      distinct = true;
    } else if (word.starts_with("-") || count) {
      fail("unexpected argument '" + std::string(word) + "'; see --help");
    } else {
      count = parse_number("COUNT", word, kCountMax);
    }
  }
  if (!count) {
    fail("COUNT is missing; see --help");
  }
  arguments.count = *count;
  if (distinct) {
    arguments.distinct_first = first.value_or(0);
  }
  check_combination(arguments, first.has_value(), has_repeats);
  return arguments;
}

int run(const std::vector<std::string_view>& words) {
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    std::cout << kHelp << std::flush;
    return std::cout.good() ? EXIT_SUCCESS : kExitTrouble;
  }
  std::signal(SIGPIPE, SIG_IGN);  // so that write() returns the error
  const Arguments arguments = parse_arguments(words);
  enlarge_pipe();
  LineWriter out;
  if (arguments.distinct_first) {
    print_distinct(out, arguments);
  } else if (arguments.sample) {
    print_sample(out, arguments);
  } else {
    print_stream(out, arguments);
  }
  out.flush();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace url_stream

int main(int argc, char** argv) {
  return url_stream::run({argv + 1, argv + argc});
}
