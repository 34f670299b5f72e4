// No false positive on a known set: exceptions of any filter, found with the filter itself.
//
//   auto filter = BlockedBloomFilter::build(black, 0.01);
//   add_exceptions(*filter, hashes_of_white);          // 16 bytes for each of the 1 % that match
//
// A filter keeps the hashes of those keys of a set W that it matches although they are not in it, and denies
// them (NativeFilter::add_as_exceptions). Keys of W that it does not match today need no entry, but may match
// when more keys are inserted: give them again then. Whether a key of W is in truth a member no filter can
// tell; ExceptionCandidates does, while the members pass by once more.
//
// For a ribbon there is a way that costs 2 fpp bits a key of W instead of 128: ribbon_exceptions.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class ExceptionTable;

// Appends those of `hashes` that the filter answers maybe to; of an exact set in an AnyFilter those that are
// not in, which what it becomes may answer maybe to.
template <typename Filter>
void append_matching(const Filter& filter, std::span<const Hash128> hashes, std::vector<Hash128>& matching) {
  constexpr std::size_t kPiece = 1024;
  std::array<std::uint64_t, answer_words(kPiece)> answers{};
  for (std::size_t first = 0; first < hashes.size(); first += kPiece) {
    const auto piece = hashes.subspan(first, std::min(kPiece, hashes.size() - first));
    if constexpr (requires { filter.needs_exception_batch(piece, answers); }) {
      filter.needs_exception_batch(piece, answers);
    } else {
      filter.may_contain_batch(piece, answers);
    }
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (((answers[i / 64] >> (i % 64)) & 1) != 0) {
        matching.push_back(piece[i]);
      }
    }
  }
}

// Makes exceptions of those of `hashes`, none of a member, that the filter answers maybe to. Returns how many
// (repeats among `hashes` included). Errors: as NativeFilter::add_as_exceptions().
template <typename Filter>
Result<std::uint64_t> add_exceptions(Filter& filter, std::span<const Hash128> hashes) {
  std::vector<Hash128> matching;
  append_matching(filter, hashes, matching);
  BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(matching));
  return std::uint64_t{matching.size()};
}

// Keys of W that a filter matches, until its members have passed by: what is left are exceptions, what met a
// member is a conflict. 32 bytes a candidate. One thread at a time.
class ExceptionCandidates {
 public:
  // Repeats count once.
  explicit ExceptionCandidates(std::vector<Hash128> matching);
  ExceptionCandidates(ExceptionCandidates&&) noexcept;
  ExceptionCandidates& operator=(ExceptionCandidates&&) noexcept;
  ~ExceptionCandidates();

  // About 10 ns a member where there are few candidates, a cache miss or two where they are many.
  void meet(std::span<const Hash128> members);

  // Those that met a member, each once.
  const std::vector<Hash128>& conflicts() const { return conflicts_; }
  // Those that did not yet, ascending.
  std::vector<Hash128> exceptions() const;

 private:
  std::unique_ptr<ExceptionTable> table_;
  std::vector<Hash128> conflicts_;
};

}  // namespace bloomery
