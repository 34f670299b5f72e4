#include "bloomery/table/row_result.h"

#include <algorithm>

#include "base/short_copy.h"

namespace bloomery {
namespace {

// clear() keeps the buffers of the cells for later rows, if they have at most this many bytes in total.
constexpr std::size_t kMostKeptBytes = std::size_t{16} << 10;
constexpr std::size_t kLeastRoomBytes = 256;

}  // namespace

KeptCell::KeptCell(const Cell& cell, Room room) : room_(std::move(room)), cell_(cell) {
  const std::size_t size = cell.key.row.size() + cell.key.family.size() + cell.key.qualifier.size() +
                           cell.value.size() + cell.tags.size();
  if (room_.bytes == nullptr || size > room_.size) {  // a moved-from room still has its size
    room_.size = std::max(size, kLeastRoomBytes);
    room_.bytes = std::make_unique_for_overwrite<char[]>(room_.size);
  }
  char* at = room_.bytes.get();
  const auto keep = [&at](std::string_view& part) {
    copy_short(at, part);
    part = {at, part.size()};
    at += part.size();
  };
  keep(cell_.key.row);
  keep(cell_.key.family);
  keep(cell_.key.qualifier);
  keep(cell_.value);
  keep(cell_.tags);
}

void RowResult::append(const Cell& cell) {
  const KeptCell& kept = used_again_ < cleared_.size()
                             ? cells_.emplace_back(cell, std::move(cleared_[used_again_++].room_))
                             : cells_.emplace_back(cell);
  room_bytes_ += kept.room_.size;
}

void RowResult::clear() {
  if (!cells_.empty() && room_bytes_ <= kMostKeptBytes) {
    cleared_.swap(cells_);
    used_again_ = 0;
  }
  cells_.clear();
  room_bytes_ = 0;
}

}  // namespace bloomery
