#include "redis_module/file_value.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kSubject = "filter file";
constexpr std::string_view kFileFrontMagic = "BLMF";
constexpr std::uint16_t kFileVersion = 1;
constexpr std::uint16_t kFileVersionOfLaterTypes = 2;
constexpr std::size_t kFileFrontHeadBytes = 32;
constexpr std::size_t kSecretBytes = 16;
constexpr std::size_t kFileFrontBytes = kFileFrontHeadBytes + kSecretBytes + kNativeHeaderBytes + 4;

// Returns the file size that the header's own fields imply; 0 if they are impossible.
std::uint64_t announced_size(std::span<const std::byte> header) {
  const std::uint64_t begin = load_little64(header.data() + native_header::kMetadataOffsetAt);
  const std::uint64_t bytes = load_little64(header.data() + native_header::kMetadataBytesAt);
  const bool is_possible = begin <= (std::uint64_t{1} << 62) && bytes <= kMaxMetadataBytes;
  return is_possible ? begin + bytes : 0;
}

std::uint16_t file_version_of(FilterType type) {
  const bool is_later = type == FilterType::kExact || type == FilterType::kWindowed;
  return is_later ? kFileVersionOfLaterTypes : kFileVersion;
}

Status check_file(const NativeHeader& header, const std::optional<HashSecret>& secret) {
  const auto refused = [](const std::string& why) { return Error::unsupported(kSubject, 0, why); };
  if (!PiecedFile::takes(header.type) && !WholeFile::takes(header.type)) {
    return refused(std::string("files of the type ") + filter_type_name(header.type) + " cannot be loaded");
  }
  if (header.keys.form == KeyForm::kUrl || is_block_list(header.keys.form) || header.keys.parts != 1 ||
      header.hash.id == HashId::kReadyDigest) {
    return refused("files of URLs, block lists, composite keys and digests cannot be loaded");
  }
  if (header.dirty) {
    return refused("the file was left dirty by an update");
  }
  if (is_static_type(header.type) && header.held_shards != header.shards) {
    return refused("the file is a part of a static filter");
  }
  const bool is_keyed = header.hash.id == HashId::kSipHash;
  if (is_keyed != secret.has_value() || (is_keyed && secret->id() != header.hash_key_id)) {
    return Error::invalid_argument(kSubject, is_keyed ? "the file is keyed, and wants its own SECRET"
                                                      : "the file is not keyed, and wants no SECRET");
  }
  return {};
}

}  // namespace

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
  if (secret) {
    value->header_.hash.secret = *secret;
  }
  std::ranges::copy(header, value->header_bytes_.begin());
  value->secret_ = secret;
  value->file_crc_ = file_crc;
  BLOOMERY_RETURN_IF_ERROR(value->make_room(room));
  return value;
}

Status FileValue::make_room(Room room) {
  if (WholeFile::takes(header_.type)) {
    BLOOMERY_ASSIGN_OR_RETURN(body_, WholeFile::begin(header_, room));
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(PiecedFile::Payload payload, PiecedFile::Payload::begin(header_));
  BLOOMERY_ASSIGN_OR_RETURN(OnePiece tail,
                            OnePiece::of(header_.file_bytes() - header_.column_offset(), Room::kAsItComes));
  body_ = Parts{.payload = std::move(payload), .tail = std::make_shared<OnePiece>(std::move(tail))};
  return {};
}

std::unique_ptr<FileValue> FileValue::same_load() const {
  std::unique_ptr<FileValue> same(new FileValue());
  same->header_bytes_ = header_bytes_;
  same->header_ = header_;
  same->secret_ = secret_;
  same->taken_ = taken_;
  same->file_crc_ = file_crc_;
  same->taken_crc_ = taken_crc_;
  same->payload_crc_ = payload_crc_;
  same->exception_crc_ = exception_crc_;
  same->metadata_crc_ = metadata_crc_;
  return same;
}

std::unique_ptr<FileValue> FileValue::copy() const {
  std::unique_ptr<FileValue> same = same_load();
  if (pieced() != nullptr) {
    same->body_ = *pieced();
  } else {
    same->body_ = *whole();
  }
  return same;
}

std::unique_ptr<FileValue> FileValue::moved() {
  std::unique_ptr<FileValue> same = same_load();
  same->body_ = std::exchange(body_, WholeFile());
  return same;
}

bool FileValue::is_same(const FileValue& other) const {
  const bool has_same_secret = secret_.has_value() == other.secret_.has_value() &&
                               (!secret_ || secret_->bytes == other.secret_->bytes);
  return header_bytes_ == other.header_bytes_ && file_crc_ == other.file_crc_ && has_same_secret;
}

// ---- the load

// Returns true if these bytes were loaded before and are the same.
bool FileValue::has_taken(std::uint64_t offset, std::span<const std::byte> chunk) const {
  return offset + chunk.size() <= taken_ && std::ranges::equal(chunk, read(offset, chunk.size()));
}

// Checks that a chunk, which is inside the file, is the next.
Status FileValue::check_next(std::uint64_t offset, std::span<const std::byte> chunk) const {
  if (offset != taken_) {
    return Error::invalid_argument(kSubject, "expected the chunk at " + std::to_string(taken_));
  }
  if (offset < kNativeHeaderBytes) {
    const std::size_t shared = std::min<std::uint64_t>(chunk.size(), kNativeHeaderBytes - offset);
    if (!std::ranges::equal(chunk.first(shared), std::span(header_bytes_).subspan(offset, shared))) {
      return Error::invalid_argument(kSubject, "expected the header that the load began with");
    }
  }
  return {};
}

// Stores the next bytes as the type requires. The header is known already. After an error no byte counts as
// loaded.
Status FileValue::store(std::uint64_t offset, std::span<const std::byte> chunk) {
  if (auto* const whole = std::get_if<WholeFile>(&body_)) {
    return whole->append(header_, chunk);
  }
  auto& parts = std::get<Parts>(body_);
  const std::uint64_t end = offset + chunk.size();
  const std::uint64_t tail_at = header_.column_offset();
  const std::uint64_t payload_from = std::max<std::uint64_t>(offset, kNativeHeaderBytes);
  if (const std::uint64_t payload_to = std::min(end, tail_at); payload_from < payload_to) {
    const auto bytes = chunk.subspan(payload_from - offset, payload_to - payload_from);
    BLOOMERY_RETURN_IF_ERROR(parts.payload.append(bytes));
  }
  return end > tail_at ? parts.tail->append(chunk.subspan(std::max(offset, tail_at) - offset)) : Status();
}

Status FileValue::take(std::uint64_t offset, std::uint32_t crc, std::span<const std::byte> chunk) {
  if (is_finished()) {
    return Error::invalid_argument(kSubject, "the load has ended");
  }
  const std::uint64_t size = header_.file_bytes();
  if (chunk.empty() || chunk.size() > kMostChunkBytes || offset > size || chunk.size() > size - offset) {
    return Error::invalid_argument(kSubject, "expected a chunk of 1 byte to 1 MiB within the file");
  }
  if (crc32c(chunk) != crc) {
    return Error::corruption(kSubject, offset, "expected bytes of the checksum");
  }
  if (has_taken(offset, chunk)) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(check_next(offset, chunk));
  BLOOMERY_RETURN_IF_ERROR(store(offset, chunk));
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
  go_on(header_.metadata_offset(), header_.metadata_bytes, metadata_crc_);
  taken_ += chunk.size();
  return {};
}

Status FileValue::finish() {
  if (is_finished()) {
    return {};
  }
  if (taken_ != header_.file_bytes()) {
    return Error::invalid_argument(kSubject, "expected all bytes, found " + std::to_string(taken_) + " of " +
                                                 std::to_string(header_.file_bytes()));
  }
  if (taken_crc_ != file_crc_ || payload_crc_ != header_.payload_checksum ||
      exception_crc_ != header_.exception_checksum || metadata_crc_ != header_.metadata_checksum) {
    return Error::corruption(
        kSubject, 0,
        "expected the checksums of the file, its payload, its exceptions and its note, found others");
  }
  return open();
}

Status FileValue::open() {
  if (auto* const whole = std::get_if<WholeFile>(&body_)) {
    return whole->finish(header_);
  }
  auto& parts = std::get<Parts>(body_);
  BLOOMERY_ASSIGN_OR_RETURN(PiecedFile file, PiecedFile::open(header_, std::move(parts.payload), parts.tail));
  body_ = std::move(file);
  return {};
}

// ---- what it is

bool FileValue::is_finished() const {
  return whole() != nullptr || pieced() != nullptr;
}

const PiecedFile* FileValue::pieced() const {
  return std::get_if<PiecedFile>(&body_);
}

const WholeFile* FileValue::whole() const {
  const auto* const whole = std::get_if<WholeFile>(&body_);
  return whole != nullptr && whole->is_finished() ? whole : nullptr;
}

bool FileValue::takes_items() const {
  return pieced() != nullptr && pieced()->takes_items();
}

PiecedFile* FileValue::taking_items() {
  return takes_items() ? &std::get<PiecedFile>(body_) : nullptr;
}

NativeHeader FileValue::header() const {
  return pieced() != nullptr ? pieced()->header() : header_;
}

std::array<std::byte, kNativeHeaderBytes> FileValue::header_bytes() const {
  return pieced() != nullptr ? encode(pieced()->header()) : header_bytes_;
}

std::uint64_t FileValue::size() const {
  return pieced() != nullptr ? pieced()->file_bytes() : header_.file_bytes();
}

std::uint32_t FileValue::file_crc() const {
  return pieced() != nullptr ? pieced()->file_crc() : file_crc_;
}

std::string FileValue::type_name() const {
  return filter_type_name(header_.type, header_.type == FilterType::kBlocked
                                            ? static_cast<BlockedSetting>(header_.stride_bytes)
                                            : BlockedSetting::kFast);
}

std::uint64_t FileValue::memory_bytes() const {
  if (const auto* const whole = std::get_if<WholeFile>(&body_)) {
    return sizeof(FileValue) + whole->memory_bytes();
  }
  if (const auto* const parts = std::get_if<Parts>(&body_)) {
    return sizeof(FileValue) + parts->payload.memory_bytes() + parts->tail->memory_bytes();
  }
  return sizeof(FileValue) + pieced()->memory_bytes();
}

std::vector<std::byte> FileValue::read(std::uint64_t offset, std::uint64_t size) const {
  std::vector<std::byte> out(size);
  if (pieced() != nullptr) {
    pieced()->read(offset, out);
    return out;
  }
  if (const auto* const whole = std::get_if<WholeFile>(&body_)) {
    std::ranges::copy(whole->bytes().subspan(offset, size), out.begin());
    return out;
  }
  const auto& parts = std::get<Parts>(body_);
  const std::uint64_t tail_at = header_.column_offset();
  std::uint64_t done = 0;
  while (done < size) {
    const std::uint64_t at = offset + done;
    const auto rest = std::span(out).subspan(done);
    std::uint64_t some = 0;
    if (at < kNativeHeaderBytes) {
      some = std::min<std::uint64_t>(rest.size(), kNativeHeaderBytes - at);
      std::copy_n(header_bytes_.begin() + static_cast<std::ptrdiff_t>(at), some, rest.begin());
    } else if (at < tail_at) {
      some = std::min<std::uint64_t>(rest.size(), tail_at - at);
      parts.payload.read(at - kNativeHeaderBytes, rest.first(some));
    } else {
      some = rest.size();
      std::ranges::copy(parts.tail->bytes().subspan(at - tail_at, some), rest.begin());
    }
    done += some;
  }
  return out;
}

// ---- items

Result<std::vector<Hash128>> FileValue::keys_of(std::span<const std::string_view> items) const {
  std::vector<Hash128> keys;
  keys.reserve(items.size());
  KeyWriter writer;
  for (const std::string_view item : items) {
    writer.clear();
    BLOOMERY_RETURN_IF_ERROR(append_formed(writer, item, header_.keys));
    keys.push_back(hash_bytes(writer.bytes(), header_.hash));
  }
  return keys;
}

Status FileValue::may_contain(std::span<const std::string_view> items,
                              std::span<std::uint64_t> answers) const {
  if (!is_finished()) {
    std::ranges::fill(answers, ~std::uint64_t{0});
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<Hash128> keys, keys_of(items));
  if (pieced() != nullptr) {
    pieced()->may_contain(keys, answers);
  } else {
    whole()->may_contain(keys, answers);
  }
  return {};
}

// ---- the front

std::string FileValue::front() const {
  std::string front(kFileFrontBytes, '\0');
  auto* const at = reinterpret_cast<std::byte*>(front.data());
  std::ranges::copy(kFileFrontMagic, front.begin());
  store_little(at + 4, file_version_of(header_.type));
  store_little(at + 6, static_cast<std::uint8_t>(is_finished() ? 1 : 0));
  store_little(at + 7, static_cast<std::uint8_t>(secret_ ? 1 : 0));
  store_little(at + 8, size());
  store_little(at + 16, taken());
  store_little(at + 24, file_crc());
  if (secret_) {
    std::memcpy(at + kFileFrontHeadBytes, secret_->bytes.data(), kSecretBytes);
  }
  std::ranges::copy(header_bytes(), at + kFileFrontHeadBytes + kSecretBytes);
  const std::size_t end = kFileFrontBytes - sizeof(std::uint32_t);
  store_little(at + end, crc32c({at, end}));
  return front;
}

Result<FileValue::Front> FileValue::of_front(std::span<const std::byte> front) {
  constexpr std::size_t kEnd = kFileFrontBytes - sizeof(std::uint32_t);
  if (front.size() != kFileFrontBytes ||
      std::memcmp(front.data(), kFileFrontMagic.data(), kFileFrontMagic.size()) != 0 ||
      load_little32(front.data() + kEnd) != crc32c(front.first(kEnd))) {
    return Error::corruption(kSubject, 0, "expected a front of 244 bytes with its checksum");
  }
  const std::uint16_t version = load_little16(front.data() + 4);
  if (version != kFileVersion && version != kFileVersionOfLaterTypes) {
    return Error::unsupported(kSubject, 4, "expected version 1 or 2, found " + std::to_string(version));
  }
  const auto finished = load_little<std::uint8_t>(front.data() + 6);
  const auto keyed = load_little<std::uint8_t>(front.data() + 7);
  if (finished > 1 || keyed > 1) {
    return Error::corruption(kSubject, 6, "expected 0 or 1 for the end of the load and for the secret");
  }
  std::optional<HashSecret> secret;
  if (keyed != 0) {
    secret.emplace();
    std::memcpy(secret->bytes.data(), front.data() + kFileFrontHeadBytes, kSecretBytes);
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 36;
  Front read;
  BLOOMERY_ASSIGN_OR_RETURN(read.value,
                            begin(front.subspan(kFileFrontHeadBytes + kSecretBytes, kNativeHeaderBytes),
                                  load_little32(front.data() + 24), secret, kMost, Room::kAsItComes));
  if (version != file_version_of(read.value->header_.type)) {
    return Error::corruption(kSubject, 4,
                             "expected version 2 for exact and windowed files, and 1 for others");
  }
  read.taken = load_little64(front.data() + 16);
  read.is_finished = finished != 0;
  if (load_little64(front.data() + 8) != read.value->size() || read.taken > read.value->size()) {
    return Error::corruption(kSubject, 8, "expected sizes that fit the header of the file");
  }
  return read;
}

}  // namespace bloomery::redis_module
