#include "filter/any/pieced_file.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/byte_parts.h"
#include "base/crc32c.h"
#include "base/crc32c_change.h"

namespace bloomery {
namespace {

constexpr std::size_t kInsertAhead = 16;  // items that are prefetched ahead of the one that is inserted

template <typename Opened, typename Filter>
Status keep(Result<Opened> opened, std::optional<Filter>& filter) {
  if (!opened) {
    return opened.error();
  }
  filter.emplace(std::move(opened).value());
  return {};
}

std::vector<Hash128> entries_of(std::span<const std::byte> bytes) {
  std::vector<Hash128> entries(bytes.size() / sizeof(Hash128));
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(entries)).begin());
  return entries;
}

}  // namespace

// ---- opening

bool PiecedFile::takes(FilterType type) {
  return type == FilterType::kBloom || type == FilterType::kBlocked || type == FilterType::kCounting ||
         type == FilterType::kQuotient || type == FilterType::kScalable;
}

Result<PiecedFile::Payload> PiecedFile::Payload::begin(const NativeHeader& header) {
  if (header.type == FilterType::kScalable) {
    return Payload(LayersLoad(header));
  }
  if (header.type == FilterType::kQuotient) {
    return Payload(SegmentsLoad(header));
  }
  BLOOMERY_ASSIGN_OR_RETURN(PagedWords words, PagedWords::zeroed(header.payload_bytes));
  return Payload(std::move(words));
}

Status PiecedFile::Payload::append(std::span<const std::byte> bytes) {
  if (auto* const words = std::get_if<PagedWords>(&load_)) {
    if (!words->store(size_, bytes)) {
      return Error::capacity("payload", "memory is lacking");
    }
    size_ += bytes.size();
    return {};
  }
  auto* const layers = std::get_if<LayersLoad>(&load_);
  return layers != nullptr ? layers->append(bytes) : std::get<SegmentsLoad>(load_).append(bytes);
}

void PiecedFile::Payload::read(std::uint64_t offset, std::span<std::byte> out) const {
  std::visit(
      [&]<typename Of>(const Of& load) {
        if constexpr (std::is_same_v<Of, PagedWords>) {
          load.load(offset, out);
        } else {
          load.read(offset, out);
        }
      },
      load_);
}

std::uint64_t PiecedFile::Payload::memory_bytes() const {
  return std::visit([](const auto& load) { return load.memory_bytes(); }, load_);
}

Result<PiecedFile::Filter> PiecedFile::open_filter(const NativeHeader& header, Payload load) {
  std::optional<Filter> filter;
  if (auto* const layers = std::get_if<LayersLoad>(&load.load_)) {
    BLOOMERY_ASSIGN_OR_RETURN(filter, std::move(*layers).finish());
    return *std::move(filter);
  }
  if (auto* const segments = std::get_if<SegmentsLoad>(&load.load_)) {
    BLOOMERY_ASSIGN_OR_RETURN(filter, std::move(*segments).finish());
    return *std::move(filter);
  }
  PagedWords& payload = std::get<PagedWords>(load.load_);
  Status opened;
  switch (header.type) {
    case FilterType::kBloom:
      opened = keep(PiecedBloom::open(header, std::move(payload)), filter);
      break;
    case FilterType::kBlocked:
      opened = keep(PiecedBlocked::open(header, std::move(payload)), filter);
      break;
    default:
      opened = keep(PiecedCounting::open(header, std::move(payload)), filter);
  }
  if (!opened) {
    return opened.error();
  }
  return *std::move(filter);
}

Result<PiecedFile> PiecedFile::open(const NativeHeader& header, Payload payload,
                                    std::shared_ptr<const OnePiece> tail) {
  BLOOMERY_ASSIGN_OR_RETURN(Filter filter, open_filter(header, std::move(payload)));
  PiecedFile file(header, std::move(filter));
  file.tail_ = std::move(tail);
  if (header.exception_bytes != 0) {
    const std::span<const std::byte> table = file.tail_->bytes().first(header.exception_bytes);
    if (table.size() <= kMostChangedExceptions * sizeof(Hash128)) {
      BLOOMERY_RETURN_IF_ERROR(ExceptionTable::check(table, header.exceptions));
    }
    file.exceptions_ = std::make_shared<Exceptions>();
    file.exceptions_->table = ExceptionTable::over(table, header.exceptions);
  }
  return file;
}

bool PiecedFile::takes_items() const {
  return exception_bytes().size() <= kMostChangedExceptions * sizeof(Hash128);
}

// ---- queries

void PiecedFile::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::visit([&](const auto& filter) { filter.may_contain(hashes, answers); }, filter_);
  if (exceptions_ != nullptr) {
    exceptions_->table.clear_excepted(hashes, answers);
  }
}

bool PiecedFile::is_exception(const Hash128& hash) const {
  return exceptions_ != nullptr && exceptions_->table.contains(hash);
}

// ---- changes

void PiecedFile::begin_step() {
  std::visit([](auto& filter) { filter.begin_step(); }, filter_);
}

std::size_t PiecedFile::insert(std::span<const Hash128> hashes, std::uint64_t most_bytes,
                               std::span<Added> outcomes) {
  const auto prefetch = [&](std::size_t i) {
    std::visit([&](const auto& filter) { filter.prefetch(hashes[i]); }, filter_);
  };
  const auto prefetch_places = [&](std::size_t i) {
    std::visit([&](const auto& filter) { filter.prefetch_places(hashes[i]); }, filter_);
  };
  for (std::size_t i = 0; i < std::min(2 * kInsertAhead, hashes.size()); ++i) {
    prefetch_places(i);
  }
  for (std::size_t i = 0; i < std::min(kInsertAhead, hashes.size()); ++i) {
    prefetch(i);
  }
  std::size_t done = 0;
  bool goes_on = true;
  while (done < hashes.size() && goes_on) {
    if (done + 2 * kInsertAhead < hashes.size()) {
      prefetch_places(done + 2 * kInsertAhead);
    }
    if (done + kInsertAhead < hashes.size()) {
      prefetch(done + kInsertAhead);
    }
    outcomes[done] = insert_one(hashes[done], most_bytes);
    goes_on = outcomes[done] == Added::kNew || outcomes[done] == Added::kKnown;
    ++done;
  }
  if (grows()) {
    drop_room_of_exceptions();
  }
  return done;
}

Added PiecedFile::insert_one(const Hash128& hash, std::uint64_t most_bytes) {
  const std::uint64_t others = file_bytes() - payload_bytes();
  Added outcome = std::visit(
      [&]<typename Of>(Of& filter) {
        if constexpr (std::is_same_v<Of, PiecedLayers> || std::is_same_v<Of, PiecedSegments>) {
          return filter.insert(hash, most_bytes - std::min(most_bytes, others));
        } else {
          return filter.insert(hash);
        }
      },
      filter_);
  if (outcome != Added::kNew && outcome != Added::kKnown) {
    return outcome;
  }
  if (withdraw(hash)) {
    outcome = Added::kNew;
  }
  note_inserted();
  return outcome;
}

// Returns true if the payload has no fixed size.
bool PiecedFile::grows() const {
  return header_.type == FilterType::kScalable || header_.type == FilterType::kQuotient;
}

// Any other count than that of a quotient filter saturates at 2^64 - 1.
void PiecedFile::note_inserted() {
  if (const auto* const segments = std::get_if<PiecedSegments>(&filter_)) {
    header_.inserted = segments->keys();
  } else {
    header_.inserted += header_.inserted == ~std::uint64_t{0} ? 0 : 1;
  }
}

bool PiecedFile::counts() const {
  return std::holds_alternative<PiecedCounting>(filter_) || std::holds_alternative<PiecedSegments>(filter_);
}

std::optional<std::uint64_t> PiecedFile::count_at_most(const Hash128& hash) const {
  if (is_exception(hash)) {
    return 0;
  }
  const auto* const segments = std::get_if<PiecedSegments>(&filter_);
  return segments != nullptr ? segments->count(hash) : std::get<PiecedCounting>(filter_).count_at_most(hash);
}

Removed PiecedFile::remove(const Hash128& hash) {
  if (is_exception(hash)) {
    return Removed::kAbsent;
  }
  if (auto* const segments = std::get_if<PiecedSegments>(&filter_)) {
    const Removed taken = segments->remove(hash);
    note_inserted();
    return taken;
  }
  const auto taken = std::get<PiecedCounting>(filter_).remove(hash);
  header_.inserted -= taken == Removed::kYes && header_.inserted > 0 ? 1 : 0;
  return taken;
}

void PiecedFile::own_exceptions(std::vector<Hash128> entries, std::uint64_t live) {
  auto own = std::make_shared<Exceptions>();
  own->own = std::move(entries);
  own->table = ExceptionTable::over(std::as_writable_bytes(std::span(own->own)), live);
  exceptions_ = std::move(own);
}

bool PiecedFile::withdraw(const Hash128& hash) {
  if (!is_exception(hash)) {
    return false;
  }
  if (!exceptions_->table.is_writable() || exceptions_.use_count() != 1) {
    own_exceptions(entries_of(exception_bytes()), exceptions_->table.live());
  }
  return exceptions_->table.withdraw(hash);
}

void PiecedFile::drop_room_of_exceptions() {
  if (exceptions_ == nullptr || exception_bytes().size() == exceptions_->table.live() * sizeof(Hash128)) {
    return;
  }
  std::vector<Hash128> left = exceptions_->table.entries();
  if (left.empty()) {
    exceptions_.reset();
  } else {
    const std::uint64_t live = left.size();
    own_exceptions(std::move(left), live);
  }
}

// ---- bytes

std::uint64_t PiecedFile::payload_bytes() const {
  return std::visit([](const auto& filter) { return filter.payload_bytes(); }, filter_);
}

std::span<const std::byte> PiecedFile::exception_bytes() const {
  return exceptions_ == nullptr ? std::span<const std::byte>() : exceptions_->table.bytes();
}

std::span<const std::byte> PiecedFile::metadata() const {
  return tail_->bytes().subspan(header_.exception_bytes);
}

NativeHeader PiecedFile::header() const {
  NativeHeader header = header_;
  const std::span<const std::byte> exceptions = exception_bytes();
  header.payload_bytes = payload_bytes();
  header.payload_checksum = std::visit([](const auto& filter) { return filter.payload_crc(); }, filter_);
  header.exception_bytes = exceptions.size();
  header.exceptions = exceptions_ == nullptr ? 0 : exceptions_->table.live();
  if (exceptions_ == nullptr || exceptions_->table.is_writable()) {
    header.exception_checksum = crc32c(exceptions);
  }
  return header;
}

std::uint64_t PiecedFile::file_bytes() const {
  return kNativeHeaderBytes + payload_bytes() + exception_bytes().size() + metadata().size();
}

std::uint32_t PiecedFile::file_crc() const {
  const NativeHeader now = header();
  std::uint32_t crc = crc32c(encode(now));
  crc = crc32c_of_both(crc, now.payload_checksum, now.payload_bytes);
  crc = crc32c_of_both(crc, now.exception_checksum, now.exception_bytes);
  return crc32c_of_both(crc, now.metadata_checksum, now.metadata_bytes);
}

std::uint64_t PiecedFile::memory_bytes() const {
  const std::uint64_t of_filter =
      std::visit([](const auto& filter) { return filter.memory_bytes(); }, filter_);
  const std::uint64_t of_exceptions =
      exceptions_ == nullptr ? 0 : exceptions_->own.capacity() * sizeof(Hash128);
  return sizeof(PiecedFile) + of_filter + of_exceptions + tail_->memory_bytes();
}

void PiecedFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  PartReader reader(offset, out);
  reader.part(kNativeHeaderBytes, [&](std::uint64_t at, std::span<std::byte> part) {
    const auto bytes = encode(header());
    std::ranges::copy(std::span(bytes).subspan(at, part.size()), part.begin());
  });
  reader.part(payload_bytes(), [&](std::uint64_t at, std::span<std::byte> part) {
    std::visit([&](const auto& filter) { filter.read(at, part); }, filter_);
  });
  reader.bytes(exception_bytes());
  reader.bytes(metadata());
}

}  // namespace bloomery
