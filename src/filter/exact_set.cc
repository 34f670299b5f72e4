// The payload: a front of 64 bytes with the plan, the hashes ascending by (low, high), and, where the plan
// counts, their counts. docs/formats/native.md, type 8.
#include "bloomery/filter/exact_set.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "filter/exact_table.h"
#include "filter/filter_body.h"

namespace bloomery {
namespace {

constexpr std::size_t kFrontBytes = 64;
constexpr std::size_t kTypeAt = 0;
constexpr std::size_t kStrideAt = 2;
constexpr std::size_t kBelowAt = 8;
constexpr std::size_t kKeysAt = 16;
constexpr std::size_t kBitsPerKeyAt = 24;
constexpr std::size_t kReservedAt = 32;
constexpr std::size_t kHashBytes = 16;
constexpr std::size_t kCountBytes = 8;
// More than a counter of either counting type tells apart: it stays where it is from there on.
constexpr std::uint64_t kEnoughToSaturate = std::uint64_t{1} << 24;
// How many keys ahead of its turn a key's slot is asked for.
constexpr std::size_t kAhead = 16;

bool counts_keys(FilterType type) {
  return type == FilterType::kCounting || type == FilterType::kQuotient;
}

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

Status check_access(const OpenOptions& options) {
  if (options.access == Access::kUpdateInPlace) {
    return Error::invalid_argument(
        "access",
        "expected kCopyLocked and a save() over the file, found kUpdateInPlace: an "
        "exact set may grow");
  }
  return {};
}

}  // namespace

class ExactPayload : public SegmentedPayload {
 public:
  ExactPayload(FilterPlan plan, bool writable) : plan_(std::move(plan)), writable_(writable) {}

  bool is_writable() const override { return writable_; }
  std::uint64_t byte_size() const override { return kFrontBytes + table_.size() * entry_bytes(); }
  void clear() override { table_.clear(); }
  Image image() const override;

  // Reads what image() wrote. `total` is the header's count of keys.
  Status read(std::span<const std::byte> bytes, std::uint64_t total);

  const FilterPlan& plan() const { return plan_; }
  FilterPlan& plan() { return plan_; }
  const ExactTable& table() const { return table_; }
  ExactTable& table() { return table_; }

 private:
  std::size_t entry_bytes() const { return kHashBytes + (counts_keys(plan_.type) ? kCountBytes : 0); }
  Status read_plan(std::span<const std::byte> bytes);
  Status read_keys(std::span<const std::byte> bytes, std::uint64_t keys);

  FilterPlan plan_;
  ExactTable table_;
  bool writable_;
};

SegmentedPayload::Image ExactPayload::image() const {
  const std::vector<ExactTable::Entry> entries = table_.sorted();
  Image image{.front = std::vector<std::byte>(byte_size()), .pieces = {}};
  std::byte* const front = image.front.data();
  store_little(front + kTypeAt, static_cast<std::uint16_t>(plan_.type));
  store_little(front + kStrideAt,
               static_cast<std::uint16_t>(has_setting(plan_.type) ? static_cast<int>(plan_.setting) : 0));
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
  plan_.setting = stride == 8 ? LineSetting::kDense : LineSetting::kFast;
  plan_.exact_below = load_little64(bytes.data() + kBelowAt);
  const std::uint64_t bits_per_key = load_little64(bytes.data() + kBitsPerKeyAt);
  if (const auto value = std::bit_cast<double>(bits_per_key); bits_per_key != 0) {
    if (!(value > 0 && value < 1e6)) {
      return damaged(kBitsPerKeyAt, "bits per key", "0, or more than 0 and less than 10^6", bits_per_key);
    }
    plan_.bits_per_key = value;
    plan_.fpp.reset();
  }
  const auto* const set = std::find_if(bytes.data() + kReservedAt, bytes.data() + kFrontBytes,
                                       [](std::byte b) { return b != std::byte{0}; });
  if (set != bytes.data() + kFrontBytes || load_little32(bytes.data() + kStrideAt + 2) != 0) {
    return damaged(kReservedAt, "reserved", "0", 1);
  }
  return {};
}

Status ExactPayload::read_keys(std::span<const std::byte> bytes, std::uint64_t keys) {
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
  BLOOMERY_ASSIGN_OR_RETURN(const PlannedSize size, planned_size(plan));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(FilterType::kExact, 0, plan.capacity,
                                                plan.fpp.value_or(size.fpp_full), plan.options));
  return ExactSet(std::move(body), std::make_unique<ExactPayload>(plan, true));
}

Result<ExactSet> ExactSet::from_body(std::unique_ptr<FilterBody> body, bool writable) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kExact, header.payload_bytes));
  if (header.hash.id == HashId::kReadyDigest) {
    return Error::corruption("native header", 18, "hash id: expected 1 or 2 for an exact set, found 0");
  }
  auto payload =
      std::make_unique<ExactPayload>(FilterPlan{.capacity = header.capacity,
                                                .fpp = header.target_fpp,
                                                .options = {.hash = header.hash, .keys = header.keys}},
                                     writable);
  const Storage storage = std::exchange(body->storage, Storage());
  if (const Status read = payload->read(storage.bytes(), header.inserted); !read) {
    return Error::corruption(read.error().subject(),
                             header.payload_offset() + read.error().offset().value_or(0),
                             read.error().detail());
  }
  return ExactSet(std::move(body), std::move(payload));
}

Result<ExactSet> ExactSet::open(const std::string& path, const OpenOptions& options) {
  if (const Status access = check_access(options); !access) {
    return Error::invalid_argument(path, access.error().detail());
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  Result<ExactSet> set =
      from_body(std::move(body), options.access == Access::kCopy || options.access == Access::kCopyLocked);
  return set ? std::move(set) : set.error().in_file(path);
}

Result<ExactSet> ExactSet::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_access(options));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body), options.access == Access::kCopy);
}

bool ExactSet::insert(const Hash128& hash) {
  assert(is_writable());
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
  assert(is_writable() && can_remove());
  const bool removed = !is_exception(hash) && payload_->table().remove(hash);
  count_removed(removed ? 1 : 0);
  return removed;
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
  assert(answers.size() >= answer_words(hashes.size()));
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      payload_->table().prefetch(hashes[i + kAhead]);
    }
    answers[i / 64] |= std::uint64_t{may_contain(hashes[i])} << (i % 64);
  }
}

std::uint64_t ExactSet::remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  assert(answers.size() >= answer_words(hashes.size()));
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool removed = remove(hashes[i]);
    answers[i / 64] |= std::uint64_t{removed} << (i % 64);
    refused += removed ? 0U : 1U;
  }
  return refused;
}

Result<bool> ExactSet::merge(const ExactSet& other) {
  assert(is_writable());
  BLOOMERY_RETURN_IF_ERROR(check_same_plan(body().header, other.body().header));
  if (plan().type != other.plan().type || plan().setting != other.plan().setting ||
      plan().exact_below != other.plan().exact_below || plan().bits_per_key != other.plan().bits_per_key) {
    return Error::invalid_argument("merge", "expected sets of one plan, found " + plan().type_name() +
                                                " above " + std::to_string(plan().exact_below) +
                                                " keys and " + other.plan().type_name() + " above " +
                                                std::to_string(other.plan().exact_below));
  }
  const std::vector<ExactTable::Entry> entries = other.payload_->table().sorted();
  const auto added = static_cast<std::uint64_t>(std::ranges::count_if(
      entries, [this](const ExactTable::Entry& entry) { return payload_->table().count(entry.hash) == 0; }));
  if (added > plan().exact_below - size()) {
    return false;
  }
  std::vector<Hash128> kept = common_exceptions(*this, other);
  for (const ExactTable::Entry& entry : entries) {
    if (counts_keys(plan().type) || payload_->table().count(entry.hash) == 0) {
      BLOOMERY_RETURN_IF_ERROR(payload_->table().insert(entry.hash, entry.count));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(merge_plan(other, std::move(kept)));
  return true;
}

Result<AnyFilter> ExactSet::outgrown() const {
  FilterPlan grown = plan();
  grown.exact_below = 0;
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, make_filter(grown));
  for (const ExactTable::Entry& entry : payload_->table().sorted()) {
    for (std::uint64_t i = 0; i < std::min(entry.count, kEnoughToSaturate); ++i) {
      if (!filter.insert(entry.hash)) {
        return Error::capacity("exact set",
                               "expected the filter that it becomes to take its keys, found it full");
      }
    }
  }
  filter.native().take_over(*this);
  const std::vector<Hash128> kept = exceptions();
  if (!kept.empty()) {
    BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(kept));
  }
  return filter;
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
