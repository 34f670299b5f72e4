#include "bloomery/filter/bloom_filter.h"

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <mutex>
#include <utility>

#include "base/atomic_word.h"
#include "filter/filter_body.h"
#include "filter/kernel/bloom_kernel.h"
#include "filter/native_file.h"

namespace bloomery {
namespace {

constexpr std::uint64_t words_for(std::uint64_t bits) {
  return (bits + 63) / 64;
}

// How many keys ahead of its turn a key's lines are asked for in test_and_insert_batch.
constexpr std::size_t kTestAhead = 8;

Result<std::unique_ptr<FilterBody>> new_body(const BloomShape& shape, std::uint64_t capacity, double fpp,
                                             const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_shape(shape));
  if (options.keys.parts == 0) {
    return Error::invalid_argument("key parts", "expected at least 1, found 0");
  }
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(words_for(shape.bits) * 8));
  auto body = std::make_unique<FilterBody>();
  body->header = NativeHeader{.type = FilterType::kBloom,
                              .hash = options.hash,
                              .keys = options.keys,
                              .hash_count = shape.hash_count,
                              .capacity = capacity,
                              .target_fpp = fpp,
                              .bits = shape.bits};
  body->storage = Storage(std::move(buffer));
  return body;
}

}  // namespace

BloomFilter::BloomFilter(const BloomShape& shape, std::unique_ptr<FilterBody> body)
    : shape_(shape),
      words_count_(words_for(shape.bits)),
      words_(reinterpret_cast<std::uint64_t*>(
          body->storage.raw().data())),  // aligned: own memory, a map, or checked
      body_(std::move(body)) {}

BloomFilter::BloomFilter(BloomFilter&&) noexcept = default;
BloomFilter& BloomFilter::operator=(BloomFilter&&) noexcept = default;
BloomFilter::~BloomFilter() = default;

Result<BloomFilter> BloomFilter::for_capacity(std::uint64_t capacity, double fpp,
                                              const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, shape_for_fpp(capacity, fpp));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(shape, capacity, fpp, options));
  return BloomFilter(shape, std::move(body));
}

Result<BloomFilter> BloomFilter::for_bytes(std::uint64_t byte_limit, double fpp,
                                           const FilterOptions& options) {
  if (byte_limit < 8 || byte_limit > kMaxBloomBits / 8) {
    return Error::invalid_argument("bytes", "expected 8 to 2^53, found " + std::to_string(byte_limit));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, shape_for_bits(byte_limit / 8 * 64, fpp));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(shape, capacity_at(shape, fpp), fpp, options));
  return BloomFilter(shape, std::move(body));
}

Result<BloomFilter> BloomFilter::for_shape(const BloomShape& shape, std::uint64_t capacity,
                                           const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_shape(shape));
  const double fpp = std::max(predicted_fpp(shape, std::max<std::uint64_t>(capacity, 1)), DBL_MIN);
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(shape, capacity, fpp, options));
  return BloomFilter(shape, std::move(body));
}

Result<BloomFilter> BloomFilter::from_body(std::unique_ptr<FilterBody> body) {
  const NativeHeader& header = body->header;
  if (header.type != FilterType::kBloom) {
    return Error::invalid_argument("native header", std::string("expected a filter of type bloom, found ") +
                                                        filter_type_name(header.type));
  }
  const BloomShape shape{.bits = header.bits, .hash_count = header.hash_count};
  if (const Status status = check_shape(shape); !status) {
    return Error::corruption("native header", 64, status.error().subject() + ": " + status.error().detail());
  }
  if (const std::uint64_t bytes = words_for(shape.bits) * 8; header.payload_bytes != bytes) {
    return Error::corruption("native header", 88,
                             "payload bytes: expected " + std::to_string(bytes) + " for " +
                                 std::to_string(shape.bits) + " bits, found " +
                                 std::to_string(header.payload_bytes));
  }
  if (reinterpret_cast<std::uintptr_t>(body->storage.bytes().data()) % 8 != 0) {
    return Error::invalid_argument("view", "expected bytes aligned to 8");
  }
  BloomFilter filter(shape, std::move(body));
  const std::uint64_t unused = shape.bits % 64 == 0 ? 0 : ~std::uint64_t{0} << (shape.bits % 64);
  if ((relaxed_load(filter.words_[filter.words_count_ - 1]) & unused) != 0) {
    return Error::corruption("payload", kNativeHeaderBytes + header.payload_bytes - 8,
                             "expected the bits behind the last to be 0, found some set");
  }
  return filter;
}

Result<BloomFilter> BloomFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_native_file(FileSystem::real(), path, options));
  Result<BloomFilter> filter = from_body(std::move(body));
  return filter ? std::move(filter) : filter.error().in_file(path);
}

Result<BloomFilter> BloomFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_native_bytes(bytes, options));
  return from_body(std::move(body));
}

void BloomFilter::insert(const Hash128& hash) {
  assert(is_writable());
  bloom_kernel::insert({words_, shape_.bits, shape_.hash_count}, hash.low);
  body_->inserted.fetch_add(1, std::memory_order_relaxed);
}

bool BloomFilter::may_contain(const Hash128& hash) const {
  return bloom_kernel::may_contain({words_, shape_.bits, shape_.hash_count}, hash.low);
}

bool BloomFilter::test_and_insert(const Hash128& hash) {
  assert(is_writable());
  const std::lock_guard lock(body_->locks.of(hash.low));
  body_->inserted.fetch_add(1, std::memory_order_relaxed);
  return bloom_kernel::insert({words_, shape_.bits, shape_.hash_count}, hash.low);
}

void BloomFilter::insert_batch(std::span<const Hash128> hashes) {
  assert(is_writable());
  bloom_kernel::insert_batch({words_, shape_.bits, shape_.hash_count}, hashes);
  body_->inserted.fetch_add(hashes.size(), std::memory_order_relaxed);
}

void BloomFilter::may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  assert(answers.size() >= answer_words(hashes.size()));
  bloom_kernel::may_contain_batch({words_, shape_.bits, shape_.hash_count}, hashes, answers.data());
}

void BloomFilter::test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  assert(is_writable() && answers.size() >= answer_words(hashes.size()));
  const BloomTable table{words_, shape_.bits, shape_.hash_count};
  const std::size_t ahead = bloom_kernel::prefetches(table) ? kTestAhead : hashes.size();
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      bloom_kernel::prefetch_for_insert(table, hashes[i + ahead].low);
    }
    const std::lock_guard lock(body_->locks.of(hashes[i].low));
    answers[i / 64] |= static_cast<std::uint64_t>(bloom_kernel::insert(table, hashes[i].low)) << (i % 64);
  }
  body_->inserted.fetch_add(hashes.size(), std::memory_order_relaxed);
}

Status BloomFilter::merge(const BloomFilter& other) {
  assert(is_writable());
  BLOOMERY_RETURN_IF_ERROR(check_same_plan(body_->header, other.body_->header));
  for (std::uint64_t i = 0; i < words_count_; ++i) {
    words_[i] |= other.words_[i];
  }
  body_->inserted.fetch_add(other.inserted(), std::memory_order_relaxed);
  return {};
}

void BloomFilter::clear() {
  assert(is_writable());
  std::fill_n(words_, words_count_, 0);
  body_->inserted = 0;
}

std::uint64_t BloomFilter::capacity() const {
  return body_->header.capacity;
}
double BloomFilter::target_fpp() const {
  return body_->header.target_fpp;
}
std::uint64_t BloomFilter::inserted() const {
  return body_->inserted.load(std::memory_order_relaxed);
}
bool BloomFilter::is_writable() const {
  return body_->storage.is_writable();
}
const HashSpec& BloomFilter::hash_spec() const {
  return body_->header.hash;
}
const KeyTreatment& BloomFilter::key_treatment() const {
  return body_->header.keys;
}
const std::string& BloomFilter::metadata() const {
  return body_->metadata;
}

Status BloomFilter::set_metadata(std::string text) {
  if (text.size() > kMaxMetadataBytes) {
    return Error::invalid_argument(
        "metadata", "expected at most 16 MiB, found " + std::to_string(text.size()) + " bytes");
  }
  body_->metadata = std::move(text);
  return {};
}

std::uint64_t BloomFilter::set_bit_count() const {
  return count_set_bits({words_, words_count_});
}

double BloomFilter::fill_ratio() const {
  return static_cast<double>(set_bit_count()) / static_cast<double>(shape_.bits);
}

double BloomFilter::current_fpp() const {
  return fpp_at_fill(fill_ratio(), shape_.hash_count);
}

double BloomFilter::estimated_count() const {
  return estimated_key_count(shape_, set_bit_count());
}

bool BloomFilter::over_capacity() const {
  return inserted() > capacity() && estimated_count() > static_cast<double>(capacity());
}

Status BloomFilter::save(const std::string& path, const SaveTo& to) const {
  const SaveOptions options{.if_exists = to.replace ? IfExists::kReplace : IfExists::kRefuse,
                            .cancelled = to.cancelled};
  return save_native_file(FileSystem::real(), path, *body_, options);
}

void BloomFilter::serialize(std::string& out) const {
  const auto header = encode(current_header(*body_));
  const auto append = [&out](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  append(header);
  append(body_->storage.bytes());
  out.append(body_->metadata);
}

Status BloomFilter::finish_update() {
  assert(body_->updated_file.has_value());
  return finish_native_update(FileSystem::real(), *body_);
}

}  // namespace bloomery
