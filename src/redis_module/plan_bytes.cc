#include "redis_module/plan_bytes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kPlanBytes = 56;
constexpr std::size_t kDeletableBytes = 24;
constexpr std::size_t kLayerBytes = 40;

// Writes the fields with which the plans of the layouts bloomery and quotient begin.
void write_plan_of(const GrowingPlan& plan, Schedule schedule, std::size_t layers, FrontWriter& out) {
  out.put(plan.capacity);
  out.put_double(plan.fpp);
  out.put(plan.expansion);
  out.put(static_cast<std::uint16_t>(plan.hash.id));
  out.put(static_cast<std::uint16_t>(schedule));
  out.put(plan.hash.seed);
  for (const std::uint8_t byte : plan.hash.secret.bytes) {
    out.put(byte);
  }
  out.put(static_cast<std::uint32_t>(layers));
  out.put(std::uint32_t{0});
}

Status check_plan(const GrowingPlan& plan) {
  if (const Status start = check_start(plan.capacity, plan.fpp); !start) {
    return corrupt_front(kFrontHeadBytes, start.error().detail());
  }
  if (plan.expansion > kMostExpansion) {
    return corrupt_front(kFrontHeadBytes + 16,
                         "expected an expansion of 0 to 32768, found " + std::to_string(plan.expansion));
  }
  const bool has_seed = plan.hash.id == HashId::kXxh3 || plan.hash.id == HashId::kMix8Xxh3;
  if (!has_seed && plan.hash.id != HashId::kSipHash) {
    return Error::unsupported(kFrontSubject, kFrontHeadBytes + 20,
                              "hash " + std::to_string(static_cast<unsigned>(plan.hash.id)));
  }
  if (plan.schedule != Schedule::kByIndex && plan.schedule != Schedule::kByCapacity) {
    return Error::unsupported(kFrontSubject, kFrontHeadBytes + 22,
                              "schedule " + std::to_string(static_cast<unsigned>(plan.schedule)));
  }
  return {};
}

struct ReadPlan {
  GrowingPlan plan;
  std::uint64_t layers = 0;
};

// Reads the fields of write_plan_of(). Precondition: at least kPlanBytes remain.
Result<ReadPlan> read_plan(FrontReader& in, PlanHas has) {
  ReadPlan read;
  GrowingPlan& plan = read.plan;
  plan.capacity = in.take<std::uint64_t>();
  plan.fpp = in.take_double();
  plan.expansion = in.take<std::uint32_t>();
  plan.hash.id = static_cast<HashId>(in.take<std::uint16_t>());
  const auto schedule = in.take<std::uint16_t>();
  plan.schedule = has == PlanHas::kSchedule ? static_cast<Schedule>(schedule) : Schedule::kByIndex;
  plan.hash.seed = in.take<std::uint64_t>();
  for (std::uint8_t& byte : plan.hash.secret.bytes) {
    byte = in.take<std::uint8_t>();
  }
  read.layers = in.take<std::uint32_t>();
  static_cast<void>(in.take<std::uint32_t>());
  BLOOMERY_RETURN_IF_ERROR(check_plan(plan));
  return read;
}

// Refuses numbers that commands could not handle: they divide by the bucket size and increment the deletes.
Status check_deletable_numbers(const CuckooNumbers& cuckoo, std::uint64_t deleted) {
  constexpr std::uint64_t kMostDeleted = std::uint64_t{1} << 62;
  if (cuckoo.bucket_size == 0 || cuckoo.bucket_size > kMostBucketSize || cuckoo.most_iterations == 0 ||
      deleted > kMostDeleted) {
    return corrupt_front(kFrontHeadBytes + kPlanBytes + 8,
                         "expected a bucket size of 1 to 255, 1 to 65535 iterations and at most 2^62 "
                         "deleted items, found " +
                             std::to_string(cuckoo.bucket_size) + ", " +
                             std::to_string(cuckoo.most_iterations) + " and " + std::to_string(deleted));
  }
  return {};
}

Error wrong_layer_count(std::uint64_t found) {
  return corrupt_front(kFrontHeadBytes + 48,
                       "layers: expected as many as there are bytes for, found " + std::to_string(found));
}

// Reads the fields of one layer in a front. The states of its pages follow after all layers.
GrowingFilter::Layer read_layer(FrontReader& in, PlanHas has) {
  GrowingFilter::Layer layer;
  layer.keys = in.take<std::uint64_t>();
  layer.size.capacity = in.take<std::uint64_t>();
  layer.size.fpp = in.take_double();
  layer.size.shape.words = in.take<std::uint64_t>();
  layer.size.shape.hash_count = in.take<std::uint32_t>();
  const auto bits = in.take<std::uint32_t>();
  layer.size.fingerprint_bits = has == PlanHas::kSchedule ? bits : 0;
  return layer;
}

// Allocates a layer's memory, and reads the states of its pages if it began as fingerprints.
Status furnish(GrowingFilter::Layer& layer, FrontReader& states) {
  const LayerSize& size = layer.size;
  if (size.fingerprint_bits == 0) {
    BLOOMERY_ASSIGN_OR_RETURN(layer.bits, PagedWords::zeroed(size.bytes()));
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const LateShape shape, late_shape(size.shape, size.fingerprint_bits));
  const auto pieces = static_cast<std::size_t>(std::min<std::uint64_t>(shape.pieces, states.rest().size()));
  BLOOMERY_ASSIGN_OR_RETURN(layer.late, LateBits::of_states(shape, states.take_bytes(pieces)));
  return {};
}

}  // namespace

bool is_of_late_version(const GrowingFilter& filter) {
  const bool grows_by_capacity = filter.plan().expansion > 0 && filter.plan().schedule != Schedule::kByIndex;
  return grows_by_capacity || std::ranges::any_of(filter.layers(), [](const auto& layer) {
           return static_cast<bool>(layer.late);
         });
}

void write_states(const GrowingFilter::Layer& layer, FrontWriter& out) {
  if (layer.late) {
    for (const std::uint8_t state : layer.late->states()) {
      out.put(state);
    }
  }
}

void write_plan(const GrowingFilter& filter, FrontWriter& out) {
  const Schedule schedule = is_of_late_version(filter) ? filter.plan().schedule : Schedule::kByIndex;
  write_plan_of(filter.plan(), schedule, filter.layers().size(), out);
  for (const GrowingFilter::Layer& layer : filter.layers()) {
    out.put(layer.keys);
    out.put(layer.size.capacity);
    out.put_double(layer.size.fpp);
    out.put(layer.size.shape.words);
    out.put(layer.size.shape.hash_count);
    out.put(layer.size.fingerprint_bits);
  }
  for (const GrowingFilter::Layer& layer : filter.layers()) {
    write_states(layer, out);
  }
}

void write_plan(const DeletableFilter& filter, const CuckooNumbers& cuckoo, FrontWriter& out) {
  write_plan_of(filter.plan(), Schedule::kByIndex, filter.segment_count(), out);
  out.put(filter.shape().quotients);
  out.put(filter.shape().remainder_bits);
  out.put(cuckoo.bucket_size);
  out.put(cuckoo.most_iterations);
  out.put(std::uint32_t{0});
  out.put(filter.deleted());
  out.put_bytes(filter.levels_in_order());
}

Result<std::unique_ptr<FilterValue>> read_deletable(std::span<const std::byte> bytes) {
  if (bytes.size() < kPlanBytes + kDeletableBytes) {
    return corrupt_front(kFrontHeadBytes, "expected the plan of a deletable filter, found " +
                                              std::to_string(bytes.size()) + " bytes");
  }
  FrontReader in(bytes);
  BLOOMERY_ASSIGN_OR_RETURN(const ReadPlan read, read_plan(in, PlanHas::kNoSchedule));
  CuckooNumbers cuckoo;
  DeletableShape shape;
  shape.quotients = in.take<std::uint32_t>();
  shape.remainder_bits = in.take<std::uint32_t>();
  cuckoo.bucket_size = in.take<std::uint16_t>();
  cuckoo.most_iterations = in.take<std::uint16_t>();
  static_cast<void>(in.take<std::uint32_t>());
  const auto deleted = in.take<std::uint64_t>();
  BLOOMERY_RETURN_IF_ERROR(check_deletable_numbers(cuckoo, deleted));
  if (read.layers != in.rest().size()) {
    return wrong_layer_count(read.layers);
  }
  BLOOMERY_ASSIGN_OR_RETURN(DeletableFilter filter, DeletableFilter::of_levels(read.plan, shape, in.rest()));
  if (filter.size_bytes() > kMostPagedBytes) {
    return corrupt_front(kFrontHeadBytes, "expected at most 2^36 bytes in all segments, found " +
                                              std::to_string(filter.size_bytes()));
  }
  filter.set_deleted(deleted);
  return std::make_unique<FilterValue>(std::move(filter), cuckoo);
}

Result<GrowingFilter> read_growing(std::span<const std::byte> bytes, PlanHas has) {
  if (bytes.size() < kPlanBytes) {
    return corrupt_front(kFrontHeadBytes,
                         "expected a plan, found " + std::to_string(bytes.size()) + " bytes");
  }
  FrontReader in(bytes);
  BLOOMERY_ASSIGN_OR_RETURN(const ReadPlan read, read_plan(in, has));
  const auto& [plan, count] = read;
  if (count > in.rest().size() / kLayerBytes || count > kMostLayers) {
    return wrong_layer_count(count);
  }
  FrontReader states(in.rest().subspan(count * kLayerBytes));
  std::vector<GrowingFilter::Layer> layers;
  std::uint64_t planned = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    GrowingFilter::Layer next = read_layer(in, has);
    const std::uint64_t words = next.size.shape.words;
    if (words > (kMostPagedBytes - planned) / sizeof(std::uint64_t)) {
      return corrupt_front(
          kFrontHeadBytes + kPlanBytes + i * kLayerBytes,
          "expected at most 2^36 bytes in all layers, found " + std::to_string(words) + " words in one");
    }
    planned += next.size.bytes();
    BLOOMERY_RETURN_IF_ERROR(furnish(next, states));
    layers.push_back(std::move(next));
  }
  if (!states.rest().empty()) {
    return wrong_layer_count(count);
  }
  return GrowingFilter::of_layers(plan, std::move(layers));
}

}  // namespace bloomery::redis_module
