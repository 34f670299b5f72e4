#include "filter/any/sorted_hashes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "base/endian.h"
#include "base/prefetch.h"

namespace bloomery {
namespace {

constexpr std::size_t kEntryBytes = 16;
constexpr std::size_t kSearchesAtOnce = 64;

}  // namespace

// One search, which a batch interleaves with others: each look() probes one entry. Calls: look*, until
// is_done().
class SortedHashes::Search {
 public:
  Search() = default;
  Search(const Hash128& hash, std::uint64_t entries) : hash_(hash), end_(entries) { choose(); }

  bool is_done() const { return is_found_ || begin_ == end_; }
  bool is_found() const { return is_found_; }
  // Returns the index of the entry that is probed next, or that was found.
  std::uint64_t place() const { return place_; }
  const std::byte* at(std::span<const std::byte> entries) const {
    return entries.data() + place_ * kEntryBytes;
  }

  // Probes the entry at place(). Precondition: !is_done().
  void look(std::span<const std::byte> entries) {
    const Hash128 found{.low = load_little64(at(entries)), .high = load_little64(at(entries) + 8)};
    is_found_ = found == hash_;
    if (is_found_) {
      return;
    }
    if (std::tie(found.low, found.high) < std::tie(hash_.low, hash_.high)) {
      begin_ = place_ + 1;
      lowest_ = found.low;
    } else {
      end_ = place_;
      highest_ = found.low;
    }
    if (begin_ != end_) {
      choose();
    }
  }

 private:
  // Precondition: begin_ < end_.
  void choose() {
    const std::uint64_t left = end_ - begin_;
    if (guesses_ == kGuesses || highest_ <= lowest_ || hash_.low < lowest_) {
      place_ = begin_ + left / 2;
      return;
    }
    ++guesses_;
    const double share = static_cast<double>(hash_.low - lowest_) / static_cast<double>(highest_ - lowest_);
    const double steps = std::min(share, 1.0) * static_cast<double>(left);
    place_ = begin_ + std::min(static_cast<std::uint64_t>(steps), left - 1);
  }

  Hash128 hash_ = {};
  std::uint64_t begin_ = 0;  // the entry is in [begin_, end_), if it exists
  std::uint64_t end_ = 0;
  std::uint64_t lowest_ = 0;  // the low words of these entries are in [lowest_, highest_]
  std::uint64_t highest_ = ~std::uint64_t{0};
  std::uint64_t place_ = 0;
  unsigned guesses_ = 0;
  bool is_found_ = false;
};

std::optional<std::uint64_t> SortedHashes::find(const Hash128& hash) const {
  if (entries_.empty()) {
    return std::nullopt;
  }
  Search search(hash, entries_.size() / kEntryBytes);
  while (!search.is_done()) {
    search.look(entries_);
  }
  return search.is_found() ? std::optional(search.place()) : std::nullopt;
}

// Precondition: at most 64 hashes, and there are entries.
std::uint64_t SortedHashes::contains_of(std::span<const Hash128> hashes) const {
  std::array<Search, kSearchesAtOnce> searches;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    searches[i] = Search(hashes[i], entries_.size() / kEntryBytes);
    prefetch_to_read(searches[i].at(entries_));
  }
  std::uint64_t found = 0;
  std::uint64_t going_on =
      hashes.size() == kSearchesAtOnce ? ~std::uint64_t{0} : (std::uint64_t{1} << hashes.size()) - 1;
  while (going_on != 0) {
    for (std::uint64_t left = going_on; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      searches[i].look(entries_);
      if (searches[i].is_done()) {
        going_on &= ~(std::uint64_t{1} << i);
        found |= std::uint64_t{searches[i].is_found()} << i;
      } else {
        prefetch_to_read(searches[i].at(entries_));
      }
    }
  }
  return found;
}

void SortedHashes::contains(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  for (std::size_t done = 0; done < hashes.size(); done += kSearchesAtOnce) {
    const auto some = hashes.subspan(done, std::min(kSearchesAtOnce, hashes.size() - done));
    answers[done / kSearchesAtOnce] = entries_.empty() ? 0 : contains_of(some);
  }
}

}  // namespace bloomery
