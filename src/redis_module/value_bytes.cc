#include "redis_module/value_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery::redis_module {
namespace {

constexpr std::string_view kFrontMagic = "BLMR";
constexpr std::string_view kChunkMagic = "BLMC";
constexpr std::uint16_t kVersion = 1;
constexpr std::uint16_t kVersionWithRecord = 2;
constexpr std::size_t kFrontHeadBytes = 24;
constexpr std::size_t kPlanBytes = 56;
constexpr std::size_t kDeletableBytes = 24;
constexpr std::size_t kLayerBytes = 40;
constexpr std::size_t kChunkHeadBytes = 24;
constexpr std::size_t kCrcBytes = 4;

constexpr const char* kSubject = "bloomery front";

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class Writer {
 public:
  template <typename T>
  void put(T value) {
    std::array<std::byte, sizeof(T)> bytes;
    store_little(bytes.data(), value);
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void put_double(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put_text(std::string_view text) { out_.append(text); }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

// Reads fields one behind the other. Precondition: they are there; the callers check sizes.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    const T value = load_little<T>(bytes_.data());
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  double take_double() { return std::bit_cast<double>(take<std::uint64_t>()); }
  std::span<const std::byte> rest() const { return bytes_; }
  std::span<const std::byte> take_bytes(std::size_t count) {
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
};

Error corrupt(std::uint64_t offset, const std::string& detail) {
  return Error::corruption(kSubject, offset, detail);
}

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), as_bytes(magic));
}

// ---- plans

// The layouts bloomery and quotient begin alike.
void write_plan_of(const GrowingPlan& plan, std::size_t layers, Writer& out) {
  out.put(plan.capacity);
  out.put_double(plan.fpp);
  out.put(plan.expansion);
  out.put(static_cast<std::uint16_t>(plan.hash.id));
  out.put(std::uint16_t{0});
  out.put(plan.hash.seed);
  for (const std::uint8_t byte : plan.hash.secret.bytes) {
    out.put(byte);
  }
  out.put(static_cast<std::uint32_t>(layers));
  out.put(std::uint32_t{0});
}

void write_plan(const DeletableFilter& filter, Writer& out) {
  write_plan_of(filter.plan().usual, filter.segment_count(), out);
  out.put(filter.shape().quotients);
  out.put(filter.shape().remainder_bits);
  out.put(filter.plan().bucket_size);
  out.put(filter.plan().most_iterations);
  out.put(std::uint32_t{0});
  out.put(filter.deleted());
  for (std::size_t i = 0; i < filter.segment_count(); ++i) {
    out.put(static_cast<std::uint8_t>(filter.level_of(i)));
  }
}

void write_plan(const GrowingFilter& filter, Writer& out) {
  write_plan_of(filter.plan(), filter.layers().size(), out);
  for (const GrowingFilter::Layer& layer : filter.layers()) {
    out.put(layer.keys);
    out.put(layer.capacity);
    out.put_double(layer.fpp);
    out.put(layer.shape.words);
    out.put(layer.shape.hash_count);
    out.put(std::uint32_t{0});
  }
}

Status check_plan(const GrowingPlan& plan) {
  if (!(plan.fpp > 0 && plan.fpp < 1) || plan.capacity == 0 || plan.capacity > kMostCapacity) {
    return corrupt(kFrontHeadBytes, "expected 1 to 2^40 keys and an fpp between 0 and 1, found " +
                                        std::to_string(plan.capacity) + " and " + std::to_string(plan.fpp));
  }
  const bool has_seed = plan.hash.id == HashId::kXxh3 || plan.hash.id == HashId::kMix8Xxh3;
  if (!has_seed && plan.hash.id != HashId::kSipHash) {
    return Error::unsupported(kSubject, kFrontHeadBytes + 20,
                              "hash " + std::to_string(static_cast<unsigned>(plan.hash.id)));
  }
  return {};
}

struct ReadPlan {
  GrowingPlan plan;
  std::uint64_t layers = 0;
};

// Precondition: there are kPlanBytes.
Result<ReadPlan> read_plan(Reader& in) {
  ReadPlan read;
  GrowingPlan& plan = read.plan;
  plan.capacity = in.take<std::uint64_t>();
  plan.fpp = in.take_double();
  plan.expansion = in.take<std::uint32_t>();
  plan.hash.id = static_cast<HashId>(in.take<std::uint16_t>());
  static_cast<void>(in.take<std::uint16_t>());
  plan.hash.seed = in.take<std::uint64_t>();
  for (std::uint8_t& byte : plan.hash.secret.bytes) {
    byte = in.take<std::uint8_t>();
  }
  read.layers = in.take<std::uint32_t>();
  static_cast<void>(in.take<std::uint32_t>());
  BLOOMERY_RETURN_IF_ERROR(check_plan(plan));
  return read;
}

Error wrong_layer_count(std::uint64_t found) {
  return corrupt(kFrontHeadBytes + 48,
                 "layers: expected as many as there are bytes for, found " + std::to_string(found));
}

Result<std::unique_ptr<BloomValue>> read_deletable(std::span<const std::byte> bytes) {
  if (bytes.size() < kPlanBytes + kDeletableBytes) {
    return corrupt(kFrontHeadBytes, "expected the plan of a deletable filter, found " +
                                        std::to_string(bytes.size()) + " bytes");
  }
  Reader in(bytes);
  BLOOMERY_ASSIGN_OR_RETURN(const ReadPlan read, read_plan(in));
  DeletablePlan plan{.usual = read.plan};
  DeletableShape shape;
  shape.quotients = in.take<std::uint32_t>();
  shape.remainder_bits = in.take<std::uint32_t>();
  plan.bucket_size = in.take<std::uint16_t>();
  plan.most_iterations = in.take<std::uint16_t>();
  static_cast<void>(in.take<std::uint32_t>());
  const auto deleted = in.take<std::uint64_t>();
  if (read.layers != in.rest().size()) {
    return wrong_layer_count(read.layers);
  }
  BLOOMERY_ASSIGN_OR_RETURN(DeletableFilter filter, DeletableFilter::of_levels(plan, shape, in.rest()));
  if (filter.size_bytes() > kMostBytes) {
    return corrupt(kFrontHeadBytes, "expected at most 2^36 bytes in all segments, found " +
                                        std::to_string(filter.size_bytes()));
  }
  filter.set_deleted(deleted);
  return std::make_unique<BloomValue>(std::move(filter));
}

Result<std::unique_ptr<BloomValue>> read_growing(std::span<const std::byte> bytes) {
  if (bytes.size() < kPlanBytes || (bytes.size() - kPlanBytes) % kLayerBytes != 0) {
    return corrupt(kFrontHeadBytes,
                   "expected a plan and whole layers, found " + std::to_string(bytes.size()) + " bytes");
  }
  Reader in(bytes);
  BLOOMERY_ASSIGN_OR_RETURN(const ReadPlan read, read_plan(in));
  const auto& [plan, count] = read;
  if (count != (bytes.size() - kPlanBytes) / kLayerBytes || count > kMostLayers) {
    return wrong_layer_count(count);
  }
  std::vector<GrowingFilter::Layer> layers;
  std::uint64_t payload = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    GrowingFilter::Layer layer;
    layer.keys = in.take<std::uint64_t>();
    layer.capacity = in.take<std::uint64_t>();
    layer.fpp = in.take_double();
    layer.shape.words = in.take<std::uint64_t>();
    layer.shape.hash_count = in.take<std::uint32_t>();
    static_cast<void>(in.take<std::uint32_t>());
    if (layer.shape.words > (kMostBytes - payload) / sizeof(std::uint64_t)) {
      return corrupt(kFrontHeadBytes + kPlanBytes + i * kLayerBytes,
                     "expected at most 2^36 bytes in all layers, found " + std::to_string(layer.shape.words) +
                         " words in one");
    }
    payload += layer.shape.words * sizeof(std::uint64_t);
    BLOOMERY_ASSIGN_OR_RETURN(layer.bits, BitChunks::zeroed(layer.shape.words * sizeof(std::uint64_t)));
    layers.push_back(std::move(layer));
  }
  BLOOMERY_ASSIGN_OR_RETURN(GrowingFilter filter, GrowingFilter::of_layers(plan, std::move(layers)));
  return std::make_unique<BloomValue>(std::move(filter));
}

Result<std::unique_ptr<BloomValue>> read_chain(std::span<const std::byte> header_bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(redisbloom::ChainHeader header, redisbloom::read_chain_header(header_bytes, 0));
  if (header.data_bytes() > kMostBytes || header.links.size() > kMostLayers) {
    return corrupt(0,
                   "expected at most 2^36 bytes in all links, found " + std::to_string(header.data_bytes()));
  }
  BLOOMERY_ASSIGN_OR_RETURN(ServerChain chain, ServerChain::zeroed(std::move(header)));
  return std::make_unique<BloomValue>(std::move(chain));
}

// The shape of a filter as 32 bits: the same before and after keys were added, unless it has grown.
std::uint32_t shape_of(const BloomValue& value) {
  const bool deletes = value.layout() == Layout::kQuotient;
  const GrowingPlan& plan = deletes ? value.deletable().plan().usual : value.growing().plan();
  Writer out;
  out.put(plan.capacity);
  out.put_double(plan.fpp);
  out.put(static_cast<std::uint16_t>(plan.hash.id));
  out.put(plan.hash.seed);
  for (const std::uint8_t byte : plan.hash.secret.bytes) {
    out.put(byte);
  }
  if (deletes) {
    out.put(value.deletable().shape().quotients);
    out.put(value.deletable().shape().remainder_bits);
    for (std::size_t i = 0; i < value.layer_count(); ++i) {
      out.put(static_cast<std::uint8_t>(value.deletable().level_of(i)));
    }
  } else {
    for (const GrowingFilter::Layer& layer : value.growing().layers()) {
      out.put(layer.shape.words);
      out.put(layer.shape.hash_count);
    }
  }
  return crc32c(as_bytes(out.text()));
}

std::vector<std::byte> marked(const BloomValue& value, std::uint64_t offset,
                              std::span<const std::byte> payload) {
  std::vector<std::byte> chunk(kChunkHeadBytes + payload.size());
  std::ranges::copy(as_bytes(kChunkMagic), chunk.begin());
  store_little(chunk.data() + 8, offset);
  store_little(chunk.data() + 16, shape_of(value));
  store_little(chunk.data() + 20, std::uint32_t{0});
  std::ranges::copy(payload, chunk.begin() + kChunkHeadBytes);
  store_little(chunk.data() + 4, crc32c(std::span(chunk).subspan(8)));
  return chunk;
}

// Returns the payload bytes of a marked chunk.
Result<std::span<const std::byte>> unmarked(const BloomValue& value, std::uint64_t end_offset,
                                            std::span<const std::byte> chunk) {
  if (chunk.size() <= kChunkHeadBytes || !begins_with(chunk, kChunkMagic) ||
      load_little32(chunk.data() + 4) != crc32c(chunk.subspan(8))) {
    return Error::corruption("chunk", 0, "expected BLMC and a checksum that is right");
  }
  if (load_little32(chunk.data() + 16) != shape_of(value)) {
    return Error::invalid_argument("chunk", "expected a chunk of this filter, found one of another shape");
  }
  const auto payload = chunk.subspan(kChunkHeadBytes);
  if (load_little64(chunk.data() + 8) + payload.size() != end_offset) {
    return Error::invalid_argument("chunk", "expected the bytes that its iterator names");
  }
  return payload;
}

Result<std::string> read_record(Reader& in) {
  const std::size_t room = in.rest().size();
  const std::size_t size = room < sizeof(std::uint16_t) ? 0 : in.take<std::uint16_t>();
  if (size == 0 || size > kMostRecordBytes || size > in.rest().size()) {
    return corrupt(kFrontHeadBytes, "expected a record of 1 to 512 bytes, found " + std::to_string(size) +
                                        " in " + std::to_string(room));
  }
  const auto bytes = in.take_bytes(size);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::string front_bytes(const BloomValue& value) {
  Writer out;
  out.put_text(kFrontMagic);
  out.put(value.record().empty() ? kVersion : kVersionWithRecord);
  out.put(static_cast<std::uint8_t>(value.layout()));
  out.put(std::uint8_t{0});
  out.put(value.loaded());
  out.put(static_cast<std::uint64_t>(value.lease_until()));
  if (!value.record().empty()) {
    out.put(static_cast<std::uint16_t>(value.record().size()));
    out.put_text(value.record());
  }
  if (value.layout() == Layout::kBloomery) {
    write_plan(value.growing(), out);
  } else if (value.layout() == Layout::kQuotient) {
    write_plan(value.deletable(), out);
  } else {
    const std::string header = redisbloom::chain_header_bytes(value.chain().header());
    out.put(static_cast<std::uint32_t>(header.size()));
    out.put_text(header);
  }
  out.put(crc32c(as_bytes(out.text())));
  return out.text();
}

Result<std::unique_ptr<BloomValue>> read_front(std::span<const std::byte> bytes) {
  if (bytes.size() < kFrontHeadBytes + kCrcBytes || !begins_with(bytes, kFrontMagic)) {
    return corrupt(0, "expected BLMR and more, found " + std::to_string(bytes.size()) + " bytes");
  }
  const auto body = bytes.first(bytes.size() - kCrcBytes);
  if (load_little32(bytes.data() + body.size()) != crc32c(body)) {
    return corrupt(body.size(), "expected the checksum of the front, found another one");
  }
  Reader in(body.subspan(kFrontMagic.size()));
  const auto version = in.take<std::uint16_t>();
  if (version != kVersion && version != kVersionWithRecord) {
    return Error::unsupported(kSubject, 4, "expected version 1 or 2, found " + std::to_string(version));
  }
  const auto layout = in.take<std::uint8_t>();
  static_cast<void>(in.take<std::uint8_t>());
  const auto loaded = in.take<std::uint64_t>();
  const auto lease_until = static_cast<std::int64_t>(in.take<std::uint64_t>());
  std::string record;
  if (version == kVersionWithRecord) {
    BLOOMERY_ASSIGN_OR_RETURN(record, read_record(in));
  }
  std::unique_ptr<BloomValue> value;
  if (layout == static_cast<std::uint8_t>(Layout::kBloomery)) {
    BLOOMERY_ASSIGN_OR_RETURN(value, read_growing(in.rest()));
  } else if (layout == static_cast<std::uint8_t>(Layout::kRedisBloom)) {
    if (in.rest().size() < kCrcBytes || load_little32(in.rest().data()) != in.rest().size() - kCrcBytes) {
      return corrupt(kFrontHeadBytes, "expected the size of the header of links");
    }
    BLOOMERY_ASSIGN_OR_RETURN(value, read_chain(in.rest().subspan(kCrcBytes)));
  } else if (layout == static_cast<std::uint8_t>(Layout::kQuotient)) {
    BLOOMERY_ASSIGN_OR_RETURN(value, read_deletable(in.rest()));
  } else {
    return Error::unsupported(kSubject, 6, "expected layout 1, 2 or 3, found " + std::to_string(layout));
  }
  if (loaded > value->payload_bytes() || lease_until < 0) {
    return corrupt(8, "expected at most " + std::to_string(value->payload_bytes()) + " loaded bytes, found " +
                          std::to_string(loaded));
  }
  value->set_loaded(loaded);
  value->set_lease_until(lease_until);
  value->set_record(std::move(record));
  return value;
}

Result<ScanStep> scan_step(const BloomValue& value, std::uint64_t iterator) {
  ScanStep step;
  if (iterator == 0) {
    step.iterator = 1;
    const std::string header = value.layout() != Layout::kRedisBloom
                                   ? front_bytes(value)
                                   : redisbloom::chain_header_bytes(value.chain().header());
    step.bytes.assign(as_bytes(header).begin(), as_bytes(header).end());
    return step;
  }
  const std::uint64_t offset = iterator - 1;
  if (offset > value.payload_bytes()) {
    return Error::invalid_argument("iterator", "expected at most " +
                                                   std::to_string(value.payload_bytes() + 1) + ", found " +
                                                   std::to_string(iterator));
  }
  if (offset == value.payload_bytes()) {
    return step;
  }
  step.bytes = value.payload(offset, kScanBytes);
  step.iterator = iterator + step.bytes.size();
  if (value.layout() != Layout::kRedisBloom) {
    step.bytes = marked(value, offset, step.bytes);
  }
  return step;
}

Result<std::unique_ptr<BloomValue>> load_header(std::span<const std::byte> bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(auto value,
                            begins_with(bytes, kFrontMagic) ? read_front(bytes) : read_chain(bytes));
  value->set_loaded(0);
  return value;
}

Status load_chunk(BloomValue& value, std::uint64_t iterator, std::span<const std::byte> bytes) {
  if (iterator < 2) {
    return Error::invalid_argument("iterator", "expected 2 or more, found " + std::to_string(iterator));
  }
  const std::uint64_t end_offset = iterator - 1;
  std::span<const std::byte> payload = bytes;
  if (value.layout() != Layout::kRedisBloom) {
    BLOOMERY_ASSIGN_OR_RETURN(payload, unmarked(value, end_offset, bytes));
  }
  if (payload.size() > end_offset) {
    return Error::invalid_argument("iterator",
                                   "expected the end of the chunk, found " + std::to_string(iterator));
  }
  return value.load_payload(end_offset - payload.size(), payload);
}

}  // namespace bloomery::redis_module
