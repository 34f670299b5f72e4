// A root that the shell has open, and what its commands share.
//
//   root of a store          opened for writing: a lock keeps other writers away
//   with Access::kRead,      read without a lock. Each command opens its table anew, so that it sees what
//   or of HBase              files and logs have by then
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/store/store.h"
#include "bloomery/table/table.h"
#include "cli/shell/shell_text.h"

namespace bloomery::cli {

inline constexpr const char* kShellVerb = "shell";

struct ShellRoot {
  enum class Access { kWriteIfOurs, kRead };
  enum class IfMissing { kRefuse, kCreate };

  std::string path = {};
  Access access = Access::kWriteIfOurs;
  IfMissing if_missing = IfMissing::kRefuse;
  FileMemory memory = {};
};

class ShellSession {
 public:
  // Errors: those of Store::open() and Table::list(); of a root that another process has open, what to do.
  static Result<ShellSession> open(const ShellRoot& root, ShellTextForm form, std::string version);

  // Closes the store. Call it once.
  Status close();

  // For commands.
  const std::string& root() const { return root_; }
  const std::string& version() const { return version_; }
  ShellText& text() { return text_; }
  bool has_ended() const { return has_ended_; }
  void end() { has_ended_ = true; }
  // Returns null if the root is only read.
  Store* store() { return store_ ? &*store_ : nullptr; }
  const Store* store() const { return store_ ? &*store_ : nullptr; }
  // Errors: kInvalidArgument if the root is only read.
  Result<Store*> writable();
  Result<StoreTable> writable_table(const std::string& name);
  Result<Table> table(const std::string& name) const;
  Result<std::vector<std::string>> tables() const;
  // Of a root that is only read, they have no times.
  Result<std::vector<SnapshotInfo>> snapshots() const;
  // Errors: kNotFound, with the existing tables.
  Status check_table(const std::string& name) const;

 private:
  ShellSession(std::string root, ShellTextForm form, std::string version)
      : root_(std::move(root)), version_(std::move(version)), text_(form) {}

  std::string root_;
  std::string version_;
  ShellText text_;
  std::optional<Store> store_;
  TableOptions table_options_;
  bool has_ended_ = false;
};

}  // namespace bloomery::cli
