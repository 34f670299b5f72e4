// The answers of a batch, and the NumPy array that is made of them: one bool per key.
//
// The array is created by a call of NumPy and filled through the buffer protocol, and not by
// pybind11/numpy.h. That header reads NumPy's structs, and Debian's version (2.10) reads NumPy 2's structs at
// wrong offsets. Its arrays then had a stride of 0, so that every key got the answer of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pybind11/pybind11.h>
#include <span>
#include <vector>

namespace bloomery::python {

class BoolArray {
 public:
  // Returns the words for the answers of `count` more keys. Precondition: the number of answers so far is a
  // multiple of 64.
  std::span<std::uint64_t> room_for(std::size_t count);
  // Appends the answer of one key.
  void push_back(bool answer);
  // Returns the array. Throws error_already_set.
  pybind11::object array() const;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
};

}  // namespace bloomery::python
