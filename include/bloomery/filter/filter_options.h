// What filters of every type are made with, opened with and saved with.
//
//   BlockedBloomFilter::for_capacity(1'000'000, 0.01, {.setting = BlockedSetting::kDense});
//   BlockedBloomFilter::open("keys.filter", {.access = Access::kCopy});
//
// One struct of options serves all types, so that a program can change the type and keep the call. A type
// refuses, by name, an option that would make another filter of it and that it does not have: setting,
// growth_doublings, window. Where nothing asks a clock or builds with threads, those two have no effect.
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

// On disk since format version 1; never renumber.
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

// Returns the name that `-t` takes and `inspect` shows, "bloom", "blocked", "ribbon", "counting",
// "quotient", "scalable", "windowed" or "exact"; "unknown" for any other number.
const char* filter_type_name(FilterType type);
// Returns the type of a number in a file; nothing for one that is not known.
std::optional<FilterType> filter_type_of(std::uint16_t number);

// Where the windows of a blocked filter may begin. On disk, as a stride in bytes, since format version 1.
enum class BlockedSetting : std::uint16_t {
  kFast = 64,  // at multiples of a cache line
  kDense = 8,  // at any word
};

// Returns "fast" or "dense"; "unknown" for any other number.
const char* blocked_setting_name(BlockedSetting setting);
// Returns the type's name, for a blocked filter with its setting: "blocked:fast", "blocked:dense".
std::string filter_type_name(FilterType type, BlockedSetting setting);

// What a new filter is made with. Two filters can merge only when everything that decides how a key becomes
// bits is equal.
struct FilterOptions {
  HashSpec hash = {};
  // What a tool that reads text makes of it, recorded in the file. Typed keys of the library are not changed
  // by it; NativeFilter::key_of() applies it to text.
  KeyTreatment keys = {};
  // Of blocked, scalable and windowed filters.
  BlockedSetting setting = BlockedSetting::kFast;
  // Of quotient filters: how often the capacity may double before fpp rises above its target; a bit a key
  // each.
  std::uint32_t growth_doublings = 0;
  // Of windowed filters, which need one.
  Window window = {};
  // Of windowed filters by age: the clock they ask, which is copied; null: read_machine_clock().
  const WindowClock* clock = nullptr;
  // Of ribbons: the threads that build; 0: as many as the machine runs at once. Other types build with one.
  unsigned threads = 0;
};

// Errors: kInvalidArgument, naming the option, where one of setting, growth_doublings and window is given that
// a filter of this type does not have, and for keys of 0 parts.
Status check_options(FilterType type, const FilterOptions& options);

enum class Access {
  // The file's bytes, mapped: no copy, opens in the time of the checksum. Pages that are written to become
  // the filter's own (copy on write), for which the machine may lack memory without an error; the file does
  // not change. While it is open nobody may change the file in place.
  kMap,
  kCopy,           // in memory of its own, on huge pages above a few MiB; the file is not touched again
  kUpdateInPlace,  // mapped so that the file changes, and locked; see NativeFilter::finish_update()
  kMapLocked,      // as kMap, and locked as long as the filter lives: for one that is saved over itself
  kCopyLocked,     // as kCopy, and locked likewise
};

enum class Verify {
  kChecksums,   // every byte, in one pass
  kHeaderOnly,  // trusts the payload: a damaged one may then give any answer
};

// How the program that opens a filter makes its keys, where the file says that they were not plain text or
// bytes (`bloomery build --key-form hex`, `-i`, `--trim`, `-k 1,2`): see NativeFilter::key_of().
enum class RecordedKeys {
  kRefuse,  // such a filter is not opened, since asking it for plain text would be a wrong no
  kKnown,   // the program asks by key_of(), or for the very bytes that were hashed
};

struct OpenOptions {
  Access access = Access::kMap;
  Verify verify = Verify::kChecksums;
  RecordedKeys recorded_keys = RecordedKeys::kRefuse;
  // Opens a file that an interrupted update left dirty, whose payload checksum therefore proves nothing. The
  // keys of a counting filter then stay for ever: CountingBloomFilter::open().
  bool accept_dirty = false;
  // Of a filter that is keyed: its secret, which must be the right one. Filters that are not keyed pass it
  // over.
  const HashSecret* secret = nullptr;
  // Opens a keyed filter whose keys will not be hashed: to be looked at, merged or copied.
  bool without_secret = false;
  // Of windowed filters by age: the clock they ask, which is copied; null: read_machine_clock().
  const WindowClock* clock = nullptr;
  // With kUpdateInPlace, kMapLocked and kCopyLocked: the lock of the file, which the caller has taken already and keeps.
  const FileLock* lock = nullptr;
};

// Whether other threads may touch the filter during a call.
enum class Sharing { kShared, kExclusive };

// What test_and_insert() found and did. As a condition: the key was certainly new, as in a batch's answers.
struct [[nodiscard]] TestedInsert {
  bool is_new = false;   // the key was certainly not in before
  bool refused = false;  // nothing has changed: the filter is full, memory is lacking, or it is static

  explicit operator bool() const { return is_new; }
};

struct SaveTo {
  bool replace = false;  // an existing file
  // When it becomes true, the save stops and leaves nothing behind.
  const std::atomic<bool>* cancelled = nullptr;
  // The lock on the existing file, where the caller took it before it read what goes into the new one. Without it the
  // save takes it for itself. The save is refused where the name belongs to another file by now.
  const FileLock* lock = nullptr;
};

}  // namespace bloomery
