#include "hfile/recognition.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "hfile/block_header.h"
#include "hfile/trailer.h"

namespace bloomery::hfile {
namespace {

constexpr std::size_t kTrailerSizes[] = {4096, 212};

// `tail` holds the file's last 4096 bytes and `begin` its first 33, or the entire file if that is shorter.
bool is_hfile(std::span<const std::byte> begin, std::span<const std::byte> tail) {
  const auto begins_trailer = [&](std::size_t size) {
    return tail.size() >= size &&
           std::memcmp(tail.last(size).data(), kTrailerMagic.data(), kTrailerMagic.size()) == 0;
  };
  if (std::ranges::any_of(kTrailerSizes, begins_trailer)) {
    return true;
  }
  // A truncated file, or one with a damaged trailer, still begins with a block.
  return begin.size() == kBlockHeaderBytes &&
         parse_block_header(begin.first<kBlockHeaderBytes>(), 0).has_value();
}

}  // namespace

bool looks_like_hfile(std::span<const std::byte> file) {
  return is_hfile(file.first(std::min<std::size_t>(file.size(), kBlockHeaderBytes)),
                  file.last(std::min(file.size(), kTrailerSizes[0])));
}

Result<bool> looks_like_hfile(const std::string& path, FileSystem& files) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  std::vector<std::byte> begin(std::min<std::uint64_t>(facts.size_bytes, kBlockHeaderBytes));
  std::vector<std::byte> tail(std::min<std::uint64_t>(facts.size_bytes, kTrailerSizes[0]));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, begin));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(facts.size_bytes - tail.size(), tail));
  return is_hfile(begin, tail);
}

Result<OpenFilePointer> open_hfile(const std::string& path, const Surroundings& surroundings,
                                   const FileMemory& memory) {
  return open_hfile(path, HFileOptions{.memory = memory}, surroundings);
}

Result<OpenFilePointer> open_hfile(const std::string& path, const HFileOptions& options,
                                   const Surroundings& surroundings) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_one,
                            looks_like_hfile(path, FileSystem::or_real(surroundings.files)));
  if (!is_one) {
    return Error::invalid_argument(path, "expected an HFile, found neither its first block nor its trailer");
  }
  return OpenFile::open(path, options, surroundings);
}

}  // namespace bloomery::hfile
