// The keys of an argument as columns of one type: a NumPy array or another buffer, an array of Arrow, or the
// chunks of a column of Arrow. Series of pandas and polars are such columns. No chunk is copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <span>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "python/key_column.h"

namespace bloomery::python {

class KeyChunks {
 public:
  // Returns the columns of an object, or nothing if it is not a column: then the caller must iterate over its
  // elements. Throws TypeError or ValueError for a column whose elements are not keys: floats, another byte
  // order, two dimensions, nulls, masked values.
  static std::optional<KeyChunks> of(const pybind11::object& object);

  std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  bool is_integer() const { return type_.is_integer(); }
  bool is_text() const { return type_.is_text(); }
  std::span<const KeyColumn> columns() const { return columns_; }
  // Fills `hashes` with the hashes of the keys from number `first` on, for a filter that hashes their bytes
  // unchanged (column_hashes.h). Precondition: these keys exist.
  void hash(std::size_t first, const HashSpec& spec, std::span<Hash128> hashes) const;

 private:
  explicit KeyChunks(KeyColumn type) : type_(std::move(type)) {}
  static KeyChunks of_stream(const pybind11::object& capsule);
  void push_back(KeyColumn column);

  KeyColumn type_;  // type of all columns, even if there are none
  std::vector<KeyColumn> columns_;
  std::vector<std::size_t> ends_;  // ends_[i]: the number of keys in columns 0 to i
};

// Throws ValueError for an array of NumPy with masked values.
void check_no_mask(const pybind11::object& object);

}  // namespace bloomery::python
