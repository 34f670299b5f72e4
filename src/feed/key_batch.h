// The bytes of many keys, stored contiguously.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::feed {

class KeyBatch {
 public:
  void add(std::span<const std::byte> key) {
    bytes_.append(reinterpret_cast<const char*>(key.data()), key.size());
    ends_.push_back(bytes_.size());
  }
  void clear() {
    bytes_.clear();
    ends_.clear();
  }
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  // Returns key i, which is valid until the next add() or clear().
  std::string_view key(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

}  // namespace bloomery::feed
