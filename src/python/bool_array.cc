#include "python/bool_array.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The eight bytes of 0 or 1 for each value of eight bits.
constexpr auto kBytesOfBits = [] {
  std::array<std::array<unsigned char, 8>, 256> table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    for (std::size_t i = 0; i < 8; ++i) {
      table[bits][i] = static_cast<unsigned char>((bits >> i) & 1);
    }
  }
  return table;
}();

void spread(std::span<const std::uint64_t> words, std::size_t count, unsigned char* bytes) {
  for (std::size_t first = 0; first < count; first += 8) {
    const std::uint64_t bits = (words[first / 64] >> (first % 64)) & 0xff;
    std::memcpy(bytes + first, kBytesOfBits[bits].data(), std::min<std::size_t>(8, count - first));
  }
}

}  // namespace

std::span<std::uint64_t> BoolArray::room_for(std::size_t count) {
  const std::size_t first = count_ / 64;
  count_ += count;
  words_.resize((count_ + 63) / 64);
  return std::span(words_).subspan(first);
}

void BoolArray::push_back(bool answer) {
  if (count_ % 64 == 0) {
    words_.push_back(0);
  }
  words_.back() |= std::uint64_t{answer} << (count_ % 64);
  ++count_;
}

py::object BoolArray::array() const {
  py::object array = py::module_::import("numpy").attr("empty")(count_, "?");
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
    throw py::error_already_set();
  }
  const bool fits = view.itemsize == 1 && static_cast<std::size_t>(view.len) == count_;
  if (fits) {
    spread(words_, count_, static_cast<unsigned char*>(view.buf));
  }
  PyBuffer_Release(&view);
  if (!fits) {
    throw py::type_error("expected NumPy to make an array of one byte for each bool");
  }
  return array;
}

}  // namespace bloomery::python
