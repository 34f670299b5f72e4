#include "bloomery/table/row_result.h"

#include <cstring>

namespace bloomery {

KeptCell::KeptCell(const Cell& cell) : cell_(cell) {
  std::string_view* const parts[] = {&cell_.key.row, &cell_.key.family, &cell_.key.qualifier, &cell_.value,
                                     &cell_.tags};
  std::size_t size = 0;
  for (const std::string_view* const part : parts) {
    size += part->size();
  }
  bytes_ = std::make_unique<char[]>(size);
  char* at = bytes_.get();
  for (std::string_view* const part : parts) {
    if (!part->empty()) {
      std::memcpy(at, part->data(), part->size());
    }
    *part = {at, part->size()};
    at += part->size();
  }
}

}  // namespace bloomery
