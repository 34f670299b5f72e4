#include "filter/pages/shared_page.h"

#include <memory>

namespace bloomery {

std::byte* SharedPage::write_own(std::uint64_t size) {
  auto owned = std::make_unique<Owned>();
  owned->size = size;
  owned->bytes = take_page(size, bytes_);
  if (owned->bytes == nullptr) {
    return nullptr;
  }
  bytes_ = owned->bytes;
  owned_ = SharedHandle<Owned>(owned.release());
  return bytes_;
}

void SharedPage::Owned::give_back() {
  give_back_counted(bytes, size);
  delete this;
}

}  // namespace bloomery
