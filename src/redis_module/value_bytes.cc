#include "redis_module/value_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "base/crc32c.h"
#include "base/endian.h"
#include "redis_module/front_fields.h"
#include "redis_module/plan_bytes.h"

namespace bloomery::redis_module {
namespace {

constexpr std::string_view kValueFrontMagic = "BLMR";
constexpr std::string_view kChunkMagic = "BLMC";
constexpr std::uint16_t kFirstVersion = 1;
constexpr std::uint16_t kVersionWithRecord = 2;
constexpr std::uint16_t kVersionWithSchedule = 3;  // always with a record, which may be empty
constexpr std::size_t kChunkHeadBytes = 24;
constexpr std::size_t kCrcBytes = 4;

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), as_bytes(magic));
}

Result<std::unique_ptr<FilterValue>> read_chain(std::span<const std::byte> header_bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(redisbloom::ChainHeader header, redisbloom::read_chain_header(header_bytes, 0));
  if (header.data_bytes() > kMostPagedBytes || header.links.size() > kMostLayers) {
    return corrupt_front(
        0, "expected at most 2^36 bytes in all links, found " + std::to_string(header.data_bytes()));
  }
  // Commands sum the entries of all links, and the sum must not overflow.
  constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 52;
  for (const redisbloom::ChainLink& link : header.links) {
    if (link.entries > kMostEntries) {
      return corrupt_front(0,
                           "expected at most 2^52 entries in a link, found " + std::to_string(link.entries));
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(ServerChain chain, ServerChain::zeroed(std::move(header)));
  return std::make_unique<FilterValue>(std::move(chain));
}

Result<std::unique_ptr<FilterValue>> read_cuckoo_chain(std::span<const std::byte> header_bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(CuckooChain chain, CuckooChain::of_header(header_bytes));
  return std::make_unique<FilterValue>(std::move(chain));
}

// Returns the header of RedisBloom's dump. Precondition: is_of_redisbloom(value.layout()).
std::string redisbloom_header(const FilterValue& value) {
  return value.layout() == Layout::kCuckoo ? value.cuckoo_chain().header_bytes()
                                           : redisbloom::chain_header_bytes(value.chain().header());
}

std::uint32_t compute_shape(const FilterValue& value) {
  const bool deletes = value.layout() == Layout::kQuotient;
  const GrowingPlan& plan = deletes ? value.deletable().plan() : value.growing().plan();
  FrontWriter out;
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
    out.put_bytes(value.deletable().levels_in_order());
  } else {
    for (const GrowingFilter::Layer& layer : value.growing().layers()) {
      out.put(layer.size.shape.words);
      out.put(layer.size.shape.hash_count);
      if (layer.late) {
        out.put(layer.size.fingerprint_bits);
        write_states(layer, out);
      }
    }
  }
  return crc32c(as_bytes(out.text()));
}

// Returns a checksum of the filter's shape. It changes when the filter grows or a page turns into bits.
std::uint32_t shape_of(const FilterValue& value) {
  const auto compute = [&] { return compute_shape(value); };
  return value.layout() == Layout::kQuotient ? value.deletable().mark_of_shape(compute) : compute();
}

std::vector<std::byte> marked(const FilterValue& value, std::uint64_t offset,
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

// Checks a marked chunk, and returns its payload.
Result<std::span<const std::byte>> unmarked(const FilterValue& value, std::uint64_t end_offset,
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

Result<std::string> read_record(FrontReader& in, std::size_t least) {
  const std::size_t room = in.rest().size();
  const std::size_t size = room < sizeof(std::uint16_t) ? 0 : in.take<std::uint16_t>();
  if (room < sizeof(std::uint16_t) || size < least || size > kMostRecordBytes || size > in.rest().size()) {
    return corrupt_front(kFrontHeadBytes, "expected a record of " + std::to_string(least) +
                                              " to 512 bytes, found " + std::to_string(size) + " in " +
                                              std::to_string(room));
  }
  const auto bytes = in.take_bytes(size);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::uint16_t front_version_of(const FilterValue& value) {
  if (value.layout() == Layout::kBloomery && is_of_late_version(value.growing())) {
    return kVersionWithSchedule;
  }
  return value.record().empty() ? kFirstVersion : kVersionWithRecord;
}

}  // namespace

bool is_front(std::span<const std::byte> bytes) {
  return begins_with(bytes, kValueFrontMagic);
}

std::string front_bytes(const FilterValue& value) {
  FrontWriter out;
  out.put_text(kValueFrontMagic);
  const std::uint16_t version = front_version_of(value);
  out.put(version);
  out.put(static_cast<std::uint8_t>(value.layout()));
  out.put(std::uint8_t{0});
  out.put(value.loaded());
  out.put(static_cast<std::uint64_t>(value.lease_until()));
  if (version != kFirstVersion) {
    out.put(static_cast<std::uint16_t>(value.record().size()));
    out.put_text(value.record());
  }
  if (value.layout() == Layout::kBloomery) {
    write_plan(value.growing(), out);
  } else if (value.layout() == Layout::kQuotient) {
    write_plan(value.deletable(), value.cuckoo(), out);
  } else {
    const std::string header = redisbloom_header(value);
    out.put(static_cast<std::uint32_t>(header.size()));
    out.put_text(header);
  }
  out.put(crc32c(as_bytes(out.text())));
  return out.text();
}

Result<std::unique_ptr<FilterValue>> read_front(std::span<const std::byte> bytes) {
  if (bytes.size() < kFrontHeadBytes + kCrcBytes || !is_front(bytes)) {
    return corrupt_front(0, "expected BLMR and more, found " + std::to_string(bytes.size()) + " bytes");
  }
  const auto body = bytes.first(bytes.size() - kCrcBytes);
  if (load_little32(bytes.data() + body.size()) != crc32c(body)) {
    return corrupt_front(body.size(), "expected the checksum of the front, found another one");
  }
  FrontReader in(body.subspan(kValueFrontMagic.size()));
  const auto version = in.take<std::uint16_t>();
  if (version < kFirstVersion || version > kVersionWithSchedule) {
    return Error::unsupported(kFrontSubject, 4, "expected version 1 to 3, found " + std::to_string(version));
  }
  const auto layout = in.take<std::uint8_t>();
  static_cast<void>(in.take<std::uint8_t>());
  const auto loaded = in.take<std::uint64_t>();
  const auto lease_until = static_cast<std::int64_t>(in.take<std::uint64_t>());
  std::string record;
  if (version != kFirstVersion) {
    BLOOMERY_ASSIGN_OR_RETURN(record, read_record(in, version == kVersionWithRecord ? 1 : 0));
  }
  std::unique_ptr<FilterValue> value;
  if (layout == static_cast<std::uint8_t>(Layout::kBloomery)) {
    const PlanHas has = version == kVersionWithSchedule ? PlanHas::kSchedule : PlanHas::kNoSchedule;
    BLOOMERY_ASSIGN_OR_RETURN(GrowingFilter filter, read_growing(in.rest(), has));
    value = std::make_unique<FilterValue>(std::move(filter));
  } else if (is_of_redisbloom(static_cast<Layout>(layout))) {
    if (in.rest().size() < kCrcBytes || load_little32(in.rest().data()) != in.rest().size() - kCrcBytes) {
      return corrupt_front(kFrontHeadBytes, "expected the size of the header of links or tables");
    }
    const auto header = in.rest().subspan(kCrcBytes);
    BLOOMERY_ASSIGN_OR_RETURN(value, layout == static_cast<std::uint8_t>(Layout::kCuckoo)
                                         ? read_cuckoo_chain(header)
                                         : read_chain(header));
  } else if (layout == static_cast<std::uint8_t>(Layout::kQuotient)) {
    BLOOMERY_ASSIGN_OR_RETURN(value, read_deletable(in.rest()));
  } else {
    return Error::unsupported(kFrontSubject, 6, "expected layout 1 to 4, found " + std::to_string(layout));
  }
  if (loaded > value->payload_bytes() || lease_until < 0 || lease_until > kLatestLease) {
    return corrupt_front(8, "expected at most " + std::to_string(value->payload_bytes()) +
                                " loaded bytes and a lease of at most 2^52, found " + std::to_string(loaded) +
                                " and " + std::to_string(lease_until));
  }
  value->set_loaded(loaded);
  value->set_lease_until(lease_until);
  value->set_record(std::move(record));
  return value;
}

Result<ScanStep> scan_step(const FilterValue& value, std::uint64_t iterator) {
  ScanStep step;
  if (iterator == 0) {
    step.iterator = 1;
    const bool needs_front = !is_of_redisbloom(value.layout()) || value.has_lease();
    const std::string header = needs_front ? front_bytes(value) : redisbloom_header(value);
    step.bytes.assign(as_bytes(header).begin(), as_bytes(header).end());
    return step;
  }
  const std::uint64_t offset = iterator - 1;
  const std::uint64_t end = value.loaded();
  if (offset > end) {
    return Error::invalid_argument(
        "iterator", "expected at most " + std::to_string(end + 1) + ", found " + std::to_string(iterator));
  }
  if (offset == end) {
    return step;
  }
  step.bytes = value.payload(offset, std::min(kScanBytes, end - offset));
  if (step.bytes.size() > end - offset) {
    return ScanStep();  // a partially loaded quotient table cannot be dumped
  }
  step.iterator = iterator + step.bytes.size();
  if (!is_of_redisbloom(value.layout())) {
    step.bytes = marked(value, offset, step.bytes);
  }
  return step;
}

Result<std::unique_ptr<FilterValue>> load_header(std::span<const std::byte> bytes) {
  // The header of a chain of links has 20 + 53 links bytes.
  BLOOMERY_ASSIGN_OR_RETURN(auto value, is_front(bytes)                      ? read_front(bytes)
                                        : bytes.size() == kCuckooHeaderBytes ? read_cuckoo_chain(bytes)
                                                                             : read_chain(bytes));
  value->set_loaded(0);
  return value;
}

Status load_chunk(FilterValue& value, std::uint64_t iterator, std::span<const std::byte> bytes) {
  if (iterator < 2) {
    return Error::invalid_argument("iterator", "expected 2 or more, found " + std::to_string(iterator));
  }
  const std::uint64_t end_offset = iterator - 1;
  std::span<const std::byte> payload = bytes;
  if (!is_of_redisbloom(value.layout())) {
    BLOOMERY_ASSIGN_OR_RETURN(payload, unmarked(value, end_offset, bytes));
  }
  if (payload.size() > end_offset) {
    return Error::invalid_argument("iterator",
                                   "expected the end of the chunk, found " + std::to_string(iterator));
  }
  return value.load_payload(end_offset - payload.size(), payload);
}

}  // namespace bloomery::redis_module
