#include "tests/store/sim/disk.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include <sys/mman.h>

#include "base/message.h"

namespace bloomery::store::sim {
namespace {

constexpr std::uint32_t kNewFilePermissions = 0600;
constexpr std::uint32_t kNewDirectoryPermissions = 0755;
constexpr std::size_t kSector = SimulatedDisk::kSectorBytes;

// Returns the components of a path, without "." and "..".
std::vector<std::string> components_of(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& part : std::filesystem::path("/" + path).lexically_normal()) {
    if (const std::string name = part.string(); !name.empty() && name.find('/') == std::string::npos) {
      names.push_back(name);
    }
  }
  return names;
}

// Returns true if one path is below the other.
bool is_below(const std::string& path, const std::string& directory) {
  const std::vector<std::string> below = components_of(path);
  const std::vector<std::string> above = components_of(directory);
  return below.size() > above.size() && std::equal(above.begin(), above.end(), below.begin());
}

bool by_chance(std::mt19937_64& random) {
  return (random() >> 32 & 1) != 0;
}

// Keeps all, nothing, or a random share: the mixtures between are rare among independent coins.
bool chosen(std::mt19937_64& random, unsigned share) {
  return share == 0 ? false : share == 4 || random() % 4 < share;
}

}  // namespace

SimulatedDisk::SimulatedDisk() {
  root_ = new_inode(true, kNewDirectoryPermissions);  // uses the members after root_
}

// Durable and current names may form a cycle of pointers between directories.
SimulatedDisk::~SimulatedDisk() {
  for (const auto& weak : directories_) {
    if (const InodePointer directory = weak.lock()) {
      directory->names.clear();
      directory->durable_names.clear();
    }
  }
}

// Counts the call. Returns its error if it must fail.
std::optional<Error> SimulatedDisk::refuse(CallKind kind, const std::string& path, const char* operation) {
  if (watch_) {
    watch_();
  }
  ++calls_;
  const std::uint64_t of_kind = ++calls_of_kind_[static_cast<std::size_t>(kind)];
  is_short_ = false;
  if (stop_at_ != 0 && calls_ >= stop_at_) {
    has_failed_ = true;
    return Error::io(path, operation, EIO);
  }
  const std::uint64_t number = fault_.kind ? of_kind : calls_;
  if (fault_.call == 0 || (fault_.kind && fault_.kind != kind) || number < fault_.call ||
      (number > fault_.call && !fault_.forever)) {
    return std::nullopt;
  }
  has_failed_ = true;
  is_short_ = fault_.writes_short && number == fault_.call && kind == CallKind::kWrite;
  return is_short_ ? std::nullopt : std::optional(Error::io(path, operation, fault_.errno_value));
}

void SimulatedDisk::watch(std::function<void()> watch) {
  const std::lock_guard lock(mutex_);
  watch_ = std::move(watch);
}

// Copies an inode once, and all that its names lead to.
SimulatedDisk::InodePointer SimulatedDisk::copy_of(const InodePointer& inode,
                                                   std::map<const Inode*, InodePointer>& copies) {
  if (inode == nullptr) {
    return nullptr;
  }
  const auto [found, is_new] = copies.try_emplace(inode.get());
  if (!is_new) {
    return found->second;
  }
  const auto copy = std::make_shared<Inode>(*inode);
  found->second = copy;
  copy->lock = 0;
  copy->byte_locks.clear();
  for (Names* names : {&copy->names, &copy->durable_names}) {
    for (auto& [name, named] : *names) {
      named = copy_of(named, copies);
    }
  }
  return copy;
}

std::unique_ptr<SimulatedDisk> SimulatedDisk::clone() const {
  const std::lock_guard lock(mutex_);
  auto clone = std::make_unique<SimulatedDisk>();
  std::map<const Inode*, InodePointer> copies;
  clone->root_ = copy_of(root_, copies);
  for (const NameOperation& operation : pending_) {
    NameOperation& copy = clone->pending_.emplace_back(operation);
    for (NameChange& change : copy.changes) {
      change.directory = copy_of(change.directory, copies);
      change.inode = copy_of(change.inode, copies);
    }
  }
  for (const auto& [inode, copy] : copies) {
    if (copy->is_directory) {
      clone->directories_.push_back(copy);
    }
  }
  clone->next_inode_ = next_inode_;
  clone->next_descriptor_ = next_descriptor_;
  return clone;
}

// Finds a path's directory, which must exist, and its inode, which may be null.
Result<SimulatedDisk::Place> SimulatedDisk::find(const std::string& path, const char* operation) const {
  Place place{.directory = root_, .inode = root_};
  for (const std::string& name : components_of(path)) {
    if (place.inode == nullptr || !place.inode->is_directory) {
      return Error::io(path, operation, place.inode == nullptr ? ENOENT : ENOTDIR);
    }
    place.directory = place.inode;
    place.name = name;
    const auto found = place.directory->names.find(name);
    place.inode = found == place.directory->names.end() ? nullptr : found->second;
  }
  return place;
}

Result<SimulatedDisk::InodePointer> SimulatedDisk::find_file(const std::string& path) const {
  BLOOMERY_ASSIGN_OR_RETURN(Place place, find(path, "open"));
  if (place.inode == nullptr) {
    return Error::io(path, "open", ENOENT);
  }
  if (place.inode->is_directory) {
    return Error::invalid_argument(path, "expected a regular file, found a directory");
  }
  return std::move(place.inode);
}

Result<SimulatedDisk::Descriptor*> SimulatedDisk::opened(const File& file, const char* operation) {
  const auto found = descriptors_.find(file.descriptor());
  if (found == descriptors_.end()) {
    return Error::io(file.path(), operation, EBADF);
  }
  return &found->second;
}

SimulatedDisk::InodePointer SimulatedDisk::new_inode(bool is_directory, std::uint32_t permissions) {
  auto inode = std::make_shared<Inode>();
  inode->number = next_inode_++;
  inode->is_directory = is_directory;
  inode->permissions = permissions;
  if (is_directory) {
    std::erase_if(directories_, [](const auto& weak) { return weak.expired(); });
    directories_.push_back(inode);
  }
  return inode;
}

File SimulatedDisk::new_file(InodePointer inode, const std::string& path, bool is_writable) {
  descriptors_[next_descriptor_] = {.inode = std::move(inode), .is_writable = is_writable};
  return File(this, next_descriptor_++, path);
}

FileFacts SimulatedDisk::facts_of(const Inode& inode) const {
  return {.size_bytes = inode.bytes.size(),
          .is_regular = !inode.is_directory,
          .is_directory = inode.is_directory,
          .permissions = inode.permissions,
          .owner = inode.owner,
          .group = inode.group,
          .device = 1,
          .inode = inode.number,
          .modified_ns = inode.modified_ns};
}

Result<File> SimulatedDisk::open(const std::string& path, OpenFor purpose) {
  const std::lock_guard lock(mutex_);
  const bool creates = purpose == OpenFor::kCreatingExclusively;
  const char* const operation = creates ? "create" : "open";
  if (const auto error = refuse(creates ? CallKind::kMetadata : CallKind::kRead, path, operation)) {
    return *error;
  }
  if (!creates) {
    BLOOMERY_ASSIGN_OR_RETURN(InodePointer inode, find_file(path));
    return new_file(std::move(inode), path, purpose == OpenFor::kUpdating);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(path, operation));
  if (place.inode != nullptr) {
    return Error::io(path, operation, EEXIST);
  }
  InodePointer inode = new_inode(false, kNewFilePermissions);
  change_names({.changes = {{place.directory, place.name, inode}}});
  return new_file(std::move(inode), path, true);
}

Result<File> SimulatedDisk::open_nameless(const std::string& directory, const std::string& shown) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, shown, "create")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(directory, "create"));
  if (place.inode == nullptr || !place.inode->is_directory) {
    return Error::io(shown, "create", place.inode == nullptr ? ENOENT : ENOTDIR);
  }
  return new_file(new_inode(false, kNewFilePermissions), shown, true);
}

// Remembers the durable content of the sectors before they change.
void SimulatedDisk::write_bytes(Inode& inode, std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return;
  }
  const std::uint64_t end = offset + bytes.size();
  for (std::uint64_t sector = offset / kSector; sector <= (end - 1) / kSector; ++sector) {
    const auto [found, is_new] = inode.unsynced.try_emplace(sector);
    found->second.is_dirty = true;
    if (const std::uint64_t begin = sector * kSector; is_new && begin < inode.bytes.size()) {
      const std::size_t count = std::min<std::size_t>(kSector, inode.bytes.size() - begin);
      std::memcpy(found->second.durable.data(), inode.bytes.data() + begin, count);
    }
  }
  resize(inode, std::max<std::uint64_t>(inode.bytes.size(), end));
  std::memcpy(inode.bytes.data() + offset, bytes.data(), bytes.size());
  inode.modified_ns = static_cast<std::int64_t>(calls_);
}

void SimulatedDisk::resize(Inode& inode, std::uint64_t size) {
  inode.bytes.resize(static_cast<std::size_t>(size));
}

// Writes the bytes, or half of them if the call's fault says so.
Result<std::size_t> SimulatedDisk::write_short(Inode& inode, std::uint64_t offset,
                                               std::span<const std::byte> bytes) {
  const std::size_t count = is_short_ ? (bytes.size() + 1) / 2 : bytes.size();
  write_bytes(inode, offset, bytes.first(count));
  return count;
}

Result<std::size_t> SimulatedDisk::write(const File& file, std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kWrite, file.path(), "write")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(Descriptor* const descriptor, opened(file, "write"));
  if (!descriptor->is_writable) {
    return Error::io(file.path(), "write", EBADF);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count,
                            write_short(*descriptor->inode, descriptor->position, bytes));
  descriptor->position += count;
  return count;
}

Result<std::size_t> SimulatedDisk::write_at(const File& file, std::uint64_t offset,
                                            std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kWrite, file.path(), "write")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(Descriptor* const descriptor, opened(file, "write"));
  if (!descriptor->is_writable) {
    return Error::io(file.path(), "write", EBADF);
  }
  return write_short(*descriptor->inode, offset, bytes);
}

Result<std::size_t> SimulatedDisk::read_at(const File& file, std::uint64_t offset,
                                           std::span<std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kRead, file.path(), "read")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "read"));
  const std::vector<std::byte>& content = descriptor->inode->bytes;
  if (offset >= content.size() || bytes.empty()) {
    return std::size_t{0};
  }
  const std::size_t count = std::min<std::size_t>(bytes.size(), content.size() - offset);
  std::memcpy(bytes.data(), content.data() + offset, count);
  return count;
}

Status SimulatedDisk::sync(const File& file) {
  const std::lock_guard lock(mutex_);
  const auto error = refuse(CallKind::kSync, file.path(), "fsync");
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "fsync"));
  Inode& inode = *descriptor->inode;
  if (error && (stop_at_ == 0 || calls_ < stop_at_)) {
    for (auto& [number, sector] : inode.unsynced) {
      sector.is_dirty = false;
    }
  }
  if (error) {
    return *error;
  }
  std::erase_if(inode.unsynced, [](const auto& sector) { return sector.second.is_dirty; });
  inode.durable_size = inode.bytes.size();
  return {};
}

// A close that fails has closed, as in POSIX.
Status SimulatedDisk::close(int descriptor, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto error = refuse(CallKind::kMetadata, path, "close");
  const auto found = descriptors_.find(descriptor);
  if (found == descriptors_.end()) {
    return Error::io(path, "close", EBADF);
  }
  Inode& inode = *found->second.inode;
  if (inode.lock == descriptor) {
    inode.lock = 0;
  }
  std::erase_if(inode.byte_locks, [&](const ByteLock& held) { return held.descriptor == descriptor; });
  descriptors_.erase(found);
  return error ? Status(*error) : Status();
}

Result<FileFacts> SimulatedDisk::facts(const File& file) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kRead, file.path(), "fstat")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "fstat"));
  return facts_of(*descriptor->inode);
}

Result<FileFacts> SimulatedDisk::facts(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kRead, path, "stat")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(path, "stat"));
  return place.inode == nullptr ? Result<FileFacts>(Error::io(path, "stat", ENOENT)) : facts_of(*place.inode);
}

Status SimulatedDisk::set_permissions(const File& file, std::uint32_t permissions) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, file.path(), "fchmod")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "fchmod"));
  descriptor->inode->permissions = permissions & 0777U;
  return {};
}

Status SimulatedDisk::set_owner(const File& file, std::uint32_t owner, std::uint32_t group) {
  constexpr auto kAsItIs = std::numeric_limits<std::uint32_t>::max();
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, file.path(), "fchown")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "fchown"));
  Inode& inode = *descriptor->inode;
  inode.owner = owner == kAsItIs ? inode.owner : owner;
  inode.group = group == kAsItIs ? inode.group : group;
  return {};
}

// Errors: those of rename(2) for a target that exists.
Status SimulatedDisk::check_replaced(const Place& source, const Place& target, const std::string& to) const {
  if (target.inode == nullptr || target.inode == source.inode) {
    return {};
  }
  if (source.inode->is_directory != target.inode->is_directory) {
    return Error::io(to, "rename", source.inode->is_directory ? ENOTDIR : EISDIR);
  }
  return target.inode->names.empty() ? Status() : Error::io(to, "rename", ENOTEMPTY);
}

Status SimulatedDisk::move(const std::string& from, const std::string& to, bool may_replace) {
  BLOOMERY_ASSIGN_OR_RETURN(const Place source, find(from, "rename"));
  BLOOMERY_ASSIGN_OR_RETURN(const Place target, find(to, "rename"));
  if (source.inode == nullptr) {
    return Error::io(to, "rename", ENOENT);
  }
  if (source.name.empty() || target.name.empty()) {
    return Error::io(to, "rename", EBUSY);
  }
  if (target.inode != nullptr && !may_replace) {
    return Error::io(to, "rename", EEXIST);
  }
  if (is_below(to, from)) {
    return Error::io(to, "rename", may_replace ? EINVAL : EPERM);  // rename_to_new() then tries link()
  }
  if (is_below(from, to)) {
    return Error::io(to, "rename", ENOTEMPTY);
  }
  BLOOMERY_RETURN_IF_ERROR(check_replaced(source, target, to));
  if (source.inode != target.inode) {  // rename(2) does nothing if both name one file
    change_names(
        {.changes = {{source.directory, source.name, nullptr}, {target.directory, target.name, source.inode}},
         .moves = source.directory != target.directory});
  }
  return {};
}

Status SimulatedDisk::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto error = refuse(CallKind::kMetadata, to, "rename");
  return error ? Status(*error) : move(from, to, true);
}

Status SimulatedDisk::rename_to_new(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto error = refuse(CallKind::kMetadata, to, "rename");
  return error ? Status(*error) : move(from, to, false);
}

Status SimulatedDisk::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, path, "unlink")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(path, "unlink"));
  if (place.inode == nullptr || place.inode->is_directory) {
    return Error::io(path, "unlink", place.inode == nullptr ? ENOENT : EISDIR);
  }
  change_names({.changes = {{place.directory, place.name, nullptr}}});
  return {};
}

Status SimulatedDisk::link(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, to, "link")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place source, find(from, "link"));
  if (source.inode == nullptr) {
    return Error::io(to, "link", ENOENT);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place target, find(to, "link"));
  if (target.inode != nullptr || source.inode->is_directory) {
    return Error::io(to, "link", target.inode != nullptr ? EEXIST : EPERM);
  }
  change_names({.changes = {{target.directory, target.name, source.inode}}});
  return {};
}

Result<std::vector<DirectoryEntry>> SimulatedDisk::list(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kRead, path, "read directory")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(path, "read directory"));
  if (place.inode == nullptr || !place.inode->is_directory) {
    return Error::io(path, "read directory", place.inode == nullptr ? ENOENT : ENOTDIR);
  }
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, inode] : place.inode->names) {
    entries.push_back({.name = name, .is_directory = inode->is_directory, .size = inode->bytes.size()});
  }
  return entries;
}

Status SimulatedDisk::make_directory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, path, "mkdir")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(path, "mkdir"));
  if (place.inode != nullptr) {
    return Error::io(path, "mkdir", EEXIST);
  }
  change_names({.changes = {{place.directory, place.name, new_inode(true, kNewDirectoryPermissions)}}});
  return {};
}

Status SimulatedDisk::remove_directory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, path, "rmdir")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(path, "rmdir"));
  const int errno_value = place.inode == nullptr        ? ENOENT
                          : !place.inode->is_directory  ? ENOTDIR
                          : place.name.empty()          ? EBUSY
                          : !place.inode->names.empty() ? ENOTEMPTY
                                                        : 0;
  if (errno_value != 0) {
    return Error::io(path, "rmdir", errno_value);
  }
  change_names({.changes = {{place.directory, place.name, nullptr}}});
  return {};
}

void SimulatedDisk::change_names(NameOperation operation) {
  for (const NameChange& change : operation.changes) {
    if (change.inode == nullptr) {
      change.directory->names.erase(change.name);
    } else {
      change.directory->names[change.name] = change.inode;
    }
  }
  pending_.push_back(std::move(operation));
}

// Returns the operations, by their numbers, and the earlier ones that must be durable before them.
std::set<std::size_t> SimulatedDisk::with_earlier(const std::set<std::size_t>& chosen) const {
  std::set<std::pair<const Inode*, std::string>> names;  // that a later operation needs settled
  std::set<const Inode*> placed;                         // directories that need their own name
  std::set<std::size_t> all;
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const NameOperation& operation = pending_[i];
    const bool is_needed = std::ranges::any_of(operation.changes, [&](const NameChange& change) {
      return names.contains({change.directory.get(), change.name}) || placed.contains(change.inode.get());
    });
    if (!is_needed && !chosen.contains(i)) {
      continue;
    }
    all.insert(i);
    for (const NameChange& change : operation.changes) {
      names.emplace(change.directory.get(), change.name);
      if (change.inode != nullptr && (operation.moves || placed.contains(change.inode.get()))) {
        placed.insert(change.directory.get());
      }
    }
  }
  return all;
}

void SimulatedDisk::make_durable(const std::set<std::size_t>& chosen) {
  const std::set<std::size_t> all = with_earlier(chosen);
  std::vector<NameOperation> left;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (!all.contains(i)) {
      left.push_back(std::move(pending_[i]));
      continue;
    }
    for (const NameChange& change : pending_[i].changes) {
      if (change.inode == nullptr) {
        change.directory->durable_names.erase(change.name);
      } else {
        change.directory->durable_names[change.name] = change.inode;
      }
    }
  }
  pending_ = std::move(left);
}

Status SimulatedDisk::sync_directory_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kSync, path, "fsync its directory")) {
    return *error;
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, find(folder, "open its directory"));
  if (place.inode == nullptr || !place.inode->is_directory) {
    return Error::io(path, "open its directory", place.inode == nullptr ? ENOENT : ENOTDIR);
  }
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (std::ranges::find(pending_[i].changes, place.inode, &NameChange::directory) !=
        pending_[i].changes.end()) {
      chosen.insert(i);
    }
  }
  make_durable(chosen);
  return {};
}

Result<MappedFile> SimulatedDisk::map(const File& file, std::size_t size_bytes, MapAccess) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kRead, file.path(), "mmap")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "mmap"));
  if (size_bytes == 0) {
    return MappedFile();
  }
  void* const data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return Error::io(file.path(), "mmap", errno);
  }
  const std::vector<std::byte>& bytes = descriptor->inode->bytes;
  std::memcpy(data, bytes.data(), std::min(size_bytes, bytes.size()));
  return MappedFile(static_cast<std::byte*>(data), size_bytes, MapWatch());
}

Status SimulatedDisk::sync_mapping(const File& file, const MappedFile& mapping) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kSync, file.path(), "msync")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "msync"));
  Inode& inode = *descriptor->inode;
  const auto bytes = mapping.bytes().first(std::min(mapping.bytes().size(), inode.bytes.size()));
  write_bytes(inode, 0, bytes);
  std::erase_if(inode.unsynced, [&](const auto& sector) { return sector.first * kSector < bytes.size(); });
  return {};
}

Status SimulatedDisk::lock_exclusively(const File& file) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, file.path(), "lock")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "lock"));
  Inode& inode = *descriptor->inode;
  if (inode.lock != 0 && inode.lock != file.descriptor()) {
    return Error::in_use(file.path());
  }
  inode.lock = file.descriptor();
  return {};
}

// Returns true if another descriptor has locked some of the bytes.
bool SimulatedDisk::is_locked(const Inode& inode, const ByteLock& wanted) {
  return std::ranges::any_of(inode.byte_locks, [&](const ByteLock& held) {
    return held.descriptor != wanted.descriptor && held.begin < wanted.end && wanted.begin < held.end;
  });
}

Status SimulatedDisk::lock_bytes(const File& file, std::uint64_t offset, std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, file.path(), "lock")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "lock"));
  if (!descriptor->is_writable) {
    return Error::io(file.path(), "lock", EBADF);
  }
  const ByteLock wanted{file.descriptor(), offset, offset + size_bytes};
  if (is_locked(*descriptor->inode, wanted)) {
    return Error::in_use(file.path());
  }
  descriptor->inode->byte_locks.push_back(wanted);
  return {};
}

Result<bool> SimulatedDisk::bytes_are_locked(const File& file, std::uint64_t offset,
                                             std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kMetadata, file.path(), "lock")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "lock"));
  return is_locked(*descriptor->inode, {file.descriptor(), offset, offset + size_bytes});
}

Status SimulatedDisk::reserve(const File& file, std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto error = refuse(CallKind::kWrite, file.path(), "fallocate")) {
    return *error;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Descriptor* const descriptor, opened(file, "fallocate"));
  Inode& inode = *descriptor->inode;
  resize(inode, std::max<std::uint64_t>(inode.bytes.size(), size_bytes));
  return {};
}

// Decides which operations on names survive.
void SimulatedDisk::lose_names(std::mt19937_64& random, CrashMode mode) {
  std::set<std::size_t> kept;
  const auto share = static_cast<unsigned>(random() % 5);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (mode == CrashMode::kKeepAll || (mode == CrashMode::kRandom && chosen(random, share))) {
      kept.insert(i);
    }
  }
  make_durable(kept);
  pending_.clear();
}

// Decides which sectors of a file survive, and how long it is.
void SimulatedDisk::lose_bytes(Inode& inode, std::mt19937_64& random, CrashMode mode) const {
  const auto share = static_cast<unsigned>(random() % 5);
  for (const auto& [number, sector] : inode.unsynced) {
    const bool is_kept =
        mode == CrashMode::kKeepAll ? sector.is_dirty : mode == CrashMode::kRandom && chosen(random, share);
    if (const std::uint64_t begin = number * kSector; !is_kept && begin < inode.bytes.size()) {
      const std::size_t count = std::min<std::size_t>(kSector, inode.bytes.size() - begin);
      std::memcpy(inode.bytes.data() + begin, sector.durable.data(), count);
    }
  }
  inode.unsynced.clear();
  const std::uint64_t grown = inode.bytes.size() - inode.durable_size;
  if (mode == CrashMode::kDropAll) {
    resize(inode, inode.durable_size);
  } else if (mode == CrashMode::kRandom && grown > 0 && by_chance(random)) {
    resize(inode, inode.durable_size + (by_chance(random) ? 0 : random() % grown));
  }
  inode.durable_size = inode.bytes.size();
}

// Makes the durable names the current ones, and collects the files by number.
void SimulatedDisk::settle_tree(const InodePointer& directory,
                                std::map<std::uint64_t, InodePointer>& files) const {
  directory->names = directory->durable_names;
  for (const auto& [name, inode] : directory->names) {
    if (inode->is_directory) {
      settle_tree(inode, files);
    } else {
      files[inode->number] = inode;
    }
  }
}

void SimulatedDisk::crash(std::uint64_t seed, CrashMode mode) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, descriptor] : descriptors_) {
    descriptor.inode->lock = 0;
    descriptor.inode->byte_locks.clear();
  }
  descriptors_.clear();
  stop_at_ = 0;
  has_failed_ = false;
  if (mode == CrashMode::kProcessOnly) {
    return;
  }
  std::mt19937_64 random(seed);
  lose_names(random, mode);
  std::map<std::uint64_t, InodePointer> files;
  settle_tree(root_, files);
  for (const auto& [number, inode] : files) {
    lose_bytes(*inode, random, mode);
  }
}

std::uint64_t SimulatedDisk::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::uint64_t SimulatedDisk::calls(CallKind kind) const {
  const std::lock_guard lock(mutex_);
  return calls_of_kind_[static_cast<std::size_t>(kind)];
}

void SimulatedDisk::fail(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  has_failed_ = false;
}

void SimulatedDisk::stop_at(std::uint64_t call) {
  const std::lock_guard lock(mutex_);
  stop_at_ = call;
  has_failed_ = false;
}

bool SimulatedDisk::has_failed() const {
  const std::lock_guard lock(mutex_);
  return has_failed_;
}

void SimulatedDisk::list_files(const Inode& directory, const std::string& path,
                               std::vector<std::string>& files) const {
  for (const auto& [name, inode] : directory.names) {
    const std::string below = message(path, "/", name);
    if (inode->is_directory) {
      list_files(*inode, below, files);
    } else {
      files.push_back(below);
    }
  }
}

std::vector<std::string> SimulatedDisk::all_files() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> files;
  list_files(*root_, "", files);
  std::ranges::sort(files);
  return files;
}

Result<std::string> SimulatedDisk::read_all(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  BLOOMERY_ASSIGN_OR_RETURN(const InodePointer inode, find_file(path));
  return std::string(reinterpret_cast<const char*>(inode->bytes.data()), inode->bytes.size());
}

Status SimulatedDisk::overwrite(const std::string& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  BLOOMERY_ASSIGN_OR_RETURN(const InodePointer inode, find_file(path));
  const auto content = std::as_bytes(std::span(bytes));
  inode->bytes.assign(content.begin(), content.end());
  inode->unsynced.clear();
  inode->durable_size = inode->bytes.size();
  return {};
}

Status SimulatedDisk::flip_bit(const std::string& path, std::uint64_t bit) {
  BLOOMERY_ASSIGN_OR_RETURN(std::string bytes, read_all(path));
  char& flipped = bytes.at(static_cast<std::size_t>(bit / 8));
  flipped = static_cast<char>(flipped ^ 1 << (bit % 8));
  return overwrite(path, bytes);
}

Status SimulatedDisk::cut(const std::string& path, std::uint64_t size_bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes, read_all(path));
  return overwrite(path, std::string_view(bytes).substr(0, static_cast<std::size_t>(size_bytes)));
}

}  // namespace bloomery::store::sim
