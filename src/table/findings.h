// Collects the faults of a file, of which it keeps the first hundred, and the offsets of untrusted blocks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/error.h"

namespace bloomery::table {

class Findings {
 public:
  static constexpr std::size_t kMost = 100;

  void add(const Error& error) {
    if (error.offset()) {
      damaged_.insert(*error.offset());
    }
    if (errors_.size() < kMost) {
      errors_.push_back(error);
    } else {
      ++left_out_;
    }
  }
  void add(std::string_view part, std::uint64_t offset, std::string detail) {
    add(Error::corruption(std::string(part), offset, std::move(detail)));
  }

  // Marks a block as untrusted, though no finding names it.
  void mark(std::uint64_t offset) { damaged_.insert(offset); }

  // Return true if a finding or mark() names any offset, this offset, or an offset from this one on.
  bool names_any() const { return !damaged_.empty(); }
  bool names(std::uint64_t offset) const { return damaged_.contains(offset); }
  bool names_any_from(std::uint64_t offset) const { return damaged_.lower_bound(offset) != damaged_.end(); }

  bool empty() const { return errors_.empty(); }
  std::uint64_t left_out() const { return left_out_; }  // errors beyond the first hundred
  // Moves the errors out; none are left.
  std::vector<Error> release() { return std::move(errors_); }

 private:
  std::vector<Error> errors_;
  std::uint64_t left_out_ = 0;
  std::set<std::uint64_t> damaged_;
};

}  // namespace bloomery::table
