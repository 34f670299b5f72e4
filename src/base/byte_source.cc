#include "base/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <unistd.h>

namespace bloomery {
namespace {

class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(int descriptor, std::string name, const std::atomic<bool>* stop)
      : descriptor_(descriptor), name_(std::move(name)), stop_(stop) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    while (stop_ == nullptr || !stop_->load(std::memory_order_relaxed)) {
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) {
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) {
        return Error::io(name_, "read", errno);
      }
    }
    return std::size_t{0};
  }

 private:
  int descriptor_;
  std::string name_;
  const std::atomic<bool>* stop_;
};

class SpanSource final : public ByteSource {
 public:
  explicit SpanSource(std::span<const std::byte> bytes) : left_(bytes) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), left_.size());
    std::ranges::copy(left_.first(count), out.begin());
    left_ = left_.subspan(count);
    return count;
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace

std::unique_ptr<ByteSource> descriptor_source(int descriptor, std::string name,
                                              const std::atomic<bool>* stop) {
  return std::make_unique<DescriptorSource>(descriptor, std::move(name), stop);
}

std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes) {
  return std::make_unique<SpanSource>(bytes);
}

Result<std::size_t> read_fully(ByteSource& source, std::span<std::byte> out) {
  std::size_t total = 0;
  while (total < out.size()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, source.read(out.subspan(total)));
    if (count == 0) {
      break;
    }
    total += count;
  }
  return total;
}

}  // namespace bloomery
