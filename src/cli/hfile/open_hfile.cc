#include "cli/hfile/open_hfile.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/endian.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kTrailerMagic = "TRABLK\"$";
constexpr std::uint64_t kTrailerSizes[] = {4096, 212};
constexpr std::uint64_t kKeptBytes = std::uint64_t{512} << 20;

Result<bool> ends_with_trailer(File& file, std::uint64_t file_bytes) {
  for (const std::uint64_t size : kTrailerSizes) {
    if (file_bytes < size) {
      continue;
    }
    std::array<char, kTrailerMagic.size()> magic = {};
    BLOOMERY_RETURN_IF_ERROR(
        file.read_exactly_at(file_bytes - size, std::as_writable_bytes(std::span(magic))));
    if (std::string_view(magic.data(), magic.size()) == kTrailerMagic) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<bool> looks_like_hfile(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (!facts.is_regular) {
    return false;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_trailer, ends_with_trailer(file, facts.size_bytes));
  if (has_trailer || facts.size_bytes < hfile::kBlockHeaderBytes) {
    return has_trailer;
  }
  // One that was cut, or whose trailer is damaged.
  std::array<std::byte, hfile::kBlockHeaderBytes> header = {};
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, header));
  return hfile::parse_block_header(header, 0).has_value();
}

Result<OpenHFile> open_hfile(const std::string& path, const HFileOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_one, looks_like_hfile(path));
  if (!is_one) {
    return Error::invalid_argument(path, "expected an HFile, found neither its first block nor its trailer");
  }
  return hfile::OpenFile::open(path, options);
}

std::optional<TimeSpan> times_of(const hfile::OpenFile& file) {
  const auto value = file.info().find("TIMERANGE");
  if (!value || value->size() != 16) {
    return std::nullopt;
  }
  const auto* const at = reinterpret_cast<const std::byte*>(value->data());
  return TimeSpan{static_cast<std::int64_t>(load_big64(at)), static_cast<std::int64_t>(load_big64(at + 8))};
}

HFileOptions ChunkKeeper::options() {
  return {.between = [](hfile::BlockSource& disk) { return std::make_unique<ChunkKeeper>(disk); }};
}

Result<hfile::BlockPointer> ChunkKeeper::fetch(const hfile::BlockAddress& address) {
  if (address.kind != hfile::BlockKind::kBloomChunk) {
    return disk_.read(address);
  }
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
