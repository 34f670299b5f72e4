#include "redis_module/file_value.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/crc32c.h"
#include "base/endian.h"
#include "redis_module/server_memory.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kSubject = "filter file";
constexpr std::string_view kFrontMagic = "BLMF";
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kFrontHeadBytes = 32;
constexpr std::size_t kSecretBytes = 16;
constexpr std::size_t kFrontBytes = kFrontHeadBytes + kSecretBytes + kNativeHeaderBytes + 4;
constexpr std::uint64_t kAlignment = 64;  // as in a mapped file

// Returns what the header's own fields say of the file's size; 0 if they say nothing possible.
std::uint64_t announced_size(std::span<const std::byte> header) {
  const std::uint64_t begin = load_little64(header.data() + native_header::kMetadataOffsetAt);
  const std::uint64_t bytes = load_little64(header.data() + native_header::kMetadataBytesAt);
  const bool is_possible = begin <= (std::uint64_t{1} << 62) && bytes <= kMaxMetadataBytes;
  return is_possible ? begin + bytes : 0;
}

bool is_taken(FilterType type) {
  switch (type) {
    case FilterType::kBloom:
    case FilterType::kBlocked:
    case FilterType::kRibbon:
    case FilterType::kCounting:
    case FilterType::kScalable:
      return true;
    default:
      return false;
  }
}

Status check_file(const NativeHeader& header, const std::optional<HashSecret>& secret) {
  const auto refused = [](const std::string& why) { return Error::unsupported(kSubject, 0, why); };
  if (!is_taken(header.type)) {
    return refused(std::string("files of the type ") + filter_type_name(header.type) + " cannot be loaded");
  }
  if (header.keys.form == KeyForm::kUrl || is_block_list(header.keys.form) || header.keys.parts != 1 ||
      header.hash.id == HashId::kReadyDigest) {
    return refused("files of URLs, block lists, composite keys and digests cannot be loaded");
  }
  if (header.dirty) {
    return refused("the file was left dirty by an update");
  }
  if (header.type == FilterType::kRibbon && header.held_shards != header.shards) {
    return refused("the file is a part of a ribbon");
  }
  const bool is_keyed = header.hash.id == HashId::kSipHash;
  if (is_keyed != secret.has_value() || (is_keyed && secret->id() != header.hash_key_id)) {
    return Error::invalid_argument(kSubject, is_keyed ? "the file is keyed, and wants its own SECRET"
                                                      : "the file is not keyed, and wants no SECRET");
  }
  return {};
}

}  // namespace

struct FileValue::Memory {
  Memory(void* taken, std::uint64_t bytes_of_it) : block(taken), room(bytes_of_it) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { give_back(block); }

  std::byte* bytes() const {
    const auto at = reinterpret_cast<std::uintptr_t>(block);
    return static_cast<std::byte*>(block) + (kAlignment - at % kAlignment) % kAlignment;
  }

  void* block;
  std::uint64_t room;
};

FileValue::~FileValue() = default;

Result<std::unique_ptr<FileValue>> FileValue::begin(std::span<const std::byte> header, std::uint32_t file_crc,
                                                    const std::optional<HashSecret>& secret,
                                                    std::uint64_t most_bytes, Room room) {
  if (header.size() != kNativeHeaderBytes) {
    return Error::invalid_argument(kSubject, "expected the first 192 bytes of the file");
  }
  const std::uint64_t size = announced_size(header);
  std::unique_ptr<FileValue> value(new FileValue());
  BLOOMERY_ASSIGN_OR_RETURN(value->header_, parse_native_header(header, size));
  BLOOMERY_RETURN_IF_ERROR(check_file(value->header_, secret));
  if (size > most_bytes) {
    return Error::capacity(kSubject, "the file has " + std::to_string(size) + " bytes");
  }
  value->size_ = size;
  BLOOMERY_RETURN_IF_ERROR(value->make_room(room == Room::kWhole ? size : 0));
  std::ranges::copy(header, value->header_bytes_.begin());
  value->secret_ = secret;
  value->file_crc_ = file_crc;
  return value;
}

// Makes room for so many bytes. More room is twice what there was, up to the whole file.
Status FileValue::make_room(std::uint64_t bytes) {
  const std::uint64_t room = memory_ == nullptr ? 0 : memory_->room;
  if (memory_ != nullptr && bytes <= room) {
    return {};
  }
  const std::uint64_t more = std::min(size_, std::max({bytes, 2 * room, kMostChunkBytes}));
  void* const block = take_zeroed(more + kAlignment);
  if (block == nullptr) {
    return Error::capacity(kSubject, "memory is lacking");
  }
  auto memory = std::make_shared<Memory>(block, more);
  if (taken_ > 0) {
    std::memcpy(memory->bytes(), memory_->bytes(), taken_);
  }
  memory_ = std::move(memory);
  return {};
}

std::unique_ptr<FileValue> FileValue::copy() const {
  std::unique_ptr<FileValue> same(new FileValue());
  same->header_bytes_ = header_bytes_;
  same->header_ = header_;
  same->secret_ = secret_;
  same->size_ = size_;
  same->taken_ = taken_;
  same->file_crc_ = file_crc_;
  same->taken_crc_ = taken_crc_;
  same->payload_crc_ = payload_crc_;
  same->exception_crc_ = exception_crc_;
  same->memory_ = memory_;
  return same->open_filter() ? std::move(same) : nullptr;
}

bool FileValue::is_same(const FileValue& other) const {
  const bool has_same_secret = secret_.has_value() == other.secret_.has_value() &&
                               (!secret_ || secret_->bytes == other.secret_->bytes);
  return header_bytes_ == other.header_bytes_ && file_crc_ == other.file_crc_ && has_same_secret;
}

std::span<const std::byte> FileValue::bytes() const {
  return {memory_->bytes(), size_};
}

Status FileValue::take(std::uint64_t offset, std::uint32_t crc, std::span<const std::byte> chunk) {
  if (chunk.empty() || chunk.size() > kMostChunkBytes || offset > size_ || chunk.size() > size_ - offset) {
    return Error::invalid_argument(kSubject, "expected a chunk of 1 byte to 1 MiB within the file");
  }
  if (crc32c(chunk) != crc) {
    return Error::corruption(kSubject, offset, "expected bytes of the checksum");
  }
  if (offset > taken_) {
    return Error::invalid_argument(kSubject, "expected the chunk at " + std::to_string(taken_));
  }
  BLOOMERY_RETURN_IF_ERROR(make_room(offset + chunk.size()));
  std::byte* const place = memory_->bytes() + offset;
  if (offset + chunk.size() <= taken_ && std::ranges::equal(chunk, std::span(place, chunk.size()))) {
    return {};
  }
  if (offset != taken_) {
    return Error::invalid_argument(kSubject, "expected the chunk at " + std::to_string(taken_));
  }
  if (offset < kNativeHeaderBytes) {
    const std::size_t shared = std::min<std::uint64_t>(chunk.size(), kNativeHeaderBytes - offset);
    if (!std::ranges::equal(chunk.first(shared), header_bytes().subspan(offset, shared))) {
      return Error::invalid_argument(kSubject, "expected the header that the load began with");
    }
  }
  std::memcpy(place, chunk.data(), chunk.size());
  taken_crc_ = crc32c(chunk, taken_crc_);
  const auto go_on = [&](std::uint64_t part, std::uint64_t part_bytes, std::uint32_t& part_crc) {
    const std::uint64_t begin = std::max(offset, part);
    const std::uint64_t end = std::min(offset + chunk.size(), part + part_bytes);
    if (begin < end) {
      part_crc = crc32c(chunk.subspan(begin - offset, end - begin), part_crc);
    }
  };
  go_on(header_.payload_offset(), header_.checksummed_payload_bytes(), payload_crc_);
  go_on(header_.exception_offset(), header_.exception_bytes, exception_crc_);
  taken_ += chunk.size();
  return {};
}

Status FileValue::finish() {
  if (is_finished()) {
    return {};
  }
  if (taken_ != size_) {
    return Error::invalid_argument(
        kSubject, "expected all bytes, found " + std::to_string(taken_) + " of " + std::to_string(size_));
  }
  if (taken_crc_ != file_crc_ || payload_crc_ != header_.payload_checksum ||
      exception_crc_ != header_.exception_checksum) {
    return Error::corruption(
        kSubject, 0, "expected the checksums of the file, its payload and its exceptions, found others");
  }
  return open_filter();
}

// The payload was verified chunk by chunk. A ribbon verifies its shards by itself, one after the other.
Status FileValue::open_filter() {
  const bool is_ribbon = header_.type == FilterType::kRibbon;
  BLOOMERY_ASSIGN_OR_RETURN(
      AnyFilter filter,
      AnyFilter::view(bytes(), {.verify = is_ribbon ? Verify::kChecksums : Verify::kHeaderOnly,
                                .recorded_keys = RecordedKeys::kKnown,
                                .secret = secret_ ? &*secret_ : nullptr}));
  filter_.emplace(std::move(filter));
  return {};
}

std::string FileValue::type_name() const {
  return filter_ ? filter_->type_name() : filter_type_name(header_.type);
}

std::uint64_t FileValue::memory_bytes() const {
  return sizeof(FileValue) + memory_->room + kAlignment;
}

Status FileValue::may_contain(std::span<const std::string_view> items,
                              std::span<std::uint64_t> answers) const {
  if (!is_finished()) {
    std::ranges::fill(answers, ~std::uint64_t{0});
    return {};
  }
  std::vector<Hash128> hashes;
  hashes.reserve(items.size());
  for (const std::string_view item : items) {
    BLOOMERY_ASSIGN_OR_RETURN(const Hash128 hash, filter_->key_of(item));
    hashes.push_back(hash);
  }
  filter_->may_contain_batch(hashes, answers);
  return {};
}

// ---- the front

std::string FileValue::front() const {
  std::string front(kFrontBytes, '\0');
  auto* const at = reinterpret_cast<std::byte*>(front.data());
  std::ranges::copy(kFrontMagic, front.begin());
  store_little(at + 4, kVersion);
  store_little(at + 6, static_cast<std::uint8_t>(is_finished() ? 1 : 0));
  store_little(at + 7, static_cast<std::uint8_t>(secret_ ? 1 : 0));
  store_little(at + 8, size_);
  store_little(at + 16, taken_);
  store_little(at + 24, file_crc_);
  if (secret_) {
    std::memcpy(at + kFrontHeadBytes, secret_->bytes.data(), kSecretBytes);
  }
  std::memcpy(at + kFrontHeadBytes + kSecretBytes, header_bytes_.data(), kNativeHeaderBytes);
  const std::size_t end = kFrontBytes - sizeof(std::uint32_t);
  store_little(at + end, crc32c({at, end}));
  return front;
}

Result<FileValue::Front> FileValue::of_front(std::span<const std::byte> front) {
  constexpr std::size_t kEnd = kFrontBytes - sizeof(std::uint32_t);
  if (front.size() != kFrontBytes || std::memcmp(front.data(), kFrontMagic.data(), kFrontMagic.size()) != 0 ||
      load_little32(front.data() + kEnd) != crc32c(front.first(kEnd))) {
    return Error::corruption(kSubject, 0, "expected a front of 244 bytes with its checksum");
  }
  if (load_little<std::uint16_t>(front.data() + 4) != kVersion) {
    return Error::unsupported(kSubject, 4, "expected version 1");
  }
  std::optional<HashSecret> secret;
  if (load_little<std::uint8_t>(front.data() + 7) != 0) {
    secret.emplace();
    std::memcpy(secret->bytes.data(), front.data() + kFrontHeadBytes, kSecretBytes);
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 36;
  Front read;
  BLOOMERY_ASSIGN_OR_RETURN(read.value,
                            begin(front.subspan(kFrontHeadBytes + kSecretBytes, kNativeHeaderBytes),
                                  load_little32(front.data() + 24), secret, kMost, Room::kAsItComes));
  read.taken = load_little64(front.data() + 16);
  read.is_finished = load_little<std::uint8_t>(front.data() + 6) != 0;
  if (load_little64(front.data() + 8) != read.value->size() || read.taken > read.value->size()) {
    return Error::corruption(kSubject, 8, "expected sizes that fit the header of the file");
  }
  return read;
}

}  // namespace bloomery::redis_module
