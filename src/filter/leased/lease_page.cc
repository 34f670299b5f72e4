#include "filter/leased/lease_page.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/crc32c.h"
#include "base/endian.h"
#include "base/message.h"

namespace bloomery {
namespace {

constexpr std::array<char, 8> kMagic{'B', 'L', 'M', 'Y', 'L', 'E', 'A', 'S'};
constexpr std::uint32_t kLeaseVersion = 1;
constexpr std::size_t kBootAt = 16;
constexpr std::size_t kGenerationAt = 32;
constexpr std::size_t kDeadlineAt = 40;
constexpr std::size_t kBoundAt = 48;
constexpr std::size_t kPositionAt = 56;
constexpr std::array<std::size_t, 2> kMadeAt{64, 80};
constexpr std::size_t kSlotAt = 96;  // a checksum, then the name
constexpr std::size_t kSlotNameAt = 4;
constexpr std::size_t kSlotBytes = kSlotNameAt + kMostOfSlotName + 1;
constexpr std::array<std::size_t, 2> kRecordsAt{512, 1024};
constexpr std::size_t kRecordBytes = 256;

// Returns the id of this boot as 16 bytes, or zeros if it is unknown. No page has zeros, so then no lease is
// valid.
std::array<std::byte, 16> boot_id() {
  std::array<std::byte, 16> id{};
  FileSystem& files = FileSystem::real();
  const Result<File> file = files.open("/proc/sys/kernel/random/boot_id", OpenFor::kReading);
  std::array<std::byte, 36> text{};
  if (!file) {
    return id;
  }
  const Result<std::size_t> read = files.read_at(*file, 0, text);
  if (!read || *read != text.size()) {
    return id;
  }
  std::size_t digits = 0;
  for (const std::byte byte : text) {
    const char character = static_cast<char>(byte);
    const bool is_number = character >= '0' && character <= '9';
    if (!is_number && (character < 'a' || character > 'f')) {
      continue;
    }
    const int value = is_number ? character - '0' : character - 'a' + 10;
    if (digits < 32) {
      id[digits / 2] = (id[digits / 2] << 4) | static_cast<std::byte>(value);
      ++digits;
    }
  }
  return digits == 32 ? id : std::array<std::byte, 16>{};
}

std::array<std::byte, kRecordBytes> bytes_of(const LeaseRecord& record) {
  std::array<std::byte, kRecordBytes> bytes{};
  store_little<std::uint64_t>(&bytes[8], record.sequence);
  store_little<std::uint64_t>(&bytes[16], record.generation);
  store_little<std::uint64_t>(&bytes[24], record.position);
  store_little<std::uint64_t>(&bytes[32], record.source);
  store_little<std::uint32_t>(&bytes[40], record.epoch);
  store_little<std::uint64_t>(&bytes[48], record.keys);
  store_little<std::uint64_t>(&bytes[56], record.deletes);
  store_little<std::uint64_t>(&bytes[64], record.shape);
  store_little<std::uint64_t>(&bytes[72], record.columns);
  store_little<std::uint64_t>(&bytes[80], record.confirmed);
  store_little<std::uint64_t>(&bytes[88], record.commit_end);
  store_little<std::uint64_t>(&bytes[96], static_cast<std::uint64_t>(record.commit_time_us));
  store_little<std::uint32_t>(&bytes[104], record.commit_xid);
  store_little<std::uint32_t>(bytes.data(), crc32c(std::span(bytes).subspan(4)));
  return bytes;
}

std::optional<LeaseRecord> record_of(std::span<const std::byte> bytes) {
  if (load_little32(bytes.data()) != crc32c(bytes.subspan(4))) {
    return std::nullopt;
  }
  return LeaseRecord{.sequence = load_little64(&bytes[8]),
                     .generation = load_little64(&bytes[16]),
                     .position = load_little64(&bytes[24]),
                     .source = load_little64(&bytes[32]),
                     .epoch = load_little32(&bytes[40]),
                     .keys = load_little64(&bytes[48]),
                     .deletes = load_little64(&bytes[56]),
                     .shape = load_little64(&bytes[64]),
                     .columns = load_little64(&bytes[72]),
                     .confirmed = load_little64(&bytes[80]),
                     .commit_end = load_little64(&bytes[88]),
                     .commit_time_us = static_cast<std::int64_t>(load_little64(&bytes[96])),
                     .commit_xid = load_little32(&bytes[104])};
}

Status check_slot_name(std::string_view name) {
  return is_slot_name(name)
             ? Status()
             : Status(Error::invalid_argument(
                   "slot", message("expected a name of at most ", kMostOfSlotName,
                                   " small letters, digits and underscores, found '", name, "'")));
}

std::array<std::byte, kSlotBytes> bytes_of_slot(std::string_view name) {
  std::array<std::byte, kSlotBytes> bytes{};
  std::memcpy(&bytes[kSlotNameAt], name.data(), name.size());
  store_little<std::uint32_t>(bytes.data(), crc32c(std::span(bytes).subspan(kSlotNameAt)));
  return bytes;
}

std::string slot_of_bytes(std::span<const std::byte> bytes) {
  if (load_little32(bytes.data()) != crc32c(bytes.subspan(kSlotNameAt))) {
    return {};
  }
  std::string name;
  for (const std::byte byte : bytes.subspan(kSlotNameAt)) {
    if (byte == std::byte{0}) {
      break;
    }
    name += static_cast<char>(byte);
  }
  return is_slot_name(name) ? name : std::string();
}

std::vector<std::byte> new_page(std::string_view slot) {
  std::vector<std::byte> page(LeasePage::kBytes);
  std::memcpy(page.data(), kMagic.data(), kMagic.size());
  store_little<std::uint32_t>(&page[8], kLeaseVersion);
  store_little<std::uint32_t>(&page[12], LeasePage::kBytes);
  if (!slot.empty()) {
    const std::array<std::byte, kSlotBytes> bytes = bytes_of_slot(slot);
    std::ranges::copy(bytes, page.begin() + kSlotAt);
  }
  return page;
}

Status check_page(std::span<const std::byte> bytes, const std::string& path) {
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return Error::corruption(path, 0, "expected a leased file (BLMYLEAS), found other bytes");
  }
  if (const std::uint32_t version = load_little32(&bytes[8]); version != kLeaseVersion) {
    return Error::unsupported(path, 8, message("expected version ", kLeaseVersion, ", found ", version));
  }
  return {};
}

Result<std::pair<File, MappedFile>> map_page(File file, MapAccess access) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes != LeasePage::kBytes) {
    return Error::corruption(file.path(), 0, "a leased file of 4096 bytes", std::to_string(facts.size_bytes));
  }
  BLOOMERY_ASSIGN_OR_RETURN(MappedFile mapping, files.map(file, LeasePage::kBytes, access));
  BLOOMERY_RETURN_IF_ERROR(check_page(mapping.bytes(), file.path()));
  return std::pair(std::move(file), std::move(mapping));
}

}  // namespace

bool is_slot_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostOfSlotName && std::ranges::all_of(name, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

std::uint64_t boot_clock_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

LeasePage::LeasePage(std::string path, File file, MappedFile mapping)
    : path_(std::move(path)), file_(std::move(file)), mapping_(std::move(mapping)) {
  const std::array<std::byte, 16> boot = boot_id();
  std::memcpy(boot_.data(), boot.data(), boot.size());
}

Result<LeasePage> LeasePage::open_for_feeder(const std::string& path, std::string_view slot_of_new) {
  FileSystem& files = FileSystem::real();
  if (!slot_of_new.empty()) {
    BLOOMERY_RETURN_IF_ERROR(check_slot_name(slot_of_new));
  }
  const Result<FileFacts> found = files.facts(path);
  if (!found && found.error().code() == ErrorCode::kNotFound) {
    const std::vector<std::byte> page = new_page(slot_of_new);
    const std::array<std::span<const std::byte>, 1> parts{page};
    BLOOMERY_RETURN_IF_ERROR(save_atomically(files, path, parts, {}));
  }
  BLOOMERY_ASSIGN_OR_RETURN(File file, open_locked(files, path, OpenFor::kUpdating));
  auto mapped = map_page(std::move(file), MapAccess::kReadWrite);
  if (!mapped) {
    return mapped.error().with_code(ErrorCode::kInvalidArgument);
  }
  LeasePage page(path, std::move(mapped->first), std::move(mapped->second));
  page.make_void();
  for (std::size_t i = 0; i < page.boot_.size(); ++i) {
    __atomic_store_n(page.live(kBootAt + 8 * i), page.boot_[i], __ATOMIC_RELEASE);
  }
  page.set_generation(page.read_record().generation);
  return page;
}

Result<LeasePage> LeasePage::open(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(auto mapped, map_page(std::move(file), MapAccess::kReadOnly));
  return LeasePage(path, std::move(mapped.first), std::move(mapped.second));
}

bool LeasePage::is_one(const std::string& path) {
  FileSystem& files = FileSystem::real();
  const Result<File> file = files.open(path, OpenFor::kReading);
  std::array<std::byte, kMagic.size()> begin{};
  if (!file) {
    return false;
  }
  const Result<std::size_t> read = files.read_at(*file, 0, begin);
  return read && *read == begin.size() && std::memcmp(begin.data(), kMagic.data(), begin.size()) == 0;
}

std::string LeasePage::filter_path(std::uint64_t generation) const {
  return path_ + "." + std::to_string(generation);
}

std::uint64_t* LeasePage::live(std::size_t offset) const {
  // The mapping is aligned to a page, and the offsets to 8. Only a feeder's mapping is written to.
  return reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(mapping_.bytes().data()) + offset);
}

std::uint64_t LeasePage::generation() const {
  return __atomic_load_n(live(kGenerationAt), __ATOMIC_ACQUIRE);
}

std::uint64_t LeasePage::remaining_ns(std::uint64_t now_ns) const {
  const std::uint64_t deadline = __atomic_load_n(live(kDeadlineAt), __ATOMIC_ACQUIRE);
  const std::uint64_t bound = __atomic_load_n(live(kBoundAt), __ATOMIC_RELAXED);
  // A reader may map the page before a feeder has written its boot id, so every call reads the boot id.
  const bool is_of_this_boot = __atomic_load_n(live(kBootAt), __ATOMIC_RELAXED) == boot_[0] &&
                               __atomic_load_n(live(kBootAt + 8), __ATOMIC_RELAXED) == boot_[1] &&
                               boot_[0] != 0;
  const bool holds = is_of_this_boot && deadline > now_ns && deadline - now_ns <= bound;
  return holds ? deadline - now_ns : 0;
}

bool LeasePage::vouches_for(std::uint64_t generation, std::uint64_t now_ns) const {
  const bool holds = remaining_ns(now_ns) != 0;  // loads the deadline before the generation
  return holds && generation != 0 && this->generation() == generation;
}

std::uint64_t LeasePage::position() const {
  return __atomic_load_n(live(kPositionAt), __ATOMIC_ACQUIRE);
}

std::uint64_t LeasePage::bound_ns() const {
  return __atomic_load_n(live(kBoundAt), __ATOMIC_ACQUIRE);
}

void LeasePage::set_bound(std::uint64_t bound_ns) {
  __atomic_store_n(live(kBoundAt), bound_ns, __ATOMIC_RELEASE);
}

void LeasePage::renew(std::uint64_t deadline_ns) {
  __atomic_store_n(live(kDeadlineAt), deadline_ns, __ATOMIC_RELEASE);
}

void LeasePage::set_generation(std::uint64_t generation) {
  make_void();
  __atomic_store_n(live(kGenerationAt), generation, __ATOMIC_SEQ_CST);
}

void LeasePage::set_position(std::uint64_t position) {
  __atomic_store_n(live(kPositionAt), position, __ATOMIC_RELEASE);
}

MadeFile LeasePage::made(std::size_t place) const {
  const std::size_t at = kMadeAt[place];
  return {.generation = __atomic_load_n(live(at), __ATOMIC_ACQUIRE),
          .inode = __atomic_load_n(live(at + 8), __ATOMIC_ACQUIRE)};
}

void LeasePage::note_made(const MadeFile& file) {
  const std::uint64_t answers = generation();
  const bool is_first_taken = answers != 0 && made(0).generation == answers && file.generation != answers;
  const std::size_t at = kMadeAt[is_first_taken ? 1 : 0];
  __atomic_store_n(live(at), 0, __ATOMIC_RELEASE);  // 0: no record, until the rest is written
  __atomic_store_n(live(at + 8), file.inode, __ATOMIC_RELEASE);
  __atomic_store_n(live(at), file.generation, __ATOMIC_RELEASE);
}

void LeasePage::remove_made(std::uint64_t kept) {
  for (std::size_t place = 0; place < kMadeAt.size(); ++place) {
    const MadeFile noted = made(place);
    if (noted.generation == 0 || noted.generation == kept) {
      continue;
    }
    const std::string path = filter_path(noted.generation);
    const Result<FileFacts> found = FileSystem::real().facts(path);
    if (found && found->is_regular && found->inode == noted.inode) {
      (void)FileSystem::real().remove(path);
      (void)FileSystem::real().remove(path + ".key");  // its own secret, if it has one
    }
    __atomic_store_n(live(kMadeAt[place]), 0, __ATOMIC_RELEASE);
  }
}

LeaseRecord LeasePage::read_record() const {
  LeaseRecord newest;
  for (const std::size_t at : kRecordsAt) {
    const std::optional<LeaseRecord> record = record_of(mapping_.bytes().subspan(at, kRecordBytes));
    if (record && record->sequence > newest.sequence) {
      newest = *record;
    }
  }
  return newest;
}

std::string LeasePage::slot() const {
  return slot_of_bytes(mapping_.bytes().subspan(kSlotAt, kSlotBytes));
}

Status LeasePage::note_slot(std::string_view name) {
  BLOOMERY_RETURN_IF_ERROR(check_slot_name(name));
  const std::array<std::byte, kSlotBytes> bytes = bytes_of_slot(name);
  std::memcpy(mapping_.writable_bytes().data() + kSlotAt, bytes.data(), bytes.size());
  return FileSystem::real().sync_mapping(file_, mapping_);
}

Status LeasePage::write_record(LeaseRecord record) {
  record.sequence = read_record().sequence + 1;
  const std::array<std::byte, kRecordBytes> bytes = bytes_of(record);
  const std::size_t at = kRecordsAt[record.sequence % kRecordsAt.size()];
  std::memcpy(mapping_.writable_bytes().data() + at, bytes.data(), bytes.size());
  return FileSystem::real().sync_mapping(file_, mapping_);
}

}  // namespace bloomery
