// The options that say where a verb of `bloomery table` writes, and how: ROOT TABLE, --durability.
//
// A verb opens the store, writes, and closes the store. The memory is written to files at the end only if the
// verb wants it: a verb of one row leaves the row in the log (StoreOptions::flushes_at_close).
#pragma once

#include <functional>
#include <string>

#include "bloomery/store/store.h"
#include "cli/file_memory_option.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

// A root that `bloomery table create` made.
class StorePlace {
 public:
  void add_to(CLI::App& verb);
  const std::string& root() const { return root_; }
  // Options without compactions in the background: most verbs are too short for one.
  Result<StoreOptions> options() const;
  // Opens the store, works, and closes it. Returns the first error.
  Status use(const StoreOptions& options, const std::function<Status(Store&)>& work) const;

 private:
  std::string root_;
  FileMemoryOption memory_;
};

// Opens the store, or makes one if there is none. A directory with other things in it is refused.
Result<Store> open_or_create(const std::string& root, const StoreOptions& options);

// Works with a store, and closes it. Returns the first error.
Status use_and_close(Store& store, const std::function<Status(Store&)>& work);

class WritePlace {
 public:
  using Work = std::function<Status(StoreTable&, const bloomery::WriteOptions&)>;

  void add_to(CLI::App& verb);
  // Works with the open table. Errors: those of Store::open(), Store::table() and of the work.
  Status write(bool is_flushed, const Work& work) const;

 private:
  StorePlace store_;
  std::string table_;
  std::string durability_ = "USE_DEFAULT";
};

}  // namespace bloomery::cli
