// A crawler's memory of the pages it has seen, exact and as filters.
//
// A crawler fetches a page, follows its links, and must not fetch a page twice. Links lead back, so it never
// ends without a memory. The memory is asked about every link and grows with every page.
//
//   host  0       1       2          The pages of a host are a tree. Every page links to its children, to its
//        / \     / \     / \         parent and to the home page (cycles), and to pages of other hosts, most
//       o   o---o   o---o   o        of them popular ones.
//      / \     / \ /     \ / \.
//
// There is one crawl for each memory, breadth first, from the same page over the same graph:
//
//   exact set of URLs      std::unordered_set<std::string>, the usual first choice
//   set of hashes          64 bits of each URL's hash in one flat table, the filter's strongest rival
//   blocked Bloom filter   BlockedBloomFilter at 1e-3 and at 1e-6
//
// A filter's false positive is a new page that is taken for a seen one. That page is skipped. Its children
// are missed too, unless another link leads to them. Both are counted by comparison with the exact crawl.
//
// Exit status:
//
//   0   all claims hold
//   1   a page was fetched twice, a filter lost more than its fpp allows, or it saved too little memory
#include <array>
#include <bloomery/filter/blocked_bloom_filter.h>
#include <bloomery/hash/hash128.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace {

using Page = std::uint32_t;

constexpr Page kPages = 1'000'000;
constexpr Page kPagesOfHost = 500;
constexpr Page kHosts = kPages / kPagesOfHost;
constexpr Page kChildren = 4;
constexpr unsigned kForeignLinks = 3;

std::uint64_t mixed(std::uint64_t x) {  // the finalizer of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

double share(std::uint64_t x) {
  return static_cast<double>(mixed(x) >> 11) * 0x1p-53;
}  // in [0, 1)

// ---- the web

std::string url_of(Page page) {
  static constexpr std::array<const char*, 4> kSections = {"news", "shop", "archive", "forum"};
  const Page host = page / kPagesOfHost;
  const Page place = page % kPagesOfHost;
  std::string url = "https://www.site-" + std::to_string(host) + ".example/";
  if (place > 0) {
    url += kSections[mixed(page) % kSections.size()];
    url += "/item-" + std::to_string(mixed(page) >> 34) + "-" + std::to_string(place) + ".html";
  }
  return url;
}

// Returns the pages that `page` links to. They depend on `page` alone.
std::vector<Page> links_of(Page page) {
  const Page home = page - page % kPagesOfHost;
  const Page place = page % kPagesOfHost;
  std::vector<Page> links = {home, home + (place > 0 ? (place - 1) / kChildren : 0)};
  for (Page child = kChildren * place + 1; child <= kChildren * (place + 1) && child < kPagesOfHost;
       ++child) {
    links.push_back(home + child);
  }
  for (unsigned i = 0; i < kForeignLinks; ++i) {
    const std::uint64_t draw = std::uint64_t{page} * kForeignLinks + i + 1;
    const auto host = static_cast<Page>(kHosts * std::pow(share(draw * 0x9e3779b97f4a7c15), 3));
    links.push_back(host * kPagesOfHost + static_cast<Page>(mixed(draw) % kPagesOfHost));
  }
  return links;
}

// ---- the crawl

// Notes a URL and returns whether it is new.
using Memory = std::function<bool(std::string_view)>;

struct Crawl {
  std::vector<std::uint8_t> fetched;  // how often each page was fetched
  std::vector<bool> refused;          // a link to the page was taken for seen before the page was queued
  std::uint64_t pages = 0;
  std::uint64_t links = 0;
};

Crawl crawl(const Memory& is_new) {
  Crawl result = {.fetched = std::vector<std::uint8_t>(kPages), .refused = std::vector<bool>(kPages)};
  std::vector<bool> queued(kPages);
  std::deque<Page> frontier;
  const auto meet = [&](Page page) {
    if (is_new(url_of(page))) {
      queued[page] = true;
      frontier.push_back(page);
    } else if (!queued[page]) {
      result.refused[page] = true;
    }
  };
  meet(0);
  while (!frontier.empty()) {
    const Page page = frontier.front();
    frontier.pop_front();
    ++result.fetched[page];
    ++result.pages;
    for (const Page link : links_of(page)) {
      ++result.links;
      meet(link);
    }
  }
  return result;
}

// ---- the memories

// Counts what the containers of the standard library allocate. malloc adds 8 bytes and rounds up to 16.
std::uint64_t allocated_bytes = 0;

template <typename T>
struct CountingAllocator {
  using value_type = T;
  CountingAllocator() = default;
  template <typename U>
  CountingAllocator(const CountingAllocator<U>& /*other*/) {}
  static std::uint64_t cost(std::size_t count) { return (count * sizeof(T) + 8 + 15) / 16 * 16; }
  T* allocate(std::size_t count) {
    allocated_bytes += cost(count);
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* pointer, std::size_t count) {
    allocated_bytes -= cost(count);
    std::allocator<T>().deallocate(pointer, count);
  }
  friend bool operator==(CountingAllocator, CountingAllocator) { return true; }
};

using CountedString = std::basic_string<char, std::char_traits<char>, CountingAllocator<char>>;

struct HashOfString {
  std::size_t operator()(const CountedString& text) const {
    return std::hash<std::string_view>()(std::string_view(text));
  }
};

using SetOfUrls =
    std::unordered_set<CountedString, HashOfString, std::equal_to<>, CountingAllocator<CountedString>>;

// A hash table of a power of two, at most seven eighths full. A hash whose slot is taken goes to the next
// free one.
class SetOfHashes {
 public:
  bool insert(std::uint64_t hash) {
    if (8 * (size_ + 1) > 7 * slots_.size()) {
      grow();
    }
    std::uint64_t& slot = slot_of(hash);
    const bool is_new = slot == 0;
    slot = hash;
    size_ += is_new ? 1U : 0U;
    return is_new;
  }
  std::uint64_t byte_size() const { return slots_.size() * sizeof(std::uint64_t); }

 private:
  std::uint64_t& slot_of(std::uint64_t hash) {
    std::size_t i = hash & (slots_.size() - 1);
    while (slots_[i] != 0 && slots_[i] != hash) {
      i = (i + 1) & (slots_.size() - 1);
    }
    return slots_[i];
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t hash : old) {
      if (hash != 0) {
        slot_of(hash) = hash;
      }
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);  // 0 marks a free slot
  std::size_t size_ = 0;
};

// ---- the comparison

bool claim(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "crawler: %s\n", what);
  }
  return holds;
}

void print(const char* name, const Crawl& result, std::uint64_t wrong, std::uint64_t behind,
           std::uint64_t bytes) {
  std::printf("%-28s %10lu %10lu %10lu %12lu\n", name, result.pages, wrong, behind, bytes);
}

// Prints how a crawl differs from the exact one. Returns whether the difference is allowed.
bool compare(const char* name, const Crawl& exact, const Crawl& result, std::uint64_t bytes, double fpp) {
  std::uint64_t wrongly_skipped = 0;
  std::uint64_t behind_them = 0;
  bool twice = false;
  for (Page page = 0; page < kPages; ++page) {
    twice |= result.fetched[page] > 1;
    if (exact.fetched[page] > result.fetched[page]) {
      ++(result.refused[page] ? wrongly_skipped : behind_them);
    }
  }
  print(name, result, wrongly_skipped, behind_them, bytes);
  const double most = fpp * static_cast<double>(exact.pages);
  const bool claims[] = {claim(!twice, "a page was fetched twice"),
                         claim(static_cast<double>(wrongly_skipped) <= most + 4 * std::sqrt(most),
                               "more pages were skipped than the fpp allows")};
  return claims[0] && claims[1];
}

// Crawls with a blocked Bloom filter of this fpp and prints one row. Returns whether all claims hold.
bool crawl_with_filter(const Crawl& exact, double fpp, std::uint64_t bytes_of_set) {
  auto seen = bloomery::BlockedBloomFilter::for_capacity(exact.pages, fpp);
  if (!seen) {
    std::fprintf(stderr, "crawler: %s\n", seen.error().to_string().c_str());
    return false;
  }
  const Crawl result = crawl([&](std::string_view url) { return seen->test_and_insert(url).is_new; });
  char name[40];
  std::snprintf(name, sizeof(name), "blocked Bloom filter, %.0e", fpp);
  return compare(name, exact, result, seen->byte_size(), fpp) &
         claim(seen->byte_size() * 10 < bytes_of_set, "expected a tenth of the memory of a set of URLs");
}

}  // namespace

int main() {
  SetOfUrls urls;
  const Crawl exact = crawl([&](std::string_view url) { return urls.emplace(url).second; });
  const std::uint64_t bytes_of_set = allocated_bytes;
  std::printf("%u pages on %u hosts; %lu can be reached, over %lu links\n\n", kPages, kHosts, exact.pages,
              exact.links);
  std::printf("%-28s %10s %10s %10s %12s\n", "", "fetched", "skipped", "behind", "bytes");
  print("exact set of URLs", exact, 0, 0, bytes_of_set);
  SetOfHashes hashes;
  const Crawl by_hash = crawl([&](std::string_view url) {
    return hashes.insert(bloomery::hash_bytes(url, bloomery::HashSpec{}).low | 1);
  });
  bool sound = compare("set of 64-bit hashes", exact, by_hash, hashes.byte_size(), 0);
  for (const double fpp : {1e-3, 1e-6}) {
    sound &= crawl_with_filter(exact, fpp, bytes_of_set);
  }
  return sound ? 0 : 1;
}
