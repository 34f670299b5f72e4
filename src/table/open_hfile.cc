#include "table/open_hfile.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "base/endian.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kTrailerMagic = "TRABLK\"$";
constexpr std::size_t kTrailerSizes[] = {4096, 212};
constexpr std::uint64_t kKeptBytes = std::uint64_t{512} << 20;

// `tail` are the file's last 4096 bytes, `begin` its first 33, or all.
bool is_hfile(std::span<const std::byte> begin, std::span<const std::byte> tail) {
  const auto begins_trailer = [&](std::size_t size) {
    return tail.size() >= size &&
           std::memcmp(tail.last(size).data(), kTrailerMagic.data(), kTrailerMagic.size()) == 0;
  };
  if (std::ranges::any_of(kTrailerSizes, begins_trailer)) {
    return true;
  }
  // One that was cut, or whose trailer is damaged.
  return begin.size() == hfile::kBlockHeaderBytes &&
         hfile::parse_block_header(begin.first<hfile::kBlockHeaderBytes>(), 0).has_value();
}

}  // namespace

bool looks_like_hfile(std::span<const std::byte> file) {
  return is_hfile(file.first(std::min<std::size_t>(file.size(), hfile::kBlockHeaderBytes)),
                  file.last(std::min(file.size(), kTrailerSizes[0])));
}

Result<bool> looks_like_hfile(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (!facts.is_regular) {
    return false;
  }
  std::vector<std::byte> begin(std::min<std::uint64_t>(facts.size_bytes, hfile::kBlockHeaderBytes));
  std::vector<std::byte> tail(std::min<std::uint64_t>(facts.size_bytes, kTrailerSizes[0]));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, begin));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(facts.size_bytes - tail.size(), tail));
  return is_hfile(begin, tail);
}

Result<OpenHFile> open_hfile(const std::string& path, const HFileOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_one, looks_like_hfile(path));
  if (!is_one) {
    return Error::invalid_argument(path, "expected an HFile, found neither its first block nor its trailer");
  }
  return hfile::OpenFile::open(path, options);
}

std::optional<TimeSpan> times_in(std::string_view value) {
  constexpr std::size_t kTimes = 16;
  constexpr std::size_t kOldTimes = 32;  // HBase 0.98 stores all of its buffer
  if (value.size() != kTimes &&
      (value.size() != kOldTimes || value.find_first_not_of('\0', kTimes) != std::string_view::npos)) {
    return std::nullopt;
  }
  const auto* const at = reinterpret_cast<const std::byte*>(value.data());
  return TimeSpan{static_cast<std::int64_t>(load_big64(at)), static_cast<std::int64_t>(load_big64(at + 8))};
}

std::optional<TimeSpan> times_of(const hfile::OpenFile& file) {
  const auto value = file.info().find("TIMERANGE");
  return value ? times_in(*value) : std::nullopt;
}

HFileOptions ChunkKeeper::options() {
  return {.between = [](hfile::BlockSource& disk) { return std::make_unique<ChunkKeeper>(disk); }};
}

Result<hfile::BlockPointer> ChunkKeeper::fetch(const hfile::BlockAddress& address) {
  if (address.kind != hfile::BlockKind::kBloomChunk) {
    return disk_.read(address);
  }
  const std::scoped_lock lock(mutex_);
  if (const auto kept = kept_.find(address.offset); kept != kept_.end()) {
    return kept->second;
  }
  if (kept_bytes_ > kKeptBytes) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += address.on_disk_bytes;
  return kept_.emplace(address.offset, disk_.read(address)).first->second;
}

HFileOptions RecordingSource::options(BlockLog& log) {
  return {
      .between = [&log](hfile::BlockSource& disk) { return std::make_unique<RecordingSource>(disk, log); }};
}

Result<hfile::BlockPointer> RecordingSource::fetch(const hfile::BlockAddress& address) {
  log_.push_back(address);
  return disk_.read(address);
}

}  // namespace bloomery::cli
