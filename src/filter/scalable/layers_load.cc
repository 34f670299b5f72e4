#include "filter/scalable/layers_load.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/byte_parts.h"

namespace bloomery {

LayersLoad::LayersLoad(const NativeHeader& header) : plan_(growing_plan_of(header)), header_(header) {}

// ---- bytes that come

Status LayersLoad::append(std::span<const std::byte> bytes) {
  while (state_ && !bytes.empty()) {
    state_ = layers_.empty() ? append_front(bytes) : append_to_layer(bytes);
  }
  return state_;
}

Status LayersLoad::append_front(std::span<const std::byte>& bytes) {
  if (front_bytes_ == 0) {
    const std::uint64_t head = std::min(kLayerFrontHeadBytes, header_.payload_bytes);
    if (!fill_up(front_, head, bytes)) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(front_bytes_, layer_front_bytes(front_, header_.payload_bytes, plan_));
  }
  const bool is_here = front_.size() >= front_bytes_ || fill_up(front_, front_bytes_, bytes);
  return is_here ? open_front() : Status();
}

// The head may have been longer than the front. What follows the front is the begin of the layers.
Status LayersLoad::open_front() {
  const std::vector<std::byte> rest(front_.begin() + static_cast<std::ptrdiff_t>(front_bytes_), front_.end());
  front_.resize(front_bytes_);
  BLOOMERY_ASSIGN_OR_RETURN(const LayerFront front, read_layer_front(front_, header_.payload_bytes, plan_));
  BLOOMERY_RETURN_IF_ERROR(check_first_layer(header_, front.layers.front().size.shape));
  plan_.expansion = front.expansion;
  std::uint64_t bytes = front_bytes_;
  for (const LayerEntry& entry : front.layers) {
    BLOOMERY_ASSIGN_OR_RETURN(PiecedLayer layer, PiecedLayer::of(entry.size, entry.states));
    layer.keys = entry.keys;
    bytes += layer.file_bytes();
    layers_.push_back(std::move(layer));
  }
  if (bytes != header_.payload_bytes) {
    return bad_payload(front_bytes_, "expected layers of " +
                                         std::to_string(header_.payload_bytes - front_bytes_) +
                                         " bytes, found " + std::to_string(bytes - front_bytes_));
  }
  return append(rest);
}

void LayersLoad::leave_complete_layers() {
  while (layer_ < layers_.size() && offset_ == layers_[layer_].file_bytes()) {
    ++layer_;
    offset_ = 0;
    piece_ = 0;
  }
}

Status LayersLoad::append_to_layer(std::span<const std::byte>& bytes) {
  leave_complete_layers();
  if (layer_ == layers_.size()) {
    return Error::invalid_argument("payload", "expected no further bytes");
  }
  PiecedLayer& layer = layers_[layer_];
  if (layer.bits) {
    const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), layer.size.bytes() - offset_));
    if (!layer.bits->store(offset_, part)) {
      return Error::capacity("payload", "memory is lacking");
    }
    offset_ += part.size();
    bytes = bytes.subspan(part.size());
    return {};
  }
  while (layer.late->file_bytes_of(piece_) == 0) {
    ++piece_;
  }
  const std::uint64_t size = layer.late->file_bytes_of(piece_);
  if (fill_up(unfinished_, size, bytes)) {
    BLOOMERY_RETURN_IF_ERROR(layer.late->set_piece(piece_, unfinished_));
    layer.changed[piece_] = true;
    unfinished_.clear();
    offset_ += size;
    ++piece_;
  }
  return {};
}

Result<PiecedLayers> LayersLoad::finish() && {
  leave_complete_layers();
  if (!state_ || layers_.empty() || layer_ < layers_.size() || !unfinished_.empty()) {
    return Error(ErrorCode::kCorruption, "payload", "expected all bytes of the layers");
  }
  return PiecedLayers(plan_, std::move(layers_));
}

// ---- bytes that came

std::uint64_t LayersLoad::memory_bytes() const {
  std::uint64_t bytes = front_.capacity() + unfinished_.capacity();
  for (const PiecedLayer& layer : layers_) {
    bytes += layer.memory_bytes();
  }
  return bytes;
}

void LayersLoad::read(std::uint64_t offset, std::span<std::byte> out) const {
  PartReader reader(offset, out);
  reader.bytes(front_);
  for (std::size_t i = 0; i < layers_.size() && i <= layer_; ++i) {
    reader.part(i < layer_ ? layers_[i].file_bytes() : offset_,
                [&](std::uint64_t at, std::span<std::byte> part) { layers_[i].read(at, part); });
  }
  reader.bytes(unfinished_);
}

}  // namespace bloomery
