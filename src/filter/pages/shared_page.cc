#include "filter/pages/shared_page.h"

#include <memory>

namespace bloomery {

std::byte* SharedPage::write_own(std::uint64_t size) {
  auto owned = std::make_unique<Owned>();
  owned->size = size;
  std::byte* const bytes = take_page(size, bytes_);
  if (bytes == nullptr) {
    return nullptr;
  }
  if (owned_ != nullptr) {
    release();
  }
  owned_ = owned.release();
  bytes_ = bytes;
  return bytes_;
}

void SharedPage::release() {
  if (owned_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    give_back_counted(bytes_, owned_->size);
    delete owned_;
  }
}

}  // namespace bloomery
