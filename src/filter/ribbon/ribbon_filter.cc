#include "bloomery/filter/ribbon_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"
#include "filter/ribbon/ribbon_directory.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "filter/ribbon/ribbon_pages.h"
#include "filter/shards/shard_directory.h"
#include "filter/shards/shard_join.h"

namespace bloomery {

// The shards in their query form, and the number of the lowest shard that was found damaged.
struct RibbonFilter::Shards {
  std::vector<RibbonShard> all;
  std::atomic<std::uint64_t> damaged{kNoDamagedShard};
  RibbonTable table = {};  // of all shards, over the body's bytes
  bool (*may_contain)(const RibbonTable&, std::uint64_t hash) = chosen_ribbon_kernel().may_contain;
  std::unique_ptr<RibbonFilter> column;  // the exception column, over the body's bytes
  bool is_cold = false;                  // OpenOptions::is_cold
};

RibbonFilter::RibbonFilter(RibbonFilter&&) noexcept = default;
RibbonFilter& RibbonFilter::operator=(RibbonFilter&&) noexcept = default;
RibbonFilter::~RibbonFilter() = default;

RibbonFilter::RibbonFilter(std::unique_ptr<FilterBody> filter_body, std::vector<RibbonShard> shards,
                           const OpenOptions& options)
    : NativeFilter(std::move(filter_body)), shards_(std::make_unique<Shards>()) {
  shards_->all = std::move(shards);
  shards_->is_cold = options.is_cold;
  if (options.verify == Verify::kHeaderOnly) {
    for (RibbonShard& shard : shards_->all) {
      shard.state = static_cast<std::uint8_t>(ShardState::kSound);
    }
  }
  const NativeHeader& header = body().header;
  shards_->table = {.words = words(),
                    .word_count = byte_size() / 8,
                    .shards = shards_->all.data(),
                    .directory = shard_directory_of(body()).data(),
                    .shard_count = header.shards,
                    .first_held = header.first_shard,
                    .held = header.held_shards,
                    .columns = header.hash_count,
                    .hash_mask = ~std::uint64_t{0} << (64 - header.hash_bits),
                    .damaged = &shards_->damaged};
  if (options.is_cold && options.verify == Verify::kHeaderOnly) {
    expect_scattered_pages(shards_->table);
  }
}

Result<RibbonFilter> RibbonFilter::from_body(std::unique_ptr<FilterBody> body, const OpenOptions& options) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kRibbon, header.payload_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(
      std::vector<RibbonShard> shards,
      read_ribbon_directory(shard_directory_of(*body), shard_directory_bytes(header.held_shards) / 8,
                            header.payload_bytes / 8, header.hash_count));
  RibbonFilter filter(std::move(body), std::move(shards), options);
  BLOOMERY_RETURN_IF_ERROR(filter.open_column(options));
  return filter;
}

Status RibbonFilter::open_column(const OpenOptions& options) {
  const std::span<const std::byte> bytes = body().column.bytes();
  if (bytes.empty()) {
    return {};
  }
  Result<RibbonFilter> column = view_column(bytes, options);
  if (!column) {
    return Error::corruption("exception column", body().header.column_offset(), column.error().to_string());
  }
  shards_->column = std::make_unique<RibbonFilter>(std::move(*column));
  return {};
}

Result<RibbonFilter> RibbonFilter::view_column(std::span<const std::byte> bytes, const OpenOptions& options) {
  // The header is checked before the column is opened, because otherwise columns nested in columns would be
  // opened too.
  BLOOMERY_ASSIGN_OR_RETURN(
      const NativeHeader header,
      parse_native_header(bytes.first(std::min(bytes.size(), kNativeHeaderBytes)), bytes.size()));
  if (header.type != FilterType::kRibbon || header.column_bytes + header.exception_bytes != 0 ||
      header.held_shards != header.shards) {
    return Error::corruption("native header", 0, "expected a whole ribbon without exceptions of its own");
  }
  if (header.capacity < header.inserted) {
    return Error::corruption("native header", 48,
                             "capacity: expected at least the " + std::to_string(header.inserted) +
                                 " keys that are in, found " + std::to_string(header.capacity));
  }
  // The column has the key form of the ribbon that owns it, which was checked when that ribbon was opened.
  return view(bytes, {.verify = options.verify,
                      .recorded_keys = RecordedKeys::kKnown,
                      .is_cold = options.is_cold,
                      .without_secret = true});
}

Status RibbonFilter::set_exception_column(RibbonFilter column, std::uint64_t rejected_keys) {
  if (!is_whole() || shards_->column) {
    return Error::invalid_argument("exceptions",
                                   "expected a whole ribbon without an exception column, found another");
  }
  // The capacity of the column records how many keys it rejects (see rejected_keys()).
  column.body().header.capacity = column.inserted() + rejected_keys;
  std::string bytes;
  column.serialize(bytes);
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(bytes.size()));
  std::ranges::copy(std::as_bytes(std::span(bytes)), buffer.bytes().begin());
  body().column = Storage(std::move(buffer));
  body().header.column_bytes = bytes.size();
  // A key that the ribbon matches passes the column with a probability of 1/2.
  body().header.target_fpp /= 2;
  return open_column({.verify = Verify::kHeaderOnly});
}

Result<RibbonFilter> RibbonFilter::open(const std::string& path, const OpenOptions& options) {
  if (options.access == Access::kUpdateInPlace) {
    return Error::invalid_argument(path,
                                   "expected a filter that can change, found a ribbon, which is static");
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options, check_ribbon_header));
  return in_file(from_body(std::move(body), options), path);
}

Result<RibbonFilter> RibbonFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options, check_ribbon_header));
  return from_body(std::move(body), options);
}

bool RibbonFilter::may_contain(const Hash128& hash) const {
  const bool matches = shards_->may_contain(shards_->table, hash.low);
  // Without exceptions nothing here depends on the match, so that independent queries overlap.
  if (shards_->column == nullptr && body().exceptions.empty()) {
    return matches;
  }
  return matches && column_may_contain(hash) && !is_exception(hash);
}

// The column identifies a key by the high word of its hash.
bool RibbonFilter::column_may_contain(const Hash128& hash) const {
  return shards_->column == nullptr || shards_->column->may_contain(column_hash(hash));
}

// Queries the column, in batches, for the keys that the ribbon matches, and clears the answers of those that
// it rejects.
void RibbonFilter::clear_rejected(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  constexpr std::size_t kPiece = 256;
  std::array<Hash128, kPiece> turned{};
  std::array<std::uint32_t, kPiece> places{};
  std::array<std::uint64_t, answer_words(kPiece)> accepted{};
  for (std::size_t first = 0; first < hashes.size(); first += kPiece) {
    const std::size_t end = std::min(first + kPiece, hashes.size());
    std::size_t matched = 0;
    for (std::size_t word = first / 64; word * 64 < end; ++word) {
      for (std::uint64_t left = answers[word]; left != 0; left &= left - 1) {
        const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        turned[matched] = column_hash(hashes[place]);
        places[matched++] = static_cast<std::uint32_t>(place - first);
      }
    }
    shards_->column->may_contain_batch(std::span(turned).first(matched), accepted);
    for (std::size_t i = 0; i < matched; ++i) {
      if (((accepted[i / 64] >> (i % 64)) & 1) == 0) {
        const std::size_t place = first + places[i];
        answers[place / 64] &= ~(std::uint64_t{1} << (place % 64));
      }
    }
  }
}

void RibbonFilter::may_contain_batch(std::span<const Hash128> hashes,
                                     std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  if (!hashes.empty()) {
    if (shards_->is_cold) {
      ask_for_pages(shards_->table, hashes);
    }
    chosen_ribbon_kernel().may_contain_batch(shards_->table, hashes, answers.data());
    if (shards_->column) {
      clear_rejected(hashes, answers);
    }
    clear_exceptions(hashes, answers);
  }
}

// Returns the status of the column, with the offset in the complete file.
Status RibbonFilter::column_status() const {
  const Status found = shards_->column ? shards_->column->status() : Status();
  if (found) {
    return {};
  }
  return Error::corruption("exception column", body().header.column_offset() + found.error().offset().value(),
                           found.error().detail());
}

Status RibbonFilter::status() const {
  const Status own = status_of_shards("ribbon", shards_->table, body().header);
  return own ? column_status() : own;
}

Status RibbonFilter::verify() const {
  for (std::uint64_t i = 0; i < held_shards(); ++i) {
    verify_shard(shards_->table, i);
  }
  if (shards_->column) {
    (void)shards_->column->verify();  // status() reports the damage
  }
  return status();
}

std::uint32_t RibbonFilter::columns() const {
  return body().header.hash_count;
}
std::uint32_t RibbonFilter::shard_count() const {
  return body().header.shards;
}
std::uint32_t RibbonFilter::first_shard() const {
  return body().header.first_shard;
}
std::uint32_t RibbonFilter::held_shards() const {
  return body().header.held_shards;
}

std::uint64_t RibbonFilter::rejected_keys() const {
  return shards_->column ? shards_->column->capacity() - shards_->column->inserted() : 0;
}
std::uint64_t RibbonFilter::column_bytes() const {
  return body().column.bytes().size();
}

double RibbonFilter::current_fpp() const {
  // A ribbon without keys can still have rejected ones. The slots of their shards match some other keys.
  const bool has_slots = byte_size() != shard_directory_bytes(held_shards());
  return inserted() == 0 && is_whole() && !has_slots ? 0 : target_fpp();
}

Result<RibbonFilter> RibbonFilter::concatenate(std::span<const RibbonFilter* const> parts) {
  return ShardJoin::concatenate(parts);
}

Status RibbonFilter::concatenate(std::span<const RibbonFilter* const> parts, const std::string& path,
                                 const SaveTo& to) {
  return ShardJoin::concatenate(parts, path, to);
}

}  // namespace bloomery
