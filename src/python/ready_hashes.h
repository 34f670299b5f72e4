// Ready hashes in an array of NumPy, or in any other buffer: hashes that a program has computed once
// for many filters.
//
//   shape     element
//   (n, 2)    unsigned integers of 8 bytes: the low and the high word of a hash
//   (n,)      the same integers: only the low word, for a filter of ready hashes, whose digests have 64 bits
//
// The array may be strided. It keeps its memory alive, and can be read without the GIL.
#pragma once

#include <array>
#include <cstddef>
#include <pybind11/pybind11.h>
#include <span>
#include <vector>

#include "bloomery/hash/hash128.h"

namespace bloomery::python {

class ReadyHashes {
 public:
  // Throws TypeError for another array, ValueError for an array with masked values. If `takes_words`, low
  // words are enough.
  ReadyHashes(const pybind11::object& array, bool takes_words);
  ReadyHashes(const ReadyHashes&) = delete;
  ReadyHashes& operator=(const ReadyHashes&) = delete;
  ~ReadyHashes();  // the GIL must be held

  std::size_t size() const { return static_cast<std::size_t>(view_.shape[0]); }
  // Fills `hashes` with the hashes from number `first` on.
  void read(std::size_t first, std::span<Hash128> hashes) const;

 private:
  void check(bool takes_words);

  Py_buffer view_;
  std::array<std::ptrdiff_t, 2> strides_ = {};
};

// Returns an array with the shape (n, 2).
pybind11::object hashes_array(std::span<const Hash128> hashes);

}  // namespace bloomery::python
