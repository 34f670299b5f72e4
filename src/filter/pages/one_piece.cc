#include "filter/pages/one_piece.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "filter/pages/page_memory.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kLeastRoom = std::uint64_t{1} << 20;

}  // namespace

Result<OnePiece> OnePiece::of(std::uint64_t bytes, Room room) {
  OnePiece made(bytes);
  BLOOMERY_RETURN_IF_ERROR(made.make_room(room == Room::kWhole ? bytes : 0));
  return made;
}

OnePiece::OnePiece(OnePiece&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)),
      whole_(other.whole_),
      room_(std::exchange(other.room_, 0)),
      size_(std::exchange(other.size_, 0)) {}

OnePiece::~OnePiece() {
  if (block_ != nullptr) {
    give_back(block_);
  }
}

std::byte* OnePiece::begin() const {
  const auto at = reinterpret_cast<std::uintptr_t>(block_);
  return static_cast<std::byte*>(block_) + (kAlignment - at % kAlignment) % kAlignment;
}

std::span<std::byte> OnePiece::bytes() const {
  return {block_ == nullptr ? nullptr : begin(), size_};
}

// Ensures that the block holds `bytes` bytes. A block that is too small is at least doubled, up to the
// announced size.
Status OnePiece::make_room(std::uint64_t bytes) {
  if (bytes == 0 || bytes + kAlignment <= room_) {
    return {};
  }
  const std::uint64_t more = std::min(whole_, std::max({bytes, 2 * room_, kLeastRoom})) + kAlignment;
  OnePiece larger(whole_);
  larger.block_ = take_zeroed(more);
  if (larger.block_ == nullptr) {
    return Error::capacity("filter file", "memory is lacking");
  }
  if (size_ > 0) {
    std::memcpy(larger.begin(), begin(), size_);
  }
  std::swap(block_, larger.block_);
  room_ = more;
  return {};
}

Status OnePiece::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return {};
  }
  if (bytes.size() > whole_ - size_) {
    return Error::invalid_argument("filter file", "expected no more bytes than it has");
  }
  BLOOMERY_RETURN_IF_ERROR(make_room(size_ + bytes.size()));
  std::memcpy(begin() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return {};
}

}  // namespace bloomery
