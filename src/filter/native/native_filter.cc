#include "bloomery/filter/native_filter.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/atomic_word.h"
#include "base/bit_count.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"

namespace bloomery {

NativeFilter::NativeFilter(std::unique_ptr<FilterBody> body)
    : body_(std::move(body)), at_hand_(at_hand_of(*body_)) {}
NativeFilter::NativeFilter(NativeFilter&&) noexcept = default;
NativeFilter& NativeFilter::operator=(NativeFilter&&) noexcept = default;
NativeFilter::~NativeFilter() = default;

NativeFilter::AtHand NativeFilter::at_hand_of(FilterBody& body) {
  const NativeHeader& header = body.header;
  const bool asks_inline = header.hash.id == HashId::kMix8Xxh3 && body.exceptions.empty();
  // A plain insert sets bits without atomic operations and does nothing else. So the bits must be writable,
  // and not of a file that is updated in place, since forked processes share its memory. There must be no
  // exceptions, which an insert may withdraw. The count must be far from its maximum, since a plain insert
  // does not saturate it (a file may claim any count).
  const bool plain_inserts = body.storage.is_writable() && !body.updated_file && body.exceptions.empty() &&
                             relaxed_load(body.inserted) < ~std::uint64_t{0} / 2;
  const bool reads_low = header.type == FilterType::kBlocked || header.type == FilterType::kFuse;
  return {.inserted = &body.inserted,
          .short_key_base = short_key_mix::base(header.hash.seed),
          .has_exceptions = !body.exceptions.empty(),
          .asks_inline = asks_inline,
          .low_is_enough = asks_inline && reads_low,
          .plain_inserts = plain_inserts,
          .plain_integer_inserts = plain_inserts && asks_inline};
}

void NativeFilter::exceptions_changed() {
  at_hand_ = at_hand_of(*body_);
}

Result<std::unique_ptr<FilterBody>> NativeFilter::new_body(FilterType type, std::uint64_t payload_bytes,
                                                           std::uint64_t capacity, double fpp,
                                                           const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_options(type, options));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(payload_bytes));
  auto body = std::make_unique<FilterBody>();
  body->header.type = type;
  body->header.hash = options.hash;
  body->header.hash_key_id = key_id_of(options.hash);
  body->header.keys = options.keys;
  body->header.capacity = capacity;
  body->header.target_fpp = fpp;
  body->storage = Storage(std::move(buffer));
  return body;
}

Result<std::unique_ptr<FilterBody>> NativeFilter::open_body(const std::string& path,
                                                            const OpenOptions& options, HeaderCheck check) {
  return open_native_file(FileSystem::real(), path, options, check);
}

Result<std::unique_ptr<FilterBody>> NativeFilter::view_body(std::span<const std::byte> bytes,
                                                            const OpenOptions& options, HeaderCheck check) {
  return open_native_bytes(bytes, options, check);
}

Status NativeFilter::check_not_in_place(FilterType type, const OpenOptions& options) {
  if (options.access != Access::kUpdateInPlace) {
    return {};
  }
  return Error::invalid_argument(
      "access",
      std::string(
          "expected kCopyLocked and a save() over the file, found kUpdateInPlace: a filter of type ") +
          filter_type_name(type) + " may grow");
}

Status NativeFilter::check_body(const FilterBody& body, FilterType type, std::uint64_t payload_bytes) {
  if (body.header.type != type) {
    return Error::invalid_argument("native header", std::string("expected a filter of type ") +
                                                        filter_type_name(type) + ", found " +
                                                        filter_type_name(body.header.type));
  }
  if (const std::uint64_t found = body.header.payload_bytes; found != payload_bytes) {
    return bad_header_field(
        native_header::kPayloadBytesAt, "payload bytes",
        std::to_string(payload_bytes) + " for " + std::to_string(body.header.bits) + " bits", found);
  }
  if (reinterpret_cast<std::uintptr_t>(body.storage.bytes().data()) % 8 != 0) {
    return Error::invalid_argument("view", "expected bytes aligned to 8");
  }
  return {};
}

FilterType NativeFilter::type() const {
  return body_->header.type;
}
std::uint64_t NativeFilter::capacity() const {
  return body_->header.capacity;
}
double NativeFilter::target_fpp() const {
  return body_->header.target_fpp;
}
std::uint64_t NativeFilter::inserted() const {
  return relaxed_load(body_->inserted);
}
std::uint64_t NativeFilter::byte_size() const {
  return body_->payload_bytes();
}
std::uint64_t NativeFilter::file_bytes() const {
  return kNativeHeaderBytes + byte_size() + body_->column.bytes().size() +
         exception_count() * sizeof(Hash128) + body_->metadata.size();
}
bool NativeFilter::is_writable() const {
  return body_->is_writable();
}
bool NativeFilter::may_grow() const {
  return body_->segmented != nullptr;
}
const HashSpec& NativeFilter::hash_spec() const {
  return body_->header.hash;
}
std::uint64_t NativeFilter::hash_key_id() const {
  return body_->header.hash_key_id;
}
const KeyTreatment& NativeFilter::key_treatment() const {
  return body_->header.keys;
}
Result<Hash128> NativeFilter::key_of(std::string_view text) const {
  return key_of(std::span(&text, 1));
}

Result<Hash128> NativeFilter::key_of(std::span<const std::string_view> parts) const {
  const KeyTreatment& treatment = key_treatment();
  if (hash_spec().id == HashId::kReadyDigest) {
    return Error::invalid_argument("key",
                                   "expected a filter that hashes its keys, found one of ready digests");
  }
  if (key_id_of(hash_spec()) != hash_key_id()) {
    return Error::invalid_argument("key", "expected the filter's secret, found it opened without");
  }
  if (is_block_list(treatment.form)) {
    return Error::invalid_argument("key", std::string("expected a form with one key for a text, found ") +
                                              key_form_name(treatment.form) +
                                              ": a BlockList inserts entries and asks about texts");
  }
  const bool any_number = treatment.parts == kVariableParts && !parts.empty();
  if (!any_number && parts.size() != treatment.parts) {
    const std::string expected =
        treatment.parts == kVariableParts ? "at least one part" : std::to_string(treatment.parts) + " parts";
    return Error::invalid_argument("key", "expected " + expected + ", found " + std::to_string(parts.size()));
  }
  KeyWriter writer;
  for (const std::string_view part : parts) {
    if (treatment.parts == 1) {
      BLOOMERY_RETURN_IF_ERROR(append_formed(writer, part, treatment));
      break;
    }
    const std::size_t start = writer.begin_part();
    BLOOMERY_RETURN_IF_ERROR(append_formed(writer, part, treatment));
    writer.end_part(start);
  }
  return hash_bytes(writer.bytes(), hash_spec());
}

void NativeFilter::end_with(const char* rule) {
  std::fprintf(stderr, "bloomery: %s\n", rule);
  std::abort();
}

const std::string& NativeFilter::metadata() const {
  return body_->metadata;
}

Status NativeFilter::set_metadata(std::string text) {
  if (text.size() > kMaxMetadataBytes) {
    return Error::invalid_argument(
        "metadata", "expected at most 16 MiB, found " + std::to_string(text.size()) + " bytes");
  }
  if (body_->updated_file) {
    return Error::invalid_argument("metadata", "expected a filter in memory, found an update in place");
  }
  body_->metadata = std::move(text);
  return {};
}

// The words are complete and aligned: check_body() has checked external bytes.
std::uint64_t* NativeFilter::words() const {
  return reinterpret_cast<std::uint64_t*>(body_->storage.raw().data());
}

std::uint64_t NativeFilter::set_bit_count() const {
  if (!body_->segmented) {
    const std::uint64_t front = body_->front_bytes();
    return count_set_bits({words() + front / 8, (byte_size() - front) / 8});
  }
  std::uint64_t count = 0;
  for (const std::span<const std::byte> piece : body_->segmented->image().pieces) {
    count += count_set_bits({reinterpret_cast<const std::uint64_t*>(piece.data()), piece.size() / 8});
  }
  return count;
}

void NativeFilter::clear() {
  require_writable();
  if (body_->segmented) {
    body_->segmented->clear();
  } else {
    const std::uint64_t front = body_->front_bytes();
    std::fill_n(words() + front / 8, (byte_size() - front) / 8, 0);
  }
  if (body_->front) {
    body_->front->clear();
  }
  relaxed_store(body_->inserted, 0);
}

Status NativeFilter::add_as_exceptions(std::span<const Hash128> hashes) {
  if (body_->updated_file) {
    return Error::invalid_argument("exceptions", "expected a filter in memory, found an update in place");
  }
  if (hash_spec().id == HashId::kReadyDigest) {
    return Error::invalid_argument("exceptions",
                                   "expected a filter that hashes its keys to 128 bits, found "
                                   "one of ready digests");
  }
  std::vector<Hash128> all = exceptions();
  all.insert(all.end(), hashes.begin(), hashes.end());
  body_->exceptions = ExceptionTable::of(std::move(all));
  exceptions_changed();
  return {};
}

std::uint64_t NativeFilter::exception_count() const {
  return body_->exceptions.live();
}
bool NativeFilter::is_live_exception(Hash128 hash) const {
  return body_->exceptions.contains(hash);
}
std::uint64_t NativeFilter::withdrawn_exceptions() const {
  return body_->withdrawn.load(std::memory_order_relaxed);
}
std::vector<Hash128> NativeFilter::exceptions() const {
  return body_->exceptions.entries();
}

bool NativeFilter::withdraw_exception(const Hash128& hash) {
  const bool withdrawn = has_exceptions() && body_->exceptions.withdraw(hash);
  if (withdrawn) {
    body_->withdrawn.fetch_add(1, std::memory_order_relaxed);
  }
  return withdrawn;
}

void NativeFilter::withdraw_exceptions(std::span<const Hash128> hashes) {
  if (!body_->exceptions.empty()) {
    for (const Hash128& hash : hashes) {
      withdraw_exception(hash);
    }
  }
}

void NativeFilter::clear_exceptions(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  if (!body_->exceptions.empty()) {
    body_->exceptions.clear_excepted(hashes, answers);
  }
}

Status NativeFilter::merge_plan(const NativeFilter& other, std::vector<Hash128> exceptions) {
  require_writable();
  if (other.body_->is_updated_by_others()) {
    return Error::in_use("merge");
  }
  BLOOMERY_RETURN_IF_ERROR(check_same_plan(body_->header, other.body_->header));
  if (body_->updated_file && exception_count() + other.exception_count() != 0) {
    return Error::invalid_argument("exceptions", "expected none in an update in place");
  }
  if (!body_->updated_file) {  // an update in place cannot resize the file's table
    body_->exceptions = ExceptionTable::of(std::move(exceptions));
    exceptions_changed();
  }
  join_digest_widths(body_->header, other.body_->header);
  count_inserted(other.inserted());
  return {};
}

Status NativeFilter::merge_bits(const NativeFilter& other, std::vector<Hash128> exceptions) {
  BLOOMERY_RETURN_IF_ERROR(merge_plan(other, std::move(exceptions)));
  std::transform(words(), words() + byte_size() / 8, other.words(), words(), std::bit_or<>());
  return {};
}

void NativeFilter::count_inserted(std::uint64_t keys) {
  const std::uint64_t before = relaxed_add(body_->inserted, keys);
  // A file may claim any number. The count saturates at the largest number, so that it is never less than the
  // number of keys.
  if (keys > ~before) {
    relaxed_store(body_->inserted, ~std::uint64_t{0});
  }
}

void NativeFilter::count_removed(std::uint64_t keys) {
  std::uint64_t found = inserted();
  while (!relaxed_replace(body_->inserted, found, found - std::min(found, keys))) {
  }
}

bool NativeFilter::opened_during_update() const {
  return body_->live;
}

Status NativeFilter::save(const std::string& path, const SaveTo& to) const {
  return save_native_file(FileSystem::real(), path, *body_, save_options(to));
}

Status NativeFilter::save_and_hold(const std::string& path) {
  return save_native_file_locked(FileSystem::real(), path, *body_);
}

Status NativeFilter::file_status() const {
  return native_file_status(FileSystem::real(), *body_);
}

void NativeFilter::serialize(std::string& out) const {
  const auto append = [&out](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const NativeImage image(*body_);
  for (const std::span<const std::byte> part : image.parts()) {
    append(part);
  }
}

Status NativeFilter::finish_update() {
  assert(body_->updated_file.has_value());
  return finish_native_update(FileSystem::real(), *body_);
}

}  // namespace bloomery
