#include "base/byte_source.h"

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

}  // namespace

std::unique_ptr<ByteSource> descriptor_source(int descriptor, std::string name,
                                              const std::atomic<bool>* stop) {
  return std::make_unique<DescriptorSource>(descriptor, std::move(name), stop);
}

}  // namespace bloomery
