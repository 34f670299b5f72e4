#include "filter/scalable/layer_front.h"

#include <string>
#include <utility>

#include "base/endian.h"

namespace bloomery {
namespace {

// Offsets in the front. Those of a layer's fields count from its entry.
constexpr std::size_t kEntriesAt = 32;
constexpr std::size_t kEntryBytes = 32;
constexpr std::size_t kWordsAt = 8;
constexpr std::size_t kStepAt = 16;
constexpr std::size_t kLayerHashCountAt = 20;
constexpr std::size_t kLayerReservedAt = 24;

constexpr std::uint64_t entry_at(std::uint64_t layer) {
  return kEntriesAt + layer * kEntryBytes;
}

Status check_front_zeros(std::span<const std::byte> bytes, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at < end; ++at) {
    if (bytes[at] != std::byte{0}) {
      return bad_payload(at,
                         "reserved: expected 0, found " + std::to_string(std::to_integer<int>(bytes[at])));
    }
  }
  return {};
}

// Reads entry `i`, whose words begin at `words_at` in the payload.
Result<LayerEntry> read_entry(std::span<const std::byte> begin, std::uint64_t payload_bytes, std::uint64_t i,
                              std::uint64_t words_at, std::uint32_t last_step, const ScalablePlan& plan) {
  const std::byte* const entry = begin.data() + entry_at(i);
  const LayerEntry layer{.step = load_little32(entry + kStepAt),
                         .shape = {.words = load_little64(entry + kWordsAt),
                                   .hash_count = load_little32(entry + kLayerHashCountAt),
                                   .setting = plan.setting},
                         .keys = load_little64(entry)};
  if (layer.step < last_step || layer.step > last_step + (i == 0 ? 0 : 1)) {
    return bad_payload(entry_at(i) + kStepAt,
                       "step: expected 0, then that of the layer before or one more; "
                       "found " +
                           std::to_string(layer.step));
  }
  if (const std::uint64_t capacity = layer_capacity(plan.first_capacity, layer.step); layer.keys > capacity) {
    return bad_payload(entry_at(i), "keys: expected at most " + std::to_string(capacity) + ", found " +
                                        std::to_string(layer.keys));
  }
  if (const Status shape = check_blocked_shape(layer.shape); !shape) {
    return bad_payload(entry_at(i) + kWordsAt, shape.error().subject() + ": " + shape.error().detail());
  }
  if (const std::uint64_t left = (payload_bytes - words_at) / sizeof(std::uint64_t);
      layer.shape.words % 8 != 0 || layer.shape.words > left) {
    return bad_payload(entry_at(i) + kWordsAt, "words: expected a multiple of 8, at most " +
                                                   std::to_string(left) + " (what the payload has), found " +
                                                   std::to_string(layer.shape.words));
  }
  BLOOMERY_RETURN_IF_ERROR(check_front_zeros(begin, entry_at(i) + kLayerReservedAt, entry_at(i + 1)));
  return layer;
}

Status check_field(std::uint64_t at, const char* field, std::uint64_t expected, std::uint64_t found) {
  return expected == found
             ? Status()
             : bad_header_field(at, field, std::to_string(expected) + " as of the first layer", found);
}

}  // namespace

Result<std::vector<LayerEntry>> read_layer_front(std::span<const std::byte> begin,
                                                 std::uint64_t payload_bytes, const ScalablePlan& plan) {
  if (payload_bytes < layer_front_bytes(1) || payload_bytes % 64 != 0) {
    return bad_payload(
        0, "expected a multiple of 64 bytes, at least 64, found " + std::to_string(payload_bytes));
  }
  const std::uint64_t count = load_little64(begin.data());
  if (count == 0 || count > kMostScalableLayers || layer_front_bytes(count) > payload_bytes) {
    return bad_payload(0, "layers: expected 1 to " + std::to_string(kMostScalableLayers) +
                              " that the payload has room for, found " + std::to_string(count));
  }
  BLOOMERY_RETURN_IF_ERROR(check_front_zeros(begin, sizeof(count), kEntriesAt));
  BLOOMERY_RETURN_IF_ERROR(check_front_zeros(begin, entry_at(count), layer_front_bytes(count)));
  std::vector<LayerEntry> layers;
  std::uint64_t words_at = layer_front_bytes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t last_step = layers.empty() ? 0 : layers.back().step;
    BLOOMERY_ASSIGN_OR_RETURN(const LayerEntry layer,
                              read_entry(begin, payload_bytes, i, words_at, last_step, plan));
    words_at += layer.shape.words * sizeof(std::uint64_t);
    layers.push_back(layer);
  }
  if (words_at != payload_bytes) {
    return bad_payload(words_at, "expected nothing behind the last layer, found " +
                                     std::to_string(payload_bytes - words_at) + " bytes");
  }
  return layers;
}

std::vector<std::byte> write_layer_front(std::span<const LayerEntry> layers) {
  std::vector<std::byte> front(layer_front_bytes(layers.size()));
  store_little(front.data(), std::uint64_t{layers.size()});
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::byte* const entry = front.data() + entry_at(i);
    store_little(entry, layers[i].keys);
    store_little(entry + kWordsAt, layers[i].shape.words);
    store_little(entry + kStepAt, layers[i].step);
    store_little(entry + kLayerHashCountAt, layers[i].shape.hash_count);
  }
  return front;
}

ScalablePlan scalable_plan_of(const NativeHeader& header) {
  return {.first_capacity = header.capacity,
          .fpp = header.target_fpp,
          .setting = static_cast<BlockedSetting>(header.stride_bytes)};
}

Status check_first_layer(const NativeHeader& header, const BlockedShape& first) {
  BLOOMERY_RETURN_IF_ERROR(
      check_field(native_header::kHashCountAt, "hash count", first.hash_count, header.hash_count));
  return check_field(native_header::kBitsAt, "bits", first.bits(), header.bits);
}

bool layer_may_follow(std::uint64_t last, std::uint64_t next) {
  constexpr std::uint64_t kMostTimes = 16;
  constexpr std::uint64_t kSmallWords = std::uint64_t{1} << 17;  // 1 MiB
  return next <= kSmallWords || next / kMostTimes <= last;
}

}  // namespace bloomery
