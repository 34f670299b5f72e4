// The hashes of the latest new keys of a filter, so that a copy of the filter can follow it (BLOOM.CHANGES).
//
// Keys are numbered from 0 on, and the latest capacity() ones are kept. Each object has a random id. A value
// that was copied, restored or loaded again has no object of the id, so a copy that knows the id and the next
// number knows that it lacks exactly the keys from that number on.
//
// Not here: which values have one (filter_value.h). It is neither saved nor replicated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bloomery::redis_module {

class RecentKeys {
 public:
  // `id` is not 0. A capacity is a power of 2.
  RecentKeys(std::uint64_t id, std::size_t capacity) : id_(id), hashes_(capacity) {}

  std::uint64_t id() const { return id_; }
  // Returns the number of the next key.
  std::uint64_t next() const { return next_; }
  std::size_t memory_bytes() const { return sizeof(*this) + hashes_.capacity() * sizeof(std::uint64_t); }

  void add(std::uint64_t hash) { hashes_[next_++ % hashes_.size()] = hash; }
  bool has(std::uint64_t from) const { return from <= next_ && next_ - from <= hashes_.size(); }
  // Returns the hashes of the keys from a number on, 8 bytes each, little-endian. Precondition: has(from).
  std::string from(std::uint64_t number) const;

 private:
  std::uint64_t id_;
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace bloomery::redis_module
