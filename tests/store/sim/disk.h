// A disk in memory that a test owns: it loses power, refuses calls, and counts them.
//
// What is durable:
//
//   bytes of a file     each sector of 512 bytes, and the size, after sync() of the file
//   names               create, rename, link, remove and directories, after sync_directory_of() a name in each
//                       directory that the operation changes. A rename is atomic: syncing one of its two
//                       directories is enough. Syncing a new file does not make its name durable
//
// An operation on a name becomes durable after the earlier ones on that name. A rename into another directory
// becomes durable after that directory's own name, so that a file is never lost between two directories. All
// others may become durable in any order.
//
// A sync that fails writes nothing. Its sectors then count as written, as Linux counts them: reads return
// them, a later sync succeeds without writing them, and a crash loses them unless they were written anew. A
// failed sync of a directory changes nothing.
//
// Determinism: the same calls and seeds leave the same disk. Random names do not influence it.
//
// Paths are absolute; there are no symbolic links. A mapping is a copy: its changes reach the file by
// sync_mapping(). Files keep a pointer to their disk, which must outlive them. Thread-safe.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "tests/store/sim/allocation_fault.h"

namespace bloomery::store::sim {

enum class CrashMode {
  kDropAll,      // only what is durable stays
  kKeepAll,      // all stays, but for sectors of a failed sync
  kRandom,       // each sector, size and operation on names stays or is lost by chance
  kProcessOnly,  // the process died and the machine did not: all stays, and what was not durable still is not
};

enum class CallKind {
  kRead,      // bytes and facts; opening a file that exists
  kWrite,     // write, write_at, reserve
  kSync,      // sync, sync_directory_of, sync_mapping
  kMetadata,  // names, permissions, locks, close; creating a file
};

struct Fault {
  std::uint64_t call = 0;  // the number of the call that fails, from 1 on; 0: none
  int errno_value = EIO;
  bool forever = false;               // also every later one of the kind
  std::optional<CallKind> kind = {};  // counts and fails only calls of this kind
  bool writes_short = false;          // the call writes half of its bytes; later ones fail if forever
};

class SimulatedDisk final : public FileSystem {
 public:
  static constexpr std::size_t kSectorBytes = 512;

  SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;
  ~SimulatedDisk() override;

  // Turns the disk into what a power loss leaves. Open files become invalid: all their calls fail with kIo.
  // Their locks end. Ends stop_at(), but not fail().
  void crash(std::uint64_t seed, CrashMode mode);

  // Returns another disk of the same state, also of what is not durable, on which no file is open.
  std::unique_ptr<SimulatedDisk> clone() const;
  // Has `watch` called before each call; it may clone the disk.
  void watch(std::function<void()> watch);

  // Counts all calls of the disk's life, also failed ones.
  std::uint64_t calls() const;
  std::uint64_t calls(CallKind kind) const;
  // Replaces the fault; fail({}) ends it.
  void fail(const Fault& fault);
  // From the n-th call on every call fails, until crash(). 0: none.
  void stop_at(std::uint64_t call);
  // Returns true if the fault or the stop has failed a call.
  bool has_failed() const;

  // Direct access, which counts no call: for damage. What these change is durable at once.
  std::vector<std::string> all_files() const;  // the paths, sorted
  Result<std::string> read_all(const std::string& path) const;
  Status overwrite(const std::string& path, std::string_view bytes);  // creates no file
  Status flip_bit(const std::string& path, std::uint64_t bit);
  Status cut(const std::string& path, std::uint64_t size_bytes);

  Result<File> open(const std::string& path, OpenFor purpose) override;
  Result<File> open_nameless(const std::string& directory, const std::string& shown) override;
  Result<std::size_t> write(const File& file, std::span<const std::byte> bytes) override;
  Result<std::size_t> write_at(const File& file, std::uint64_t offset,
                               std::span<const std::byte> bytes) override;
  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override;
  Status sync(const File& file) override;
  Status close(int descriptor, const std::string& path) override;
  Result<FileFacts> facts(const File& file) override;
  Result<FileFacts> facts(const std::string& path) override;
  Status set_permissions(const File& file, std::uint32_t permissions) override;
  Status set_owner(const File& file, std::uint32_t owner, std::uint32_t group) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status rename_to_new(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status link(const std::string& from, const std::string& to) override;
  Result<std::vector<DirectoryEntry>> list(const std::string& path) override;
  Status make_directory(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  Status sync_directory_of(const std::string& path) override;
  Result<MappedFile> map(const File& file, std::size_t size_bytes, MapAccess access) override;
  Status sync_mapping(const File& file, const MappedFile& mapping) override;
  Status lock_exclusively(const File& file) override;
  Status lock_bytes(const File& file, std::uint64_t offset, std::uint64_t size_bytes) override;
  Result<bool> bytes_are_locked(const File& file, std::uint64_t offset, std::uint64_t size_bytes) override;
  Status reserve(const File& file, std::uint64_t size_bytes) override;

 private:
  // A sector that was written since it was durable.
  struct Sector {
    std::array<std::byte, kSectorBytes> durable = {};
    bool is_dirty = true;  // false after a failed sync: no sync writes it
  };
  struct ByteLock {
    int descriptor = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct Inode;
  using InodePointer = std::shared_ptr<Inode>;
  using Names = std::map<std::string, InodePointer, std::less<>>;
  struct Inode {
    std::uint64_t number = 0;
    bool is_directory = false;
    std::uint32_t permissions = 0;
    std::uint32_t owner = 0;
    std::uint32_t group = 0;
    std::int64_t modified_ns = 0;
    std::vector<std::byte> bytes = {};
    std::uint64_t durable_size = 0;
    std::map<std::uint64_t, Sector> unsynced = {};  // by number
    int lock = 0;                                   // the descriptor that holds it, or 0
    std::vector<ByteLock> byte_locks = {};
    Names names = {};  // of a directory
    Names durable_names = {};
  };
  struct Descriptor {
    InodePointer inode = {};
    std::uint64_t position = 0;
    bool is_writable = false;
  };
  // Sets a name of a directory, or removes it if `inode` is null.
  struct NameChange {
    InodePointer directory = {};
    std::string name = {};
    InodePointer inode = {};
  };
  // One operation on names: atomic.
  struct NameOperation {
    std::vector<NameChange> changes = {};
    bool moves = false;  // from one directory to another
  };
  struct Place {
    InodePointer directory = {};
    std::string name = {};  // empty for the root itself
    InodePointer inode = {};
  };

  std::optional<Error> refuse(CallKind kind, const std::string& path, const char* operation);
  bool writes_short() const;
  Result<Place> find(const std::string& path, const char* operation) const;
  Result<InodePointer> find_file(const std::string& path) const;
  Result<Descriptor*> opened(const File& file, const char* operation);
  InodePointer new_inode(bool is_directory, std::uint32_t permissions);
  File new_file(InodePointer inode, const std::string& path, bool is_writable);
  FileFacts facts_of(const Inode& inode) const;
  void write_bytes(Inode& inode, std::uint64_t offset, std::span<const std::byte> bytes);
  static bool is_locked(const Inode& inode, const ByteLock& wanted);
  static void resize(Inode& inode, std::uint64_t size);
  Result<std::size_t> write_short(Inode& inode, std::uint64_t offset, std::span<const std::byte> bytes);
  Status move(const std::string& from, const std::string& to, bool may_replace);
  Status check_replaced(const Place& source, const Place& target, const std::string& to) const;

  void change_names(NameOperation operation);
  std::set<std::size_t> with_earlier(const std::set<std::size_t>& chosen) const;
  void make_durable(const std::set<std::size_t>& chosen);
  void lose_names(std::mt19937_64& random, CrashMode mode);
  void lose_bytes(Inode& inode, std::mt19937_64& random, CrashMode mode) const;
  void settle_tree(const InodePointer& directory, std::map<std::uint64_t, InodePointer>& files) const;
  static InodePointer copy_of(const InodePointer& inode, std::map<const Inode*, InodePointer>& copies);
  void list_files(const Inode& directory, const std::string& path, std::vector<std::string>& files) const;

  mutable MachineMutex mutex_;  // guards all; the watch may use the disk
  InodePointer root_;
  std::vector<std::weak_ptr<Inode>> directories_;  // of all times
  std::vector<NameOperation> pending_;             // not durable, from the oldest on
  std::map<int, Descriptor> descriptors_;
  std::uint64_t next_inode_ = 1;
  int next_descriptor_ = 1 << 20;  // none of the machine's; never used again
  std::uint64_t calls_ = 0;
  std::array<std::uint64_t, 4> calls_of_kind_ = {};
  Fault fault_;
  std::uint64_t stop_at_ = 0;
  bool is_short_ = false;  // the current call is to write short
  bool has_failed_ = false;
  std::function<void()> watch_;
};

}  // namespace bloomery::store::sim
