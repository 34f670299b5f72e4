#include "filter/scalable/layer_front.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/endian.h"
#include "filter/scalable/late_shape.h"

namespace bloomery {
namespace {

// Offsets in the front. Those of a layer's fields count from its entry.
constexpr std::size_t kFrontVersionAt = 8;
constexpr std::size_t kExpansionAt = 12;
constexpr std::size_t kFrontReservedAt = 16;
constexpr std::size_t kEntriesAt = 32;
constexpr std::size_t kLayerWordsAt = 8;
constexpr std::size_t kLayerCapacityAt = 16;
constexpr std::size_t kLayerFppAt = 24;
constexpr std::size_t kLayerHashCountAt = 32;
constexpr std::size_t kFingerprintBitsAt = 36;
constexpr std::size_t kLayerReservedAt = 40;
// Version 1.
constexpr std::size_t kStepAt = 16;
constexpr std::size_t kOldHashCountAt = 20;
constexpr std::size_t kOldReservedAt = 24;

constexpr std::uint32_t kFrontVersion = 2;

Status check_front_zeros(std::span<const std::byte> bytes, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at < end; ++at) {
    if (bytes[at] != std::byte{0}) {
      return bad_payload(at,
                         "reserved: expected 0, found " + std::to_string(std::to_integer<int>(bytes[at])));
    }
  }
  return {};
}

// The fields of the first 32 bytes.
struct FrontHead {
  std::uint64_t layers = 0;
  bool is_old = false;
  std::uint32_t expansion = 0;

  std::uint64_t entry_bytes() const { return is_old ? 32 : 48; }
  std::uint64_t entry_at(std::uint64_t layer) const { return kEntriesAt + layer * entry_bytes(); }
};

Result<FrontHead> read_head(std::span<const std::byte> begin, std::uint64_t payload_bytes,
                            const GrowingPlan& plan) {
  if (payload_bytes < 64 || payload_bytes % 64 != 0) {
    return bad_payload(
        0, "expected a multiple of 64 bytes, at least 64, found " + std::to_string(payload_bytes));
  }
  FrontHead head{.layers = load_little64(begin.data()), .expansion = expansion_of(plan.setting)};
  const std::uint32_t version = load_little32(begin.data() + kFrontVersionAt);
  if (version != 0 && version != kFrontVersion) {
    return bad_payload(kFrontVersionAt, "version: expected 0 or 2, found " + std::to_string(version));
  }
  head.is_old = version == 0;
  if (head.layers == 0 || head.layers > kMostScalableLayers || head.entry_at(head.layers) > payload_bytes) {
    return bad_payload(0, "layers: expected 1 to " + std::to_string(kMostScalableLayers) +
                              " that the payload has room for, found " + std::to_string(head.layers));
  }
  if (!head.is_old) {
    head.expansion = load_little32(begin.data() + kExpansionAt);
    if (head.expansion < 2 || head.expansion > kMostExpansion) {
      return bad_payload(kExpansionAt, "expansion: expected 2 to " + std::to_string(kMostExpansion) +
                                           ", found " + std::to_string(head.expansion));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(
      check_front_zeros(begin, head.is_old ? kFrontVersionAt : kFrontReservedAt, kEntriesAt));
  return head;
}

// The capacity of a step of version 1.
std::uint64_t old_capacity(std::uint64_t first, std::uint32_t step) {
  return step >= 64 || first > kMostCapacity >> step ? kMostCapacity : first << step;
}

double old_fpp(double fpp, std::uint32_t step) {
  constexpr double kRatio = 0.875;
  double layer = fpp * (1 - kRatio);
  for (std::uint32_t i = 0; i < std::min(step, 64U); ++i) {
    layer *= kRatio;
  }
  return layer;
}

Result<LayerEntry> read_old_entry(std::span<const std::byte> begin, std::uint64_t at, std::uint32_t last_step,
                                  bool is_first, const GrowingPlan& plan) {
  const std::byte* const entry = begin.data() + at;
  const std::uint32_t step = load_little32(entry + kStepAt);
  if (step < last_step || step > last_step + (is_first ? 0 : 1)) {
    return bad_payload(at + kStepAt, "step: expected 0, then that of the layer before or one more; found " +
                                         std::to_string(step));
  }
  BLOOMERY_RETURN_IF_ERROR(check_front_zeros(begin, at + kOldReservedAt, at + 32));
  return LayerEntry{.size = {.capacity = old_capacity(plan.capacity, step),
                             .fpp = old_fpp(plan.fpp, step),
                             .shape = {.words = load_little64(entry + kLayerWordsAt),
                                       .hash_count = load_little32(entry + kOldHashCountAt),
                                       .setting = plan.setting}},
                    .keys = load_little64(entry),
                    .states = {}};
}

Result<LayerEntry> read_new_entry(std::span<const std::byte> begin, std::uint64_t at,
                                  const GrowingPlan& plan) {
  const std::byte* const entry = begin.data() + at;
  BLOOMERY_RETURN_IF_ERROR(check_front_zeros(begin, at + kLayerReservedAt, at + 48));
  return LayerEntry{.size = {.capacity = load_little64(entry + kLayerCapacityAt),
                             .fpp = std::bit_cast<double>(load_little64(entry + kLayerFppAt)),
                             .shape = {.words = load_little64(entry + kLayerWordsAt),
                                       .hash_count = load_little32(entry + kLayerHashCountAt),
                                       .setting = plan.setting},
                             .fingerprint_bits = load_little32(entry + kFingerprintBitsAt)},
                    .keys = load_little64(entry),
                    .states = {}};
}

// Reads all entries, without the states of pieces.
Result<std::vector<LayerEntry>> read_entries(const FrontHead& head, std::span<const std::byte> begin,
                                             std::uint64_t payload_bytes, const GrowingPlan& plan) {
  std::vector<LayerEntry> layers;
  std::uint32_t step = 0;
  std::uint64_t left = payload_bytes - head.entry_at(head.layers);
  for (std::uint64_t i = 0; i < head.layers; ++i) {
    const std::uint64_t at = head.entry_at(i);
    BLOOMERY_ASSIGN_OR_RETURN(LayerEntry layer, head.is_old ? read_old_entry(begin, at, step, i == 0, plan)
                                                            : read_new_entry(begin, at, plan));
    step = head.is_old ? load_little32(begin.data() + at + kStepAt) : 0;
    if (const Status checked = check_layer_size(layer.size, layer.keys); !checked) {
      return bad_payload(at, checked.error().detail());
    }
    if (i == 0 && layer.size.fingerprint_bits != 0) {
      return bad_payload(at + kFingerprintBitsAt, "fingerprint bits: expected 0 in the first layer, found " +
                                                      std::to_string(layer.size.fingerprint_bits));
    }
    if (i > 0 && layer.size.capacity < layers.back().size.capacity) {
      return bad_payload(at, "capacity: expected at least " + std::to_string(layers.back().size.capacity) +
                                 ", that of the layer before, found " + std::to_string(layer.size.capacity));
    }
    const std::uint64_t bytes = layer.size.fingerprint_bits == 0 ? layer.size.bytes() : 0;
    if (layer.size.shape.words % 8 != 0 || bytes > left) {
      return bad_payload(at + kLayerWordsAt,
                         "words: expected a multiple of 8, at most " + std::to_string(left / 8) +
                             " (what the payload has), found " + std::to_string(layer.size.shape.words));
    }
    left -= bytes;
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::uint64_t pieces_of(const LayerSize& size) {
  const Result<LateShape> shape = late_shape(size.shape, size.fingerprint_bits);
  return size.fingerprint_bits == 0 || !shape ? 0 : shape->pieces;
}

Result<std::uint64_t> front_end(const FrontHead& head, std::span<const LayerEntry> layers,
                                std::uint64_t payload_bytes) {
  std::uint64_t end = head.entry_at(head.layers);
  for (const LayerEntry& layer : layers) {
    end += pieces_of(layer.size);  // at most 2^22 each, and 256 layers
  }
  end = (end + 63) / 64 * 64;
  if (end > payload_bytes) {
    return bad_payload(head.entry_at(head.layers), "expected the states of all pieces, found a payload of " +
                                                       std::to_string(payload_bytes) + " bytes");
  }
  return end;
}

Status check_field(std::uint64_t at, const char* field, std::uint64_t expected, std::uint64_t found) {
  return expected == found
             ? Status()
             : bad_header_field(at, field, std::to_string(expected) + " as of the first layer", found);
}

}  // namespace

Result<std::uint64_t> layer_front_bytes(std::span<const std::byte> begin, std::uint64_t payload_bytes,
                                        const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const FrontHead head, read_head(begin, payload_bytes, plan));
  BLOOMERY_ASSIGN_OR_RETURN(const auto layers, read_entries(head, begin, payload_bytes, plan));
  return front_end(head, layers, payload_bytes);
}

Result<LayerFront> read_layer_front(std::span<const std::byte> front, std::uint64_t payload_bytes,
                                    const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const FrontHead head, read_head(front, payload_bytes, plan));
  BLOOMERY_ASSIGN_OR_RETURN(auto layers, read_entries(head, front, payload_bytes, plan));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t end, front_end(head, layers, payload_bytes));
  std::uint64_t at = head.entry_at(head.layers);
  for (LayerEntry& layer : layers) {
    const auto states = front.subspan(at, pieces_of(layer.size));
    layer.states.assign(states.begin(), states.end());
    at += states.size();
  }
  BLOOMERY_RETURN_IF_ERROR(check_front_zeros(front, at, end));
  return LayerFront{.bytes = end, .expansion = head.expansion, .layers = std::move(layers)};
}

std::vector<std::byte> write_layer_front(const LayerFront& front) {
  std::uint64_t pieces = 0;
  for (const LayerEntry& layer : front.layers) {
    pieces += layer.states.size();
  }
  std::vector<std::byte> bytes(written_front_bytes(front.layers.size(), pieces));
  store_little(bytes.data(), std::uint64_t{front.layers.size()});
  store_little(bytes.data() + kFrontVersionAt, kFrontVersion);
  store_little(bytes.data() + kExpansionAt, front.expansion);
  std::byte* entry = bytes.data() + kEntriesAt;
  std::byte* states = entry + front.layers.size() * 48;
  for (const LayerEntry& layer : front.layers) {
    store_little(entry, layer.keys);
    store_little(entry + kLayerWordsAt, layer.size.shape.words);
    store_little(entry + kLayerCapacityAt, layer.size.capacity);
    store_little(entry + kLayerFppAt, std::bit_cast<std::uint64_t>(layer.size.fpp));
    store_little(entry + kLayerHashCountAt, layer.size.shape.hash_count);
    store_little(entry + kFingerprintBitsAt, layer.size.fingerprint_bits);
    entry += 48;
    states = std::ranges::copy(layer.states, states).out;
  }
  return bytes;
}

GrowingPlan growing_plan_of(const NativeHeader& header) {
  const auto setting = static_cast<BlockedSetting>(header.stride_bytes);
  return {.capacity = std::max<std::uint64_t>(header.capacity, 1),
          .fpp = header.target_fpp,
          .expansion = expansion_of(setting),
          .hash = {},
          .setting = setting};
}

Status check_first_layer(const NativeHeader& header, const BlockedShape& first) {
  BLOOMERY_RETURN_IF_ERROR(
      check_field(native_header::kHashCountAt, "hash count", first.hash_count, header.hash_count));
  return check_field(native_header::kBitsAt, "bits", first.bits(), header.bits);
}

}  // namespace bloomery
