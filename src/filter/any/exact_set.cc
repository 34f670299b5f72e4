// The exact set, its payload, and its file (docs/formats/native.md, type 8).
//
//    payload   front: 64 bytes with the plan
//              hashes: 16 bytes each, ascending by (low, high)
//              counts: 8 bytes each, if the plan counts
#include "bloomery/filter/exact_set.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <tuple>
#include <utility>

#include "base/endian.h"
#include "filter/any/exact_table.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_access.h"

namespace bloomery {
namespace {

constexpr std::size_t kFrontBytes = 64;
constexpr std::size_t kTypeAt = 0;
constexpr std::size_t kStrideAt = 2;
constexpr std::size_t kFirstReservedAt = 4;
constexpr std::size_t kBelowAt = 8;
constexpr std::size_t kKeysAt = 16;
constexpr std::size_t kBitsPerKeyAt = 24;
constexpr std::size_t kReservedAt = 32;
constexpr std::size_t kHashBytes = 16;
constexpr std::size_t kCountBytes = 8;
// A batch prefetches the slot of the key that is this many keys ahead.
constexpr std::size_t kAhead = 16;

bool counts_keys(FilterType type) {
  return type == FilterType::kCounting || type == FilterType::kQuotient;
}

// Returns whether filters of this type consist of blocked ones, which are fast or dense.
bool has_setting(FilterType type) {
  return type == FilterType::kBlocked || type == FilterType::kScalable;
}

bool can_become(FilterType type) {
  return type == FilterType::kBloom || has_setting(type) || counts_keys(type);
}

Error damaged(std::size_t at, const char* field, const std::string& expected, std::uint64_t found) {
  return Error::corruption(
      "exact set", at, std::string(field) + ": expected " + expected + ", found " + std::to_string(found));
}

std::uint16_t stride_of(const FilterPlan& plan) {
  return has_setting(plan.type) ? static_cast<std::uint16_t>(plan.options.setting) : 0;
}

// Returns the differences between plans that headers do not show, in the form of check_same_plan().
std::string plan_differences(const FilterPlan& left, const FilterPlan& right) {
  std::string differences;
  const auto note = [&differences](const char* name, const std::string& a, const std::string& b) {
    if (a != b) {
      differences += (differences.empty() ? "" : ", ") + std::string(name) + " (" + a + " and " + b + ")";
    }
  };
  const auto bits = [](const FilterPlan& plan) {
    return plan.bits_per_key ? std::to_string(*plan.bits_per_key) : std::string("none");
  };
  note("planned type", filter_type_name(left.type), filter_type_name(right.type));
  note("planned stride", std::to_string(stride_of(left)), std::to_string(stride_of(right)));
  note("threshold", std::to_string(left.exact_below), std::to_string(right.exact_below));
  note("bits per key", bits(left), bits(right));
  if (differences.empty() && left.bits_per_key != right.bits_per_key) {
    differences = "bits per key";  // they differ behind the digits that are shown
  }
  return differences;
}

Status check_plan(const FilterPlan& plan) {
  if (plan.exact_below == 0) {
    return Error::invalid_argument("exact set", "expected a threshold of at least 1 key, found 0");
  }
  if (!can_become(plan.type)) {
    return Error::invalid_argument(
        "exact set", std::string("expected a type that it can become, found ") + filter_type_name(plan.type));
  }
  if (plan.options.hash.id == HashId::kReadyDigest) {
    return Error::invalid_argument("exact set",
                                   "expected keys that are hashed to 128 bits, found ready digests");
  }
  return {};
}

Status check_header(const NativeHeader& header) {
  const auto check = [](bool right, std::uint64_t at, const char* field, const char* expected,
                        std::uint64_t found) -> Status {
    return right ? Status() : bad_header_field(at, field, expected + std::string(" for an exact set"), found);
  };
  using namespace native_header;
  BLOOMERY_RETURN_IF_ERROR(check(header.hash.id != HashId::kReadyDigest, kHashIdAt, "hash id", "1 to 3", 0));
  BLOOMERY_RETURN_IF_ERROR(check(!header.dirty, kStateFlagsAt, "state", "clean", 1));
  BLOOMERY_RETURN_IF_ERROR(check(header.hash_count == 0, kHashCountAt, "hash count", "0", header.hash_count));
  return check(header.bits == 0, kBitsAt, "bits", "0", header.bits);
}

}  // namespace

class ExactPayload : public SegmentedPayload {
 public:
  explicit ExactPayload(const FilterPlan& plan) : plan_(plan) {}

  // The keys are in memory of their own, wherever they came from.
  bool is_writable() const override { return true; }
  std::uint64_t byte_size() const override { return kFrontBytes + table_.size() * entry_bytes(); }
  void clear() override { table_.clear(); }
  Image image() const override;

  // Reads what image() wrote. `total` is the header's count of keys.
  Status read(std::span<const std::byte> bytes, std::uint64_t total);

  const FilterPlan& plan() const { return plan_; }
  FilterPlan& plan() { return plan_; }
  const ExactTable& table() const { return table_; }
  std::uint64_t new_keys_of(const std::vector<ExactTable::Entry>& entries) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        entries, [&](const ExactTable::Entry& entry) { return table_.count(entry.hash) == 0; }));
  }
  ExactTable& table() { return table_; }

 private:
  std::size_t entry_bytes() const { return kHashBytes + (counts_keys(plan_.type) ? kCountBytes : 0); }
  Status read_plan(std::span<const std::byte> bytes);
  Status read_keys(std::span<const std::byte> bytes, std::uint64_t keys);

  FilterPlan plan_;
  ExactTable table_;
};

SegmentedPayload::Image ExactPayload::image() const {
  const std::vector<ExactTable::Entry> entries = table_.sorted();
  Image image{.front = std::vector<std::byte>(byte_size()), .pieces = {}};
  std::byte* const front = image.front.data();
  store_little(front + kTypeAt, static_cast<std::uint16_t>(plan_.type));
  store_little(front + kStrideAt, stride_of(plan_));
  store_little(front + kBelowAt, plan_.exact_below);
  store_little(front + kKeysAt, table_.size());
  store_little(front + kBitsPerKeyAt, std::bit_cast<std::uint64_t>(plan_.bits_per_key.value_or(0)));
  std::byte* hash = front + kFrontBytes;
  std::byte* count = hash + entries.size() * kHashBytes;
  for (const ExactTable::Entry& entry : entries) {
    store_little(hash, entry.hash.low);
    store_little(hash + 8, entry.hash.high);
    hash += kHashBytes;
    if (counts_keys(plan_.type)) {
      store_little(count, entry.count);
      count += kCountBytes;
    }
  }
  return image;
}

Status ExactPayload::read_plan(std::span<const std::byte> bytes) {
  if (bytes.size() < kFrontBytes) {
    return damaged(0, "payload bytes", "at least 64", bytes.size());
  }
  const std::uint16_t type = load_little16(bytes.data() + kTypeAt);
  plan_.type = static_cast<FilterType>(type);
  if (!can_become(plan_.type)) {
    return damaged(kTypeAt, "planned type",
                   "1 (bloom), 2 (blocked), 4 (counting), 5 (quotient) or 6 (scalable)", type);
  }
  const std::uint16_t stride = load_little16(bytes.data() + kStrideAt);
  if (has_setting(plan_.type) ? stride != 8 && stride != 64 : stride != 0) {
    return damaged(kStrideAt, "stride", has_setting(plan_.type) ? "8 or 64" : "0 for the planned type",
                   stride);
  }
  plan_.options.setting = stride == 8 ? BlockedSetting::kDense : BlockedSetting::kFast;
  if (const std::uint32_t found = load_little32(bytes.data() + kFirstReservedAt); found != 0) {
    return damaged(kFirstReservedAt, "reserved", "0", found);
  }
  plan_.exact_below = load_little64(bytes.data() + kBelowAt);
  if (plan_.exact_below == 0) {
    return damaged(kBelowAt, "threshold", "at least 1", 0);
  }
  if (const std::uint64_t bits_per_key = load_little64(bytes.data() + kBitsPerKeyAt); bits_per_key != 0) {
    const auto value = std::bit_cast<double>(bits_per_key);
    if (!(value > 0 && value <= DBL_MAX) || plan_.type == FilterType::kScalable) {
      return damaged(kBitsPerKeyAt, "bits per key",
                     "0, or but for scalable a positive number as IEEE 754 bits", bits_per_key);
    }
    plan_.bits_per_key = value;
    plan_.fpp.reset();
  }
  for (std::size_t at = kReservedAt; at < kFrontBytes; ++at) {
    if (bytes[at] != std::byte{0}) {
      return damaged(at, "reserved", "0", std::to_integer<std::uint64_t>(bytes[at]));
    }
  }
  return {};
}

Status ExactPayload::read_keys(std::span<const std::byte> bytes, std::uint64_t keys) {
  BLOOMERY_RETURN_IF_ERROR(table_.reserve(keys));
  Hash128 before;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::size_t at = kFrontBytes + i * kHashBytes;
    const Hash128 hash{.low = load_little64(bytes.data() + at), .high = load_little64(bytes.data() + at + 8)};
    if (i != 0 && std::tie(hash.low, hash.high) <= std::tie(before.low, before.high)) {
      return damaged(at, "hash", "more than the one before", hash.low);
    }
    before = hash;
    std::uint64_t count = 1;
    if (counts_keys(plan_.type)) {
      const std::size_t count_at = kFrontBytes + keys * kHashBytes + i * kCountBytes;
      count = load_little64(bytes.data() + count_at);
      if (count == 0 || count > ~std::uint64_t{0} - table_.total()) {
        return damaged(count_at, "count", "at least 1, and a sum of 64 bits", count);
      }
    }
    BLOOMERY_RETURN_IF_ERROR(table_.insert(hash, count));
  }
  return {};
}

Status ExactPayload::read(std::span<const std::byte> bytes, std::uint64_t total) {
  BLOOMERY_RETURN_IF_ERROR(read_plan(bytes));
  const std::uint64_t keys = load_little64(bytes.data() + kKeysAt);
  const std::uint64_t room = bytes.size() - kFrontBytes;
  if (keys > plan_.exact_below || keys > room / entry_bytes() || keys * entry_bytes() != room) {
    return damaged(kKeysAt, "keys",
                   std::to_string(room / entry_bytes()) + " in the payload, at most " +
                       std::to_string(plan_.exact_below),
                   keys);
  }
  BLOOMERY_RETURN_IF_ERROR(read_keys(bytes, keys));
  if (counts_keys(plan_.type) ? table_.total() != total : table_.size() > total) {
    return Error::corruption("native header", 72,
                             "inserted: expected " + std::to_string(table_.total()) +
                                 " as in the payload, or more where keys are not counted, found " +
                                 std::to_string(total));
  }
  return {};
}

ExactSet::ExactSet(std::unique_ptr<FilterBody> filter_body, std::unique_ptr<ExactPayload> payload)
    : NativeFilter(std::move(filter_body)), payload_(payload.get()) {
  body().segmented = std::move(payload);
}

Result<ExactSet> ExactSet::for_plan(const FilterPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_plan(plan));
  BLOOMERY_RETURN_IF_ERROR(check_options(FilterType::kExact, plan.options));
  BLOOMERY_RETURN_IF_ERROR(check_options(plan.type, plan.options));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  if (plan.fpp) {  // without an fpp, planned_fpp() has checked the size
    BLOOMERY_RETURN_IF_ERROR(planned_size(plan));
  }
  if (plan.bits_per_key && !(*plan.bits_per_key <= DBL_MAX)) {
    return Error::invalid_argument("bits per key", "expected a finite number, found infinity");
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(FilterType::kExact, 0, plan.capacity, fpp, plan.options));
  return ExactSet(std::move(body), std::make_unique<ExactPayload>(plan));
}

Result<ExactSet> ExactSet::from_body(std::unique_ptr<FilterBody> body) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kExact, header.payload_bytes));
  BLOOMERY_RETURN_IF_ERROR(check_header(header));
  auto payload =
      std::make_unique<ExactPayload>(FilterPlan{.capacity = header.capacity,
                                                .fpp = header.target_fpp,
                                                .options = {.hash = header.hash, .keys = header.keys}});
  // The exceptions get memory of their own, as the keys do: a mapping ends here, and the caller's bytes must
  // not be written.
  const Storage storage = std::exchange(body->storage, Storage());
  body->exceptions = ExceptionTable::of(body->exceptions.entries());
  const Status read = payload->read(storage.bytes(), header.inserted);
  if (storage.mapping() != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(storage.mapping()->status());
  }
  if (!read) {
    return Error::corruption(read.error().subject(),
                             header.payload_offset() + read.error().offset().value_or(0),
                             read.error().detail());
  }
  return ExactSet(std::move(body), std::move(payload));
}

Result<ExactSet> ExactSet::open(const std::string& path, const OpenOptions& options) {
  if (const Status access = check_not_in_place(FilterType::kExact, options); !access) {
    return Error::invalid_argument(path, access.error().detail());
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body)), path);
}

Result<ExactSet> ExactSet::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_not_in_place(FilterType::kExact, options));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body));
}

bool ExactSet::insert(const Hash128& hash) {
  require_writable();
  ExactTable& table = payload_->table();
  const bool is_new = table.count(hash) == 0;
  if (is_new && table.size() >= plan().exact_below) {
    return false;
  }
  if ((is_new || counts_keys(plan().type)) && !table.insert(hash, 1)) {
    return false;
  }
  withdraw_exception(hash);
  count_inserted(1);
  return true;
}

std::uint64_t ExactSet::count(const Hash128& hash) const {
  return is_exception(hash) ? 0 : payload_->table().count(hash);
}

bool ExactSet::can_remove() const {
  return counts_keys(plan().type);
}

bool ExactSet::remove(const Hash128& hash) {
  require_writable();
  require(can_remove(), "a set whose plan does not remove keys cannot do so either");
  const bool removed = !is_exception(hash) && payload_->table().remove(hash);
  count_removed(removed ? 1 : 0);
  return removed;
}

TestedInsert ExactSet::test_and_insert(const Hash128& hash) {
  const bool is_new = !may_contain(hash);
  return {.is_new = is_new, .refused = !insert(hash)};
}

std::uint64_t ExactSet::insert_batch(std::span<const Hash128> hashes, Sharing) {
  std::uint64_t refused = 0;
  while (!hashes.empty()) {
    const std::size_t in = insert_front(hashes);
    refused += in == hashes.size() ? 0U : 1U;
    hashes = hashes.subspan(std::min(in + 1, hashes.size()));
  }
  return refused;
}

std::uint64_t ExactSet::test_and_insert_batch(std::span<const Hash128> hashes,
                                              std::span<std::uint64_t> answers, Sharing) {
  NativeAccess::require_room(answers, hashes.size());
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const TestedInsert tested = test_and_insert(hashes[i]);
    answers[i / 64] |= std::uint64_t{tested.is_new} << (i % 64);
    refused += tested.refused ? 1U : 0U;
  }
  return refused;
}

std::size_t ExactSet::insert_front(std::span<const Hash128> hashes) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      payload_->table().prefetch(hashes[i + kAhead]);
    }
    if (!insert(hashes[i])) {
      return i;
    }
  }
  return hashes.size();
}

void ExactSet::may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  NativeAccess::require_room(answers, hashes.size());
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      payload_->table().prefetch(hashes[i + kAhead]);
    }
    answers[i / 64] |= (may_contain(hashes[i]) ? std::uint64_t{1} : 0) << (i % 64);
  }
}

std::uint64_t ExactSet::remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  NativeAccess::require_room(answers, hashes.size());
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool removed = remove(hashes[i]);
    answers[i / 64] |= (removed ? std::uint64_t{1} : 0) << (i % 64);
    refused += removed ? 0U : 1U;
  }
  return refused;
}

bool ExactSet::has_room_for(const ExactSet& other) const {
  return payload_->new_keys_of(other.payload_->table().sorted()) <= plan().exact_below - size();
}

Status ExactSet::merge(const ExactSet& other) {
  require_writable();
  BLOOMERY_RETURN_IF_ERROR(
      check_same_plan(body().header, other.body().header, plan_differences(plan(), other.plan())));
  ExactTable& table = payload_->table();
  const std::vector<ExactTable::Entry> entries = other.payload_->table().sorted();
  const std::uint64_t added = payload_->new_keys_of(entries);
  if (added > plan().exact_below - size()) {
    return Error::capacity("merge", "expected at most " + std::to_string(plan().exact_below) +
                                        " keys together, found " + std::to_string(size() + added));
  }
  if (other.payload_->table().total() > ~std::uint64_t{0} - table.total()) {
    return Error::capacity("merge", "expected counts with a sum of less than 2^64, found more");
  }
  BLOOMERY_RETURN_IF_ERROR(table.reserve(size() + added));
  std::vector<Hash128> kept = common_exceptions(*this, other);
  for (const ExactTable::Entry& entry : entries) {
    if (counts_keys(plan().type) || table.count(entry.hash) == 0) {
      BLOOMERY_RETURN_IF_ERROR(table.insert(entry.hash, entry.count));
    }
  }
  return merge_plan(other, std::move(kept));
}

void ExactSet::for_each(const std::function<void(const Hash128&, std::uint64_t)>& use) const {
  for (const ExactTable::Entry& entry : payload_->table().sorted()) {
    use(entry.hash, entry.count);
  }
}

const FilterPlan& ExactSet::plan() const {
  return payload_->plan();
}

std::uint64_t ExactSet::size() const {
  return payload_->table().size();
}

double ExactSet::fill_ratio() const {
  return static_cast<double>(size()) / static_cast<double>(plan().exact_below);
}

}  // namespace bloomery
