#include "wal/log_mark.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/message.h"

namespace bloomery::wal {
namespace {

constexpr const char* kMarkSubject = "mark of a log";
constexpr std::string_view kMarkMagic = "BLOOMARK";
constexpr std::uint32_t kMarkVersion = 1;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kLinkAt = 12;
constexpr std::size_t kGenerationAt = 16;
constexpr std::size_t kLengthAt = 24;
constexpr std::size_t kNameSizeAt = 32;
constexpr std::size_t kNameAt = 33;
constexpr std::size_t kSumAt = kMarkSlotBytes - 4;

std::optional<LogMark> read_mark_slot(std::span<const std::byte> slot) {
  const std::string_view text(reinterpret_cast<const char*>(slot.data()), slot.size());
  const auto name_size = std::to_integer<std::size_t>(slot[kNameSizeAt]);
  if (load_big32(&slot[kSumAt]) != crc32c(slot.first(kSumAt)) || !text.starts_with(kMarkMagic) ||
      load_big32(&slot[kVersionAt]) != kMarkVersion) {
    return std::nullopt;
  }
  return LogMark{.generation = load_big64(&slot[kGenerationAt]),
                 .length = load_big64(&slot[kLengthAt]),
                 .link = load_big32(&slot[kLinkAt]),
                 .log = std::string(text.substr(kNameAt, name_size))};
}

}  // namespace

std::array<std::byte, kMarkSlotBytes> mark_slot(const LogMark& mark) {
  assert(mark.log.size() <= kMostMarkName);
  std::array<std::byte, kMarkSlotBytes> slot{};
  std::memcpy(slot.data(), kMarkMagic.data(), kMarkMagic.size());
  store_big(&slot[kVersionAt], kMarkVersion);
  store_big(&slot[kLinkAt], mark.link);
  store_big(&slot[kGenerationAt], mark.generation);
  store_big(&slot[kLengthAt], mark.length);
  slot[kNameSizeAt] = static_cast<std::byte>(mark.log.size());
  std::memcpy(&slot[kNameAt], mark.log.data(), mark.log.size());
  store_big(&slot[kSumAt], crc32c(std::span(slot).first(kSumAt)));
  return slot;
}

Result<LogMark> parse_log_mark(std::span<const std::byte> file) {
  std::optional<LogMark> newest;
  for (std::size_t at = 0; at < kMarkFileBytes && at + kMarkSlotBytes <= file.size(); at += kMarkSlotBytes) {
    const auto mark = read_mark_slot(file.subspan(at, kMarkSlotBytes));
    if (mark && (!newest || mark->generation > newest->generation)) {
      newest = mark;
    }
  }
  if (!newest) {
    return Error::corruption(kMarkSubject, 0, "a slot of 512 bytes with a correct checksum",
                             message("none in ", file.size(), " bytes"));
  }
  return *newest;
}

Result<LogMark> read_log_mark(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  std::array<std::byte, kMarkFileBytes> bytes{};
  const std::size_t size = std::min<std::uint64_t>(facts.size_bytes, bytes.size());
  std::size_t read = 0;
  while (read < size) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count,
                              files.read_at(file, read, std::span(bytes).subspan(read, size - read)));
    if (count == 0) {
      break;
    }
    read += count;
  }
  return in_file(parse_log_mark(std::span(bytes).first(read)), path);
}

Result<LogMarkFile> LogMarkFile::open(FileSystem& files, const std::string& path) {
  Result<LogMark> old = read_log_mark(files, path);
  if (!old && old.error().code() == ErrorCode::kNotFound) {
    BLOOMERY_ASSIGN_OR_RETURN(File created, files.open(path, OpenFor::kCreatingExclusively));
    BLOOMERY_RETURN_IF_ERROR(files.sync_directory_of(path));
    return LogMarkFile(std::move(created), 0);
  }
  // A file that has no intact slot yet: the process was killed before its first mark.
  if (!old && old.error().code() != ErrorCode::kCorruption) {
    return old.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kUpdating));
  return LogMarkFile(std::move(file), old ? old->generation : 0);
}

Status LogMarkFile::write(LogMark mark) {
  if (mark.log.size() > kMostMarkName) {
    return Error::invalid_argument(kMarkSubject, message("expected a name of at most ", kMostMarkName,
                                                         " bytes, found ", mark.log.size()));
  }
  mark.generation = ++generation_;
  return file_.write_all_at(mark.generation % 2 * kMarkSlotBytes, mark_slot(mark));
}

}  // namespace bloomery::wal
