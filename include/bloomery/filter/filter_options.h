// The options with which filters of every type are made, opened and saved.
//
// Example:
//    auto dense = BlockedBloomFilter::for_capacity(1'000'000, 0.01, {.setting = BlockedSetting::kDense});
//    auto copy = BlockedBloomFilter::open("keys.filter", {.access = Access::kCopy});
//
// One struct of options serves all types, so that a program can change the type and keep the call. Three
// options make another filter: setting, growth_doublings and window. A type that does not have one of them
// refuses it by name. The options clock and threads have no effect on a type that asks no clock or builds
// with one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"

namespace bloomery {

// These numbers are in files since format version 1; never renumber them.
enum class FilterType : std::uint16_t {
  kBloom = 1,
  kBlocked = 2,
  kRibbon = 3,
  kCounting = 4,
  kQuotient = 5,
  kScalable = 6,
  kWindowed = 7,
  kExact = 8,
};

// Returns the name that `-t` takes and `inspect` shows: "bloom", "blocked", "ribbon", "counting", "quotient",
// "scalable", "windowed" or "exact". Returns "unknown" for any other number.
const char* filter_type_name(FilterType type);
// Returns the type of a number in a file, or nothing if the number is unknown.
std::optional<FilterType> filter_type_of(std::uint16_t number);

// The places where the windows of a blocked filter may begin. The number is a stride in bytes; it is in files
// since format version 1.
enum class BlockedSetting : std::uint16_t {
  kFast = 64,  // at a multiple of a cache line
  kDense = 8,  // at any word
};

// Returns "fast" or "dense", or "unknown" for any other number.
const char* blocked_setting_name(BlockedSetting setting);
// Returns the type's name. For a blocked filter the setting is included: "blocked:fast" or "blocked:dense".
std::string filter_type_name(FilterType type, BlockedSetting setting);

// The options of a new filter. Two filters can merge only if everything that decides how a key becomes bits
// is equal.
struct FilterOptions {
  HashSpec hash = {};
  // How tools that read text make keys of it. The file records this. NativeFilter::key_of() applies it to
  // text; typed keys of the library are not changed by it.
  KeyTreatment keys = {};
  // For blocked, scalable and windowed filters.
  BlockedSetting setting = BlockedSetting::kFast;
  // For quotient filters: how often the capacity may double before the fpp rises above its target. Each
  // doubling takes one more bit per key.
  std::uint32_t growth_doublings = 0;
  // For windowed filters, which need one.
  Window window = {};
  // For windowed filters by age: the clock that they read, which is copied. Null means read_machine_clock().
  const WindowClock* clock = nullptr;
  // For ribbons: the number of threads that build. 0 means as many as the machine runs at once. Other types
  // are built by one thread.
  unsigned threads = 0;
};

// Errors: kInvalidArgument, naming the option, if setting, growth_doublings or window is given and a filter
// of this type does not have it. kInvalidArgument for keys of 0 parts.
Status check_options(FilterType type, const FilterOptions& options);

enum class Access {
  // Maps the file's bytes without a copy; opening takes the time of the checksum. Pages that are written to
  // become the filter's own (copy on write), and the file does not change. The machine may lack memory for
  // these pages without an error. Another process may update the file in place beside const calls, which answer
  // maybe to every key that stays in. To change, save or merge the filter, the file must be left alone.
  kMap,
  // Copies the file to memory, to huge pages above a few MiB; the file is not touched again. But a windowed
  // filter that another process is updating is mapped.
  kCopy,
  kUpdateInPlace,  // maps the file so that it changes, and locks it; see NativeFilter::finish_update()
  kMapLocked,      // as kMap, and locks the file while the filter lives, so that it can be saved over it
  kCopyLocked,     // as kCopy, and locks the file likewise
};

// What an open with Access::kMap or kCopy does while another process updates the file in place.
enum class WhileUpdated {
  // Opens the file, so that the filter can be asked; see NativeFilter::opened_during_update(). The payload is
  // not verified. The other process did that before it began.
  kServe,
  kRefuse,  // is an error, kIo with EWOULDBLOCK
};

enum class Verify {
  kChecksums,   // verifies every byte, in one pass
  kHeaderOnly,  // trusts the payload; a damaged one may then give any answer
};

// How the program makes the keys of a filter that it opens, if the file says that they were not plain text or
// bytes (`bloomery build --key-form hex`, `-i`, `--trim`, `-k 1,2`). See NativeFilter::key_of().
enum class RecordedKeys {
  kRefuse,  // does not open such a filter, since a query for plain text would be a wrong no
  kKnown,   // the program queries by key_of(), or for the very bytes that were hashed
};

struct OpenOptions {
  Access access = Access::kMap;
  Verify verify = Verify::kChecksums;
  RecordedKeys recorded_keys = RecordedKeys::kRefuse;
  WhileUpdated while_updated = WhileUpdated::kServe;
  // Few pages of the file are in memory, because it is new to the machine or larger than its memory. Batches then ask for
  // the pages of all their keys before they answer the first, so that the disk brings many at a time. Ribbons only; other
  // filters ignore it. A batch whose pages are in memory takes about two microseconds a key longer.
  bool is_cold = false;
  // Opens a file that an interrupted update left dirty, so that its payload checksum proves nothing. The keys
  // of a counting filter then stay for ever; see CountingBloomFilter::open().
  bool accept_dirty = false;
  // The secret of a keyed filter; it must be the right one. Filters that are not keyed ignore it.
  const HashSecret* secret = nullptr;
  // Opens a keyed filter without its secret, to inspect, merge or copy it. Its keys cannot be hashed then.
  bool without_secret = false;
  // For windowed filters by age: the clock that they read, which is copied. Null means read_machine_clock().
  const WindowClock* clock = nullptr;
  // For kUpdateInPlace, kMapLocked and kCopyLocked: the file's lock, which the caller has taken already and
  // keeps.
  const FileLock* lock = nullptr;
};

// Says whether other threads may touch the filter during a call.
enum class Sharing { kShared, kExclusive };

// The result of test_and_insert(). As a condition it is true if the key was certainly new, like the answer in
// a batch.
struct [[nodiscard]] TestedInsert {
  bool is_new = false;   // the key was certainly absent before
  bool refused = false;  // nothing has changed: the filter is full, lacks memory, or is static

  explicit operator bool() const { return is_new; }
};

struct SaveTo {
  bool replace = false;  // replaces an existing file, unless it has changed since it was read or saved
  // When this becomes true, the save stops and leaves nothing behind.
  const std::atomic<bool>* cancelled = nullptr;
  // The lock of the existing file, if the caller took it before reading what goes into the new file. Without
  // it the save takes the lock itself. The save is refused if the name belongs to another file by now.
  const FileLock* lock = nullptr;
};

}  // namespace bloomery
