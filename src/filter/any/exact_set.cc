// The exact set, its payload, and its file (docs/formats/native.md, type 8).
//
//    payload   front: 64 bytes with the plan
//              hashes: 16 bytes each, ascending by (low, high)
//              counts: 8 bytes each, if the plan counts
#include "bloomery/filter/exact_set.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <utility>

#include "base/endian.h"
#include "filter/any/exact_layout.h"
#include "filter/any/exact_table.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_access.h"

namespace bloomery {
namespace {

using namespace exact_layout;

// A batch prefetches the slot of the key that is this many keys ahead.
constexpr std::size_t kAhead = 16;

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
    differences = "bits per key";  // the printed digits are equal
  }
  return differences;
}

Status check_exact_plan(const FilterPlan& plan) {
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

}  // namespace

class ExactPayload : public SegmentedPayload {
 public:
  explicit ExactPayload(const FilterPlan& plan) : plan_(plan) {}

  // The table always owns the memory of its keys.
  bool is_writable() const override { return true; }
  std::uint64_t byte_size() const override { return kFrontBytes + table_.size() * entry_bytes(); }
  void clear() override { table_.clear(); }
  Image image() const override;

  // Reads the keys that image() wrote. `inserted` is the header's count of them.
  Status read(const ExactFront& front, std::span<const std::byte> bytes, std::uint64_t inserted);

  const FilterPlan& plan() const { return plan_; }
  const ExactTable& table() const { return table_; }
  std::uint64_t new_keys_of(const std::vector<ExactTable::Entry>& entries) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        entries, [&](const ExactTable::Entry& entry) { return table_.count(entry.hash) == 0; }));
  }
  ExactTable& table() { return table_; }

 private:
  std::size_t entry_bytes() const { return kHashBytes + (counts_keys(plan_.type) ? kCountBytes : 0); }

  FilterPlan plan_;
  ExactTable table_;
};

SegmentedPayload::Image ExactPayload::image() const {
  const std::vector<ExactTable::Entry> entries = table_.sorted();
  Image image{.front = std::vector<std::byte>(byte_size()), .pieces = {}};
  std::byte* const front = image.front.data();
  store_little(front + kPlannedTypeAt, static_cast<std::uint16_t>(plan_.type));
  store_little(front + kPlannedStrideAt, stride_of(plan_));
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

// Verifies all keys and counts before it fills the table, so that damage is always an error of the
// verification.
Status ExactPayload::read(const ExactFront& front, std::span<const std::byte> bytes, std::uint64_t inserted) {
  ExactProof proof(front);
  BLOOMERY_RETURN_IF_ERROR(proof.go_on(bytes));
  BLOOMERY_RETURN_IF_ERROR(proof.check_inserted(inserted));
  BLOOMERY_RETURN_IF_ERROR(table_.reserve(front.keys));
  const std::byte* hash = bytes.data() + kFrontBytes;
  const std::byte* count = bytes.data() + front.counts_at();
  for (std::uint64_t i = 0; i < front.keys; ++i, hash += kHashBytes) {
    const std::uint64_t times = front.counts() ? load_little64(count + i * kCountBytes) : 1;
    BLOOMERY_RETURN_IF_ERROR(
        table_.insert({.low = load_little64(hash), .high = load_little64(hash + 8)}, times));
  }
  return {};
}

ExactSet::ExactSet(std::unique_ptr<FilterBody> filter_body, std::unique_ptr<ExactPayload> payload)
    : NativeFilter(std::move(filter_body)), payload_(payload.get()) {
  body().segmented = std::move(payload);
}

Result<ExactSet> ExactSet::for_plan(const FilterPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_exact_plan(plan));
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
  BLOOMERY_RETURN_IF_ERROR(check_exact_header(header));
  // The exceptions are copied to their own memory, like the keys: a mapping ends here, and the caller's bytes
  // must not be written.
  const Storage storage = std::exchange(body->storage, Storage());
  body->exceptions = ExceptionTable::of(body->exceptions.entries());
  std::unique_ptr<ExactPayload> payload;
  const auto read = [&]() -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(const ExactFront front, read_exact_front(header, storage.bytes()));
    payload = std::make_unique<ExactPayload>(front.plan);
    return payload->read(front, storage.bytes(), header.inserted);
  }();
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
