// An array with one value per item of a command. Up to four values are stored in the object, so small
// commands do not allocate.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace bloomery::redis_module {

template <typename T>
class PerItem {
 public:
  explicit PerItem(std::size_t count) : size_(count) {
    if (count > kFew) {
      many_.resize(count);
    }
  }

  std::size_t size() const { return size_; }
  // Shortens the array. Precondition: size <= size().
  void shrink(std::size_t size) { size_ = size; }
  T* data() { return many_.empty() ? few_.data() : many_.data(); }
  const T* data() const { return many_.empty() ? few_.data() : many_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  // Precondition: size() > 0.
  const T& front() const { return *data(); }

 private:
  static constexpr std::size_t kFew = 4;

  std::size_t size_;
  std::array<T, kFew> few_{};
  std::vector<T> many_;  // empty if few_ suffices
};

}  // namespace bloomery::redis_module
