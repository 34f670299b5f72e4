#include "filter/scalable/pieced_layers.h"

#include <algorithm>

#include "base/crc32c.h"
#include "base/crc32c_change.h"

namespace bloomery {

Result<PiecedLayers> PiecedLayers::open(const NativeHeader& header, const PagedWords& payload) {
  PiecedLayers made(scalable_plan_of(header));
  std::vector<std::byte> begin(std::min(payload.size_bytes(), layer_front_bytes(kMostScalableLayers)));
  payload.load(0, begin);
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<LayerEntry> entries,
                            read_layer_front(begin, payload.size_bytes(), made.plan_));
  BLOOMERY_RETURN_IF_ERROR(check_first_layer(header, entries.front().shape));
  const std::uint64_t front_bytes = layer_front_bytes(entries.size());
  std::uint64_t at = 0;
  for (const LayerEntry& entry : entries) {
    made.layers_.push_back({.entry = entry, .piece = 0, .table = {.at = at, .shape = entry.shape}});
    at += entry.shape.words * kWordBytes;
  }
  // The CRC of the words is what that of the front leaves of the payload's.
  const std::uint32_t crc =
      crc32c_of_both(crc32c(std::span(begin).first(front_bytes)), header.payload_checksum, at);
  made.pieces_.emplace_back(payload, front_bytes, crc);
  return made;
}

std::uint64_t PiecedLayers::capacity_of(const Layer& layer) const {
  return layer_capacity(plan_.first_capacity, layer.entry.step);
}

// ---- queries

// The newest and largest layer is asked first.
void PiecedLayers::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  for (std::size_t first = 0; first < hashes.size(); first += pieced_windows::kGroup) {
    const auto group = hashes.subspan(first, std::min(pieced_windows::kGroup, hashes.size() - first));
    const std::uint64_t all = ~std::uint64_t{0} >> (pieced_windows::kGroup - group.size());
    std::uint64_t absent = all;
    for (std::size_t i = layers_.size(); i-- > 0 && absent != 0;) {
      absent &= ~pieced_windows::ask(pieces_[layers_[i].piece], layers_[i].table, group, absent);
    }
    answers[first / pieced_windows::kGroup] = all & ~absent;
  }
}

bool PiecedLayers::is_in_first(std::size_t layers, const Hash128& hash) const {
  for (std::size_t i = layers; i-- > 0;) {
    if (pieced_windows::contains(pieces_[layers_[i].piece], layers_[i].table, hash)) {
      return true;
    }
  }
  return false;
}

void PiecedLayers::prefetch_places(const Hash128& hash) const {
  for (const Layer& layer : layers_) {
    pieced_windows::prefetch_places(pieces_[layer.piece], layer.table, hash);
  }
}

void PiecedLayers::prefetch(const Hash128& hash) const {
  for (const Layer& layer : layers_) {
    pieced_windows::prefetch(pieces_[layer.piece], layer.table, hash);
  }
}

// ---- inserts

Added PiecedLayers::insert(const Hash128& hash, std::uint64_t most_payload_bytes) {
  if (is_in_first(layers_.size() - 1, hash)) {
    return Added::kKnown;
  }
  const Added outcome = put_in_last(hash);
  if (outcome != Added::kFull) {
    return outcome;
  }
  if (const Added grown = grow(most_payload_bytes); grown != Added::kNew) {
    return grown;
  }
  const Added put = put_in_last(hash);
  if (put != Added::kNew) {  // the file stays as it was
    layers_.pop_back();
    pieces_.pop_back();
  }
  return put;
}

void PiecedLayers::begin_step() {
  for (CheckedPages& pieces : pieces_) {
    pieces.begin_step();
  }
}

Status PiecedLayers::agree(std::uint32_t step, const BlockedShape& shape) {
  if (const Status checked = check_blocked_shape(shape); !checked) {
    return checked;
  }
  if (shape.words % kWindowWords != 0 || shape.setting != plan_.setting) {
    return Error::invalid_argument("layer", "expected whole cache lines in the setting of the filter");
  }
  planned_[step] = shape;
  return {};
}

// A shape that has to be computed takes a millisecond or two, so it is kept.
std::optional<BlockedShape> PiecedLayers::shape_of(std::uint32_t step) {
  if (const auto found = planned_.find(step); found != planned_.end()) {
    return found->second;
  }
  const Result<LayerPlan> plan = plan_layer(plan_, step);
  if (!plan) {
    return std::nullopt;
  }
  planned_[step] = plan->shape;
  return plan->shape;
}

// The outcome is kFull if the layer is full and does not know the key.
Added PiecedLayers::put_in_last(const Hash128& hash) {
  Layer& last = layers_.back();
  CheckedPages& pieces = pieces_[last.piece];
  if (last.entry.keys >= capacity_of(last)) {
    return pieced_windows::contains(pieces, last.table, hash) ? Added::kKnown : Added::kFull;
  }
  const Added outcome = pieced_windows::insert(pieces, last.table, hash);
  last.entry.keys += outcome == Added::kNew ? 1 : 0;
  return outcome;
}

// Returns kNew if there is a next layer now.
Added PiecedLayers::grow(std::uint64_t most_payload_bytes) {
  const LayerEntry& last = layers_.back().entry;
  const std::uint32_t step = last.step + 1;
  if (layers_.size() == kMostScalableLayers) {
    return Added::kOverLimit;
  }
  const std::optional<BlockedShape> shape = shape_of(step);
  if (!shape || !layer_may_follow(last.shape.words, shape->words)) {
    return Added::kOverLimit;
  }
  const std::uint64_t more = shape->words * kWordBytes + layer_front_bytes(1);
  const std::uint64_t used = payload_bytes();
  if (used > most_payload_bytes || more > most_payload_bytes - used) {
    return Added::kOverLimit;
  }
  Result<CheckedPages> words = CheckedPages::zeroed(shape->words * kWordBytes);
  if (!words) {
    return Added::kOverLimit;
  }
  pieces_.push_back(std::move(words).value());
  pieces_.back().begin_step();
  layers_.push_back({.entry = {.step = step, .shape = *shape, .keys = 0},
                     .piece = pieces_.size() - 1,
                     .table = {.at = 0, .shape = *shape}});
  planned_.erase(planned_.begin(), planned_.upper_bound(step));
  return Added::kNew;
}

// ---- bytes

std::vector<std::byte> PiecedLayers::front() const {
  std::vector<LayerEntry> entries;
  for (const Layer& layer : layers_) {
    entries.push_back(layer.entry);
  }
  return write_layer_front(entries);
}

std::uint64_t PiecedLayers::payload_bytes() const {
  std::uint64_t bytes = layer_front_bytes(layers_.size());
  for (const CheckedPages& pieces : pieces_) {
    bytes += pieces.size_bytes();
  }
  return bytes;
}

std::uint32_t PiecedLayers::payload_crc() const {
  std::uint32_t crc = crc32c(front());
  for (const CheckedPages& pieces : pieces_) {
    crc = crc32c_of_both(crc, pieces.crc(), pieces.size_bytes());
  }
  return crc;
}

std::uint64_t PiecedLayers::memory_bytes() const {
  std::uint64_t bytes = layers_.capacity() * sizeof(Layer) + pieces_.capacity() * sizeof(CheckedPages);
  for (const CheckedPages& pieces : pieces_) {
    bytes += pieces.memory_bytes();
  }
  return bytes;
}

void PiecedLayers::read(std::uint64_t offset, std::span<std::byte> out) const {
  const std::vector<std::byte> begin = front();
  if (offset < begin.size()) {
    const std::size_t size = std::min<std::uint64_t>(out.size(), begin.size() - offset);
    std::copy_n(begin.begin() + static_cast<std::ptrdiff_t>(offset), size, out.begin());
    out = out.subspan(size);
    offset += size;
  }
  offset -= begin.size();
  for (const CheckedPages& pieces : pieces_) {
    if (offset < pieces.size_bytes()) {
      const auto part = out.first(std::min<std::uint64_t>(out.size(), pieces.size_bytes() - offset));
      pieces.read(offset, part);
      out = out.subspan(part.size());
      offset += part.size();
    }
    if (out.empty()) {
      return;
    }
    offset -= pieces.size_bytes();
  }
}

}  // namespace bloomery
