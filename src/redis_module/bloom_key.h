// A key of the server during a command: opens, inspects, creates, changes and replicates it, and publishes
// events.
//
// Changes are replicated as BLOOM commands that name every parameter:
//
//   a new key       BLOOM.CREATE key LAYOUT l CAPACITY n ERROR r EXPANSION n SEED n|SECRET hex [BUCKETSIZE n
//                   MAXITERATIONS n]
//   added items     BLOOM.MADD key item...        the items that changed the key, in order
//   deleted items   BLOOM.REMOVE key item...
//
// So a replica has the same bytes, whatever its settings are.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "redis_module/arguments.h"
#include "redis_module/filter_value.h"
#include "redis_module/module_api.h"
#include "redis_module/settings.h"

namespace bloomery::redis_module {

class FileValue;

// kOther: the key has a value that is none for the command, of another type or a filter file.
enum class Found : std::uint8_t { kNothing, kValue, kOther };

// The key families that a command accepts. To the command, a key of the other family has another type.
enum class Wants : std::uint8_t { kBloom, kDeletable, kBoth };

constexpr bool wants_family(Wants wants, Family family) {
  return wants == Wants::kBoth || (wants == Wants::kBloom) == (family == Family::kBloom);
}

// An open key. The destructor closes it.
class OpenKey {
 public:
  OpenKey(Context* context, String* name, int mode, Wants wants);
  OpenKey(const OpenKey&) = delete;
  OpenKey& operator=(const OpenKey&) = delete;
  ~OpenKey();

  Found found() const { return found_; }
  // Precondition: found() is kValue.
  FilterValue& value() const { return *value_; }
  // Returns the value of a key that was loaded from a file, or null. For most commands it is kOther.
  FileValue* file() const { return file_; }
  // Sets the value of a new key. Precondition: opened for writing, and found() is kNothing.
  void set(std::unique_ptr<FilterValue> value);
  void set(std::unique_ptr<FileValue> value);
  // Unlinks the value; it is freed in the background. Precondition: opened for writing.
  void unlink();
  // Sets or removes the key's time to live. Precondition: opened for writing, and the key has a value.
  void expire_in(std::optional<long long> milliseconds);

 private:
  Key* key_;
  Found found_ = Found::kNothing;
  FilterValue* value_ = nullptr;
  FileValue* file_ = nullptr;
};

// Creates the key's value and replicates the creation. Returns the error for the client, or null.
const char* create_key(Context* context, String* name, const NewKey& plan, OpenKey& key);

// Adds items to the key; counts those that changed it, and replicates them by BLOOM.MADD. If the setting
// `verbatim` and `may_go_verbatim` are true and no item was refused, replicates the client's command instead.
// Returns the outcomes of FilterValue::add().
PerItem<Added> add_items(Context* context, String* name, FilterValue& value, Words items,
                         AddWhen when = AddWhen::kAlways, bool may_go_verbatim = true);
// Removes one copy of each item, and replicates the removals that succeeded by BLOOM.REMOVE, or the client's
// command as add_items() does. Returns one outcome per item. Precondition: the layout is kQuotient.
PerItem<Removed> remove_items(Context* context, String* name, FilterValue& value, Words items);

void announce(Context* context, const char* event, String* name);

const char* layout_name(Layout layout);

}  // namespace bloomery::redis_module
