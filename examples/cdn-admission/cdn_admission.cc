// A disk cache that stores a page on its second request. Pages that are requested once then cost no disk
// write.
//
// Most of the pages that a cache is asked for are requested only once: about three quarters (Maggs and
// Sitaraman, "Algorithmic Nuggets in Content Delivery", 2015). A cache that writes every page it misses
// writes all of those, and each drives out another page. A cache can instead ask a filter, and write only
// pages that the filter has seen. Then it writes few of them. The price is one more miss for each page that
// it stores.
//
//   popular   pages requested again and again, by Zipf's law
//   once      pages that are requested once and never again
//   crawled   an archive, page after page, over and over: a page comes back after a million requests
//
// Three caches of one size get the same requests:
//
//   without a filter              writes every page that it misses
//   with a blocked Bloom filter   never forgets, so it fills, and takes a crawled page for one that was
//                                 requested lately
//   with a windowed filter        has the same memory, and remembers only the last misses
//
// Exit status:
//
//   0   all claims hold
//   1   the windowed filter does not halve the writes, costs a point of hits, or writes more than the blocked
//       Bloom filter
#include <algorithm>
#include <bloomery/filter/blocked_bloom_filter.h>
#include <bloomery/filter/windowed_filter.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using Page = std::uint64_t;

constexpr std::uint64_t kRequests = 2'000'000;
constexpr std::uint64_t kPopularPages = 200'000;
constexpr double kZipf = 1;
constexpr std::uint64_t kArchivePages = 50'000;
constexpr std::uint64_t kDiskBytes = 5'000'000'000;
constexpr std::uint64_t kWindow = 200'000;  // misses that the filter remembers
constexpr double kFpp = 0.01;

class Random {
 public:
  std::uint64_t next() {  // SplitMix64
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)

 private:
  std::uint64_t state_ = 4711;
};

// Returns a size from 2 KB to 2 MB; most are small.
std::uint64_t page_bytes(Page page) {
  const std::uint64_t x = page * 0x9e3779b97f4a7c15;
  return static_cast<std::uint64_t>(2000 *
                                    std::pow(1000, std::pow(static_cast<double>(x >> 11) * 0x1p-53, 2)));
}

// ---- the requests

std::vector<Page> request_stream() {
  std::vector<double> up_to(kPopularPages);  // sum of the weights of this page and of all more popular ones
  double sum = 0;
  for (std::uint64_t rank = 0; rank < kPopularPages; ++rank) {
    sum += std::pow(static_cast<double>(rank + 1), -kZipf);
    up_to[rank] = sum;
  }
  constexpr Page kOnce = Page{1} << 40;
  constexpr Page kArchive = Page{2} << 40;
  Random random;
  std::vector<Page> stream;
  stream.reserve(kRequests);
  std::uint64_t crawled = 0;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const double kind = random.share();
    if (kind < 0.2) {
      stream.push_back(kOnce + i);
    } else if (kind < 0.25) {
      stream.push_back(kArchive + crawled++ % kArchivePages);
    } else {
      const auto rank = std::ranges::lower_bound(up_to, random.share() * sum) - up_to.begin();
      stream.push_back(static_cast<Page>(rank));
    }
  }
  return stream;
}

void describe(const std::vector<Page>& stream) {
  std::unordered_map<Page, std::uint64_t> requests;
  for (const Page page : stream) {
    ++requests[page];
  }
  std::uint64_t bytes = 0;
  for (const auto& [page, count] : requests) {
    bytes += page_bytes(page);
  }
  const auto once = std::ranges::count_if(requests, [](const auto& page) { return page.second == 1; });
  std::printf(
      "%lu requests for %lu pages of %.1f GB, of which %.0f %% are asked for once; a disk of %.1f GB\n\n",
      stream.size(), requests.size(), static_cast<double>(bytes) / 1e9,
      100 * static_cast<double>(once) / static_cast<double>(requests.size()),
      static_cast<double>(kDiskBytes) / 1e9);
}

// ---- the cache

// The pages on a disk. When it is full, the page that was not requested for the longest time goes first.
class Disk {
 public:
  bool read(Page page) {
    const auto found = places_.find(page);
    if (found == places_.end()) {
      return false;
    }
    pages_.splice(pages_.begin(), pages_, found->second);
    return true;
  }
  void write(Page page) {
    pages_.push_front(page);
    places_[page] = pages_.begin();
    used_ += page_bytes(page);
    while (used_ > kDiskBytes) {
      used_ -= page_bytes(pages_.back());
      places_.erase(pages_.back());
      pages_.pop_back();
    }
  }

 private:
  std::list<Page> pages_;
  std::unordered_map<Page, std::list<Page>::iterator> places_;
  std::uint64_t used_ = 0;
};

struct Outcome {
  std::uint64_t hits = 0;
  std::uint64_t writes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t wasted = 0;  // writes of pages that nobody read before they were driven out
  double hit_ratio() const { return static_cast<double>(hits) / static_cast<double>(kRequests); }
};

// Serves the requests. `admit` decides whether a page that was missed is written.
Outcome serve(const std::vector<Page>& stream, const std::function<bool(Page)>& admit) {
  Disk disk;
  Outcome outcome;
  std::unordered_set<Page> unread;
  for (const Page page : stream) {
    if (disk.read(page)) {
      ++outcome.hits;
      unread.erase(page);
    } else if (admit(page)) {
      disk.write(page);
      ++outcome.writes;
      outcome.written_bytes += page_bytes(page);
      outcome.wasted += unread.insert(page).second ? 0U : 1U;
    }
  }
  outcome.wasted += unread.size();
  return outcome;
}

void print(const char* name, const Outcome& outcome, std::uint64_t filter_bytes) {
  std::printf("%-24s %8.2f %% %10lu %9.1f GB %8.0f %% %12lu\n", name, 100 * outcome.hit_ratio(),
              outcome.writes, static_cast<double>(outcome.written_bytes) / 1e9,
              100 * static_cast<double>(outcome.wasted) / static_cast<double>(outcome.writes), filter_bytes);
}

bool claim(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "cdn-admission: %s\n", what);
  }
  return holds;
}

// Prints the results of the three caches. Returns whether all claims hold.
bool compare(const std::vector<Page>& stream, bloomery::BlockedBloomFilter& ever,
             bloomery::WindowedFilter& lately) {
  std::printf("%-24s %10s %10s %12s %10s %12s\n", "", "hits", "writes", "written", "unread", "filter bytes");
  const Outcome every = serve(stream, [](Page) { return true; });
  print("every miss is written", every, 0);
  const Outcome second = serve(stream, [&](Page page) { return !ever.test_and_insert(page); });
  print("blocked Bloom filter", second, ever.byte_size());
  const Outcome recent = serve(stream, [&](Page page) { return !lately.test_and_insert(page); });
  print("windowed filter", recent, lately.byte_size());

  std::printf(
      "\nThe windowed filter saves %.0f %% of the writes and changes the hit ratio by %+.2f points.\n",
      100 - 100 * static_cast<double>(recent.writes) / static_cast<double>(every.writes),
      100 * (recent.hit_ratio() - every.hit_ratio()));
  std::printf("At the end the blocked Bloom filter errs at %.3f, the windowed filter at %.3f.\n",
              ever.current_fpp(), lately.current_fpp());
  const bool claims[] = {
      claim(recent.writes * 2 <= every.writes, "expected the windowed filter to halve the writes at least"),
      claim(recent.hit_ratio() > every.hit_ratio() - 0.01, "expected it to cost less than a point of hits"),
      claim(recent.writes < second.writes, "expected it to write less than a filter that never forgets")};
  return std::ranges::all_of(claims, [](bool holds) { return holds; });
}

}  // namespace

int main() {
  auto lately = bloomery::WindowedFilter::for_capacity(0, kFpp, {.window = bloomery::Window::keys(kWindow)});
  if (!lately) {
    std::fprintf(stderr, "cdn-admission: %s\n", lately.error().to_string().c_str());
    return 1;
  }
  auto ever = bloomery::BlockedBloomFilter::for_bytes(lately->byte_size(), kFpp);
  if (!ever) {
    std::fprintf(stderr, "cdn-admission: %s\n", ever.error().to_string().c_str());
    return 1;
  }
  const std::vector<Page> stream = request_stream();
  describe(stream);
  return compare(stream, *ever, *lately) ? 0 : 1;
}
