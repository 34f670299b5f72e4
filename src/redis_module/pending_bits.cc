#include "redis_module/pending_bits.h"

#include <algorithm>
#include <new>

#include "redis_module/chunk_memory.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint32_t kHeadRoom = 12;  // the head takes as much
constexpr std::uint32_t kLeastRoom = 4;  // 32 bytes with the head; each next room takes twice the bytes

}  // namespace

bool PendingBits::add(std::size_t chunk, std::uint16_t position) {
  static_assert(sizeof(List) == kHeadRoom * sizeof(std::uint16_t));
  const std::size_t count = list_ == nullptr ? 0 : list_->ends.back();
  const std::uint32_t room = list_ == nullptr ? 0 : list_->room;
  if (count == room || !is_ours_alone()) {
    const std::uint32_t larger = room == 0 ? kLeastRoom : 2 * room + kHeadRoom;
    if (!replace(count == room ? larger : room)) {
      return false;
    }
  }
  std::uint16_t* const at = list_->positions() + list_->ends[chunk];
  std::copy_backward(at, list_->positions() + count, list_->positions() + count + 1);
  *at = position;
  for (std::size_t i = chunk; i < kGroupChunks; ++i) {
    ++list_->ends[i];
  }
  return true;
}

bool PendingBits::clear(std::size_t chunk) {
  if (of(chunk).empty()) {
    return true;
  }
  if (!is_ours_alone() && !replace(list_->room)) {
    return false;
  }
  const std::size_t count = list_->count(chunk);
  std::uint16_t* const positions = list_->positions();
  std::copy(positions + list_->ends[chunk], positions + list_->ends.back(), positions + list_->first(chunk));
  for (std::size_t i = chunk; i < kGroupChunks; ++i) {
    list_->ends[i] = static_cast<std::uint16_t>(list_->ends[i] - count);
  }
  if (list_->ends.back() == 0) {
    release();
    list_ = nullptr;
  }
  return true;
}

bool PendingBits::replace(std::uint32_t room) {
  void* const memory = take_counted(bytes_for(room));
  if (memory == nullptr) {
    return false;
  }
  List* const list = new (memory) List;
  list->room = room;
  if (list_ != nullptr) {
    list->ends = list_->ends;
    std::copy_n(list_->positions(), list_->ends.back(), list->positions());
    release();
  }
  list_ = list;
  return true;
}

void PendingBits::release() {
  if (list_ != nullptr && list_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const std::uint64_t bytes = bytes_for(list_->room);
    list_->~List();
    give_back_counted(list_, bytes);
  }
}

}  // namespace bloomery::redis_module
