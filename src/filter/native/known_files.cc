#include "filter/native/known_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace bloomery {
namespace {

// The limit of known files of a filter: the first one and the most recent others.
constexpr std::size_t kMostKnown = 64;

// Returns the name with symbolic links resolved, or unchanged if no file has it.
std::string real_name(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> name(::realpath(path.c_str(), nullptr), std::free);
  return name ? std::string(name.get()) : path;
}

// Returns the present state of an open file.
Result<KnownFile> look_at(FileSystem& files, const std::string& path, const File& file) {
  KnownFile known{.name = real_name(path), .facts = {}, .beginning = {}};
  BLOOMERY_ASSIGN_OR_RETURN(known.facts, files.facts(file));
  for (std::size_t done = 0; done < known.beginning.size();) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count,
                              files.read_at(file, done, std::span(known.beginning).subspan(done)));
    if (count == 0) {
      break;
    }
    done += count;
  }
  known.is_native = std::memcmp(known.beginning.data(), kNativeMagic.data(), kNativeMagic.size()) == 0;
  return known;
}

}  // namespace

std::optional<KnownFile> KnownFile::now(FileSystem& files, const std::string& path) {
  const Result<File> file = files.open(path, OpenFor::kReading);
  if (!file) {
    return std::nullopt;
  }
  Result<KnownFile> found = look_at(files, path, *file);
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

KnownFile KnownFile::native(const std::string& path, const FileFacts& facts,
                            std::span<const std::byte, kNativeHeaderBytes> header) {
  KnownFile known{.name = real_name(path), .facts = facts, .beginning = {}, .is_native = true};
  std::ranges::copy(header, known.beginning.begin());
  return known;
}

bool KnownFile::has_content_of(const KnownFile& other) const {
  const bool may_differ_elsewhere = !is_native;
  const bool is_untouched = facts.is_same_file(other.facts) && facts.size_bytes == other.facts.size_bytes &&
                            facts.modified_ns == other.facts.modified_ns;
  return is_native == other.is_native && beginning == other.beginning &&
         (!may_differ_elsewhere || is_untouched);
}

void KnownFiles::note(KnownFile file) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const KnownFile& old) { return old.name == file.name; });
  if (known_.size() == kMostKnown) {
    known_.erase(known_.begin() + 1);
  }
  known_.push_back(std::move(file));
}

void KnownFiles::add(const KnownFiles& other) {
  std::vector<KnownFile> more;
  {
    const std::lock_guard lock(other.mutex_);
    more = other.known_;
  }
  for (KnownFile& file : more) {
    note(std::move(file));
  }
}

KnownFiles::Standing KnownFiles::standing(const KnownFile& found) const {
  const std::lock_guard lock(mutex_);
  bool is_known = false;
  for (const KnownFile& known : known_) {
    const bool was_seen = known.facts.inode != 0;
    const bool is_meant = known.name == found.name || (was_seen && known.facts.is_same_file(found.facts));
    if (is_meant && known.has_content_of(found)) {
      return Standing::kSame;
    }
    is_known = is_known || is_meant;
  }
  return is_known ? Standing::kChanged : Standing::kUnknown;
}

Status KnownFiles::check(FileSystem& files, const std::string& path, const File& old) const {
  {
    const std::lock_guard lock(mutex_);
    if (known_.empty()) {
      return {};
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const KnownFile found, look_at(files, path, old));
  if (standing(found) == Standing::kChanged) {
    return Error(ErrorCode::kIo, "", "changed since this filter read or saved it: open it again")
        .with_errno(ESTALE);
  }
  return {};
}

std::optional<std::string> KnownFiles::changed(FileSystem& files) const {
  std::vector<KnownFile> all;
  {
    const std::lock_guard lock(mutex_);
    all = known_;
  }
  const auto changed = std::ranges::find_if(all, [&](const KnownFile& known) {
    const std::optional<KnownFile> found = KnownFile::now(files, known.name);
    return found && standing(*found) == Standing::kChanged;
  });
  return changed == all.end() ? std::nullopt : std::optional(changed->name);
}

}  // namespace bloomery
