// Exceptions make any filter answer no to every key of a known set W, without a false positive on W.
//
// Example:
//    auto filter = BlockedBloomFilter::build(keys, 0.01);
//    const auto count = add_exceptions(*filter, absent_hashes);  // 16 bytes for each of the 1 % that match
//
// The filter itself finds the exceptions: they are the keys of W that it matches although they are not
// members. The filter stores their hashes and answers no to them (NativeFilter::add_as_exceptions). Other
// keys of W need no entry. They may match after more inserts, so pass all of W again then.
//
// No filter can tell whether a key of W is in truth a member. ExceptionCandidates finds this out by a
// second pass over the members.
//
// A ribbon has a cheaper way, which costs 2 fpp bits per key of W: ribbon_exceptions.h.
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

// Appends the hashes for which the filter answers maybe. For an exact set in an AnyFilter these are the
// absent keys, because the filter that it becomes may answer maybe for them.
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

// Adds as exceptions the hashes for which the filter answers maybe. Returns their number, repeats included.
// Precondition: none of `hashes` is a member. Errors: kInvalidArgument during an update in place, and for
// ready digests, whose high words are unknown.
template <typename Filter>
Result<std::uint64_t> add_exceptions(Filter& filter, std::span<const Hash128> hashes) {
  std::vector<Hash128> matching;
  append_matching(filter, hashes, matching);
  BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(matching));
  return std::uint64_t{matching.size()};
}

// The keys of W that a filter matches. Pass all members to meet(): a candidate that equals a member is a
// conflict, and the others are exceptions. A candidate costs 32 bytes. One thread at a time.
class ExceptionCandidates {
 public:
  // Repeats in `matching` count once.
  explicit ExceptionCandidates(std::vector<Hash128> matching);
  ExceptionCandidates(ExceptionCandidates&&) noexcept;
  ExceptionCandidates& operator=(ExceptionCandidates&&) noexcept;
  ~ExceptionCandidates();

  // Compares members with the candidates. A member costs about 10 ns if there are few candidates, and a
  // cache miss or two if there are many.
  void meet(std::span<const Hash128> members);

  // Returns the candidates that equal a member, each once.
  const std::vector<Hash128>& conflicts() const { return conflicts_; }
  // Returns the candidates that equal no member so far, ascending.
  std::vector<Hash128> exceptions() const;

 private:
  std::unique_ptr<ExceptionTable> table_;
  std::vector<Hash128> conflicts_;
};

}  // namespace bloomery
