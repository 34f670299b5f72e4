// How much memory does it take to remember which keys were seen, and at what rate of wrong answers?
//
//   space_tables integers        10,240 integers below 2^20
//   space_tables urls [COUNT]    COUNT URLs of 50 bytes (default 10,000,000)
//
// Prints one Markdown table: the same keys kept one way after the other, each filled, measured, asked about
// keys that it was given and keys that it was not, and freed before the next. Bytes are the growth of the
// heap, as mallinfo2() of glibc tells it: what the allocator gave out, its headers and rounding included.
// Where a thing states its own size (the file of the database, the bits of a filter), that is the number.
//
// What it does not do: measure time, or page caches and other memory that only makes things faster.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <malloc.h>
#include <md5.h>
#include <memory>
#include <set>
#include <sqlite3.h>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <unistd.h>

#include "bloomery/filter/bloom_filter.h"

namespace {

[[noreturn]] void fail(const std::string& message) {
  std::cerr << "space_tables: " << message << '\n';
  std::exit(EXIT_FAILURE);  // NOLINT(concurrency-mt-unsafe): one thread
}

// ---- keys: at(i) is one of the set for i < count, and absent for the next absent_count numbers

struct IntegerKeys {
  static constexpr std::uint64_t kRange = std::uint64_t{1} << 20;

  std::uint64_t count = 10'240;
  std::uint64_t absent_count = kRange - 10'240;

  // An odd factor permutes the numbers below a power of two: these are distinct and all over the range.
  std::uint64_t at(std::uint64_t i) const { return i * 104'729 % kRange; }
};

struct UrlKeys {
  std::uint64_t count = 10'000'000;
  std::uint64_t absent_count = 1'000'000;

  // The finalizer of splitmix64, a bijection: distinct URLs for distinct i.
  std::string at(std::uint64_t i) const {
    std::uint64_t mixed = i + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    std::string url = "https://www.example.com/item/0000000000000000.html";
    for (std::size_t digit = 0; digit < 16; ++digit, mixed >>= 4) {
      url[29 + digit] = "0123456789abcdef"[mixed & 15];
    }
    return url;
  }
};

// ---- ways to keep them: a constructor from the keys, contains(key); byte_size() where the heap is not it

template <typename Set>
class StandardSet {
 public:
  template <typename Keys>
  explicit StandardSet(const Keys& keys) {
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      set_.insert(keys.at(i));
    }
  }
  bool contains(const typename Set::key_type& key) const { return set_.contains(key); }

 private:
  Set set_;
};

class SortedArray {
 public:
  explicit SortedArray(const IntegerKeys& keys) {
    array_.reserve(keys.count);
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      array_.push_back(keys.at(i));
    }
    std::sort(array_.begin(), array_.end());
  }
  bool contains(std::uint64_t key) const { return std::binary_search(array_.begin(), array_.end(), key); }

 private:
  std::vector<std::uint64_t> array_;
};

// A bit for every number that a key could be.
class RangeBitmap {
 public:
  explicit RangeBitmap(const IntegerKeys& keys) : bits_(IntegerKeys::kRange) {
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      bits_[keys.at(i)] = true;
    }
  }
  bool contains(std::uint64_t key) const { return bits_[key]; }

 private:
  std::vector<bool> bits_;
};

// A bit for every value of one hash function, with so many values that `fpp` of them are taken by n keys:
// 1 - (1 - 1/m)^n = fpp, hence m = n / -ln(1 - fpp).
class OneHashBitmap {
 public:
  OneHashBitmap(const UrlKeys& keys, double fpp)
      : bits_(static_cast<std::size_t>(std::ceil(static_cast<double>(keys.count) / -std::log1p(-fpp)))) {
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      bits_[position(keys.at(i))] = true;
    }
  }
  bool contains(std::string_view key) const { return bits_[position(key)]; }

 private:
  std::size_t position(std::string_view key) const {
    return bloomery::hash_bytes(key, bloomery::HashSpec{}).low % bits_.size();
  }

  std::vector<bool> bits_;
};

using Digest = std::array<std::uint8_t, MD5_DIGEST_LENGTH>;

Digest md5_of(std::string_view text) {
  std::array<std::uint8_t, 50> bytes{};
  if (text.size() != bytes.size()) {
    fail("a URL has not 50 bytes");
  }
  std::memcpy(bytes.data(), text.data(), text.size());
  MD5_CTX context;
  MD5Init(&context);
  MD5Update(&context, bytes.data(), bytes.size());
  Digest digest;
  MD5Final(digest.data(), &context);
  return digest;
}

// A digest is as good as random: its first bytes are a hash of it.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
  }
};

class DigestSet {
 public:
  explicit DigestSet(const UrlKeys& keys) {
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      set_.insert(md5_of(keys.at(i)));
    }
  }
  bool contains(std::string_view key) const { return set_.contains(md5_of(key)); }

 private:
  std::unordered_set<Digest, DigestHash> set_;
};

class Filter {
 public:
  template <typename Keys>
  Filter(const Keys& keys, double fpp) : filter_(bloomery::BloomFilter::for_capacity(keys.count, fpp)) {
    if (!filter_) {
      fail(filter_.error().to_string());
    }
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      filter_->insert(keys.at(i));
    }
  }
  template <typename Key>
  bool contains(const Key& key) const {
    return filter_->may_contain(key);
  }
  std::uint64_t byte_size() const { return filter_->byte_size(); }

 private:
  bloomery::Result<bloomery::BloomFilter> filter_;
};

// A file of its own, removed at the end; made where TMPDIR says.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "space_tables.XXXXXX").string()) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) {
      fail("cannot make a temporary file");
    }
    ::close(descriptor);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// One SQLite table in a file, loaded in the order in which the keys come, in one transaction. No journal and
// no fsync: they cost time, and the file ends up the same.
class DatabaseTable {
 public:
  explicit DatabaseTable(const UrlKeys& keys) {
    sqlite3* database = nullptr;
    check(sqlite3_open(file_.path().c_str(), &database));
    database_.reset(database);
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000");
    execute("CREATE TABLE seen (url TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN");
    const Statement insertion = prepare("INSERT INTO seen VALUES (?)");
    for (std::uint64_t i = 0; i < keys.count; ++i) {
      step(insertion, keys.at(i));
    }
    execute("COMMIT");
    question_ = prepare("SELECT 1 FROM seen WHERE url = ?");
  }
  bool contains(std::string_view key) const { return step(question_, key) == SQLITE_ROW; }
  std::uint64_t byte_size() const { return std::filesystem::file_size(file_.path()); }

 private:
  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

  void check(int code) const {
    if (code != SQLITE_OK) {
      fail(std::string("SQLite: ") + sqlite3_errstr(code));
    }
  }
  void execute(const char* sql) const {
    check(sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr));
  }
  Statement prepare(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr));
    return Statement(statement);
  }
  // Runs a statement of one parameter and no or one row; returns SQLITE_DONE or SQLITE_ROW.
  int step(const Statement& statement, std::string_view url) const {
    // The null destructor (SQLITE_STATIC): `url` outlives the step.
    check(sqlite3_bind_text(statement.get(), 1, url.data(), static_cast<int>(url.size()), nullptr));
    const int outcome = sqlite3_step(statement.get());
    if (outcome != SQLITE_DONE && outcome != SQLITE_ROW) {
      check(outcome);
    }
    check(sqlite3_reset(statement.get()));
    return outcome;
  }

  // Destroyed from the last to the first: statement, database, file.
  TemporaryFile file_;
  std::unique_ptr<sqlite3, Closer> database_;
  Statement question_;
};

// ---- measuring

struct Row {
  std::string kept_as;
  std::uint64_t bytes = 0;
  std::uint64_t false_positives = 0;
};

std::uint64_t heap_bytes() {
  const struct mallinfo2 heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

// Up to a million keys of the set, spread evenly, must be found: else the row measures something broken.
template <typename Kept, typename Keys>
void check_keys_are_found(const std::string& kept_as, const Kept& kept, const Keys& keys) {
  const std::uint64_t stride = std::max<std::uint64_t>(1, keys.count / 1'000'000);
  for (std::uint64_t i = 0; i < keys.count; i += stride) {
    if (!kept.contains(keys.at(i))) {
      fail(kept_as + ": key " + std::to_string(i) + " is not found");
    }
  }
}

template <typename Kept, typename Keys, typename... More>
Row measure(const std::string& kept_as, const Keys& keys, More... more) {
  const std::uint64_t before = heap_bytes();
  const Kept kept(keys, more...);
  Row row{.kept_as = kept_as, .bytes = heap_bytes() - before};
  if constexpr (requires { kept.byte_size(); }) {
    row.bytes = kept.byte_size();
  }
  check_keys_are_found(kept_as, kept, keys);
  for (std::uint64_t i = keys.count; i < keys.count + keys.absent_count; ++i) {
    if (kept.contains(keys.at(i))) {
      ++row.false_positives;
    }
  }
  return row;
}

// ---- printing

// 10240 becomes "10,240".
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t end = digits.size(); end > 3; end -= 3) {
    digits.insert(end - 3, 1, ',');
  }
  return digits;
}

std::string fixed(double number, int decimals) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(decimals) << number;
  return out.str();
}

enum class Scaled { kNo, kToHundredMillion };

template <typename Keys>
void print_table(const Keys& keys, const std::vector<Row>& rows, Scaled scaled) {
  const bool has_scaled = scaled == Scaled::kToHundredMillion;
  std::cout << "| " << grouped(keys.count) << " keys kept as | bytes | bytes per key | wrong yes among "
            << grouped(keys.absent_count) << " absent keys |" << (has_scaled ? " scaled to 10^8 keys |" : "")
            << '\n'
            << "|---|---:|---:|---:|" << (has_scaled ? "---:|" : "") << '\n';
  for (const Row& row : rows) {
    const double bytes_per_key = static_cast<double>(row.bytes) / static_cast<double>(keys.count);
    const double wrong = static_cast<double>(row.false_positives) / static_cast<double>(keys.absent_count);
    std::cout << "| " << row.kept_as << " | " << grouped(row.bytes) << " | " << fixed(bytes_per_key, 2)
              << " | " << grouped(row.false_positives);
    if (row.false_positives > 0) {
      std::cout << " (" << fixed(100 * wrong, 4) << " %)";
    }
    std::cout << " |";
    if (has_scaled) {
      std::cout << ' ' << fixed(bytes_per_key / 10, 2) << " GB |";  // 10^8 keys, 10^9 bytes to the GB
    }
    std::cout << '\n';
  }
}

void print_integers() {
  const IntegerKeys keys;
  std::vector<Row> rows;
  rows.push_back(measure<StandardSet<std::set<std::uint64_t>>>("sorted set (`std::set<uint64_t>`)", keys));
  rows.push_back(measure<StandardSet<std::unordered_set<std::uint64_t>>>(
      "hash table (`std::unordered_set<uint64_t>`)", keys));
  rows.push_back(measure<RangeBitmap>("bitmap over the range (2^20 bits)", keys));
  rows.push_back(measure<SortedArray>("sorted array of 64-bit integers", keys));
  rows.push_back(measure<Filter>("filter at 0.01 %", keys, 0.0001));
  rows.push_back(measure<Filter>("filter at 1 %", keys, 0.01));
  print_table(keys, rows, Scaled::kNo);
}

void print_urls(std::uint64_t count) {
  const UrlKeys keys{.count = count};
  std::vector<Row> rows;
  rows.push_back(
      measure<StandardSet<std::unordered_set<std::string>>>("hash set (`std::unordered_set<string>`)", keys));
  rows.push_back(measure<DatabaseTable>(
      std::string("database table (SQLite ") + sqlite3_libversion() + ", bytes on disk)", keys));
  rows.push_back(measure<DigestSet>("hash set of MD5 digests (16 bytes each)", keys));
  rows.push_back(measure<OneHashBitmap>("bitmap with one hash, sized for 1 %", keys, 0.01));
  rows.push_back(measure<Filter>("filter at 0.01 %", keys, 0.0001));
  rows.push_back(measure<Filter>("filter at 1 %", keys, 0.01));
  print_table(keys, rows, Scaled::kToHundredMillion);
}

std::uint64_t parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0) {
    fail("COUNT must be a whole number of at least 1, not '" + std::string(text) + "'");
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "integers") {
    print_integers();
  } else if (words.size() == 1 && words[0] == "urls") {
    print_urls(UrlKeys().count);
  } else if (words.size() == 2 && words[0] == "urls") {
    print_urls(parse_count(words[1]));
  } else {
    fail("usage: space_tables integers | space_tables urls [COUNT]");
  }
  return std::cout.flush().good() ? EXIT_SUCCESS : EXIT_FAILURE;
}
