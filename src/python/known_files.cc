#include "python/known_files.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace bloomery::python {

bool KnownFiles::Known::is_same(const Known& other) const {
  const bool is_same_content =
      is_native || (facts.is_same_file(other.facts) && facts.size_bytes == other.facts.size_bytes &&
                    facts.modified_ns == other.facts.modified_ns);
  return is_native == other.is_native && is_same_content && beginning == other.beginning;
}

std::optional<KnownFiles::Known> KnownFiles::look_at(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> name(::realpath(path.c_str(), nullptr), std::free);
  if (!name) {
    return std::nullopt;
  }
  FileSystem& files = FileSystem::real();
  Result<File> file = files.open(name.get(), OpenFor::kReading);
  if (!file) {
    return std::nullopt;
  }
  const Result<FileFacts> facts = files.facts(*file);
  Known known;
  known.name = name.get();
  if (!facts || !files.read_at(*file, 0, known.beginning)) {
    return std::nullopt;
  }
  known.facts = *facts;
  known.is_native = std::memcmp(known.beginning.data(), kNativeMagic.data(), kNativeMagic.size()) == 0;
  return known;
}

void KnownFiles::keep(const Known& known) {
  std::erase_if(known_, [&](const Known& old) { return old.name == known.name; });
  known_.push_back(known);
}

void KnownFiles::note(const std::string& path) {
  if (const std::optional<Known> found = look_at(path)) {
    keep(*found);
  }
}

void KnownFiles::note_saved(const std::string& path, std::uint64_t inserted) {
  std::optional<Known> found = look_at(path);
  if (!found) {
    return;
  }
  std::uint64_t recorded = 0;
  std::memcpy(&recorded, found->beginning.data() + native_header::kInsertedAt, sizeof(recorded));
  if (recorded != inserted) {
    found->beginning = {};  // of no file
  }
  keep(*found);
}

bool KnownFiles::has_changed(const std::string& path) const {
  const std::optional<Known> found = look_at(path);
  if (!found) {
    return false;
  }
  bool is_known = false;
  for (const Known& known : known_) {
    const bool is_meant = known.name == found->name || known.facts.is_same_file(found->facts);
    if (is_meant && known.is_same(*found)) {
      return false;
    }
    is_known = is_known || is_meant;
  }
  return is_known;
}

std::optional<std::string> KnownFiles::changed() const {
  const auto changed =
      std::ranges::find_if(known_, [this](const Known& known) { return has_changed(known.name); });
  return changed == known_.end() ? std::nullopt : std::optional(changed->name);
}

}  // namespace bloomery::python
