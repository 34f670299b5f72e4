#include "cli/shell/shell_session.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <system_error>

#include "bloomery/hfile/block_cache.h"
#include "cli/exit_status.h"
#include "store/store_check.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kShellCacheBytes = std::uint64_t{64} << 20;

bool has_nothing(const std::string& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) ||
         (std::filesystem::is_directory(path, error) && std::filesystem::is_empty(path, error));
}

Result<Store> open_store(const ShellRoot& root) {
  const StoreOptions options{
      .flushes_at_close = false, .cache = BlockCache::make(kShellCacheBytes), .memory = root.memory};
  if (root.if_missing == ShellRoot::IfMissing::kCreate && has_nothing(root.path)) {
    return Store::create(root.path, options);
  }
  Result<Store> store = Store::open(root.path, options);
  if (!store && store.error().errno_value() == EWOULDBLOCK) {
    return Error(ErrorCode::kIo, store.error().subject(),
                 store.error().detail() + "; --read-only reads it meanwhile")
        .with_errno(EWOULDBLOCK);
  }
  return store;
}

}  // namespace

Result<ShellSession> ShellSession::open(const ShellRoot& root, ShellTextForm form, std::string version) {
  ShellSession session(root.path, form, std::move(version));
  session.table_options_.cache = BlockCache::make(kShellCacheBytes);
  session.table_options_.memory = root.memory;
  const bool is_new = root.if_missing == ShellRoot::IfMissing::kCreate && has_nothing(root.path);
  if (root.access == ShellRoot::Access::kWriteIfOurs &&
      (is_new || store::is_store(FileSystem::real(), root.path))) {
    BLOOMERY_ASSIGN_OR_RETURN(session.store_, open_store(root));
    return session;
  }
  if (const auto listing = Table::list(root.path); !listing) {
    return has_nothing(root.path)
               ? Error::invalid_argument(root.path, "expected a root, found none; --create makes one")
               : listing.error();
  }
  if (root.access == ShellRoot::Access::kWriteIfOurs) {
    warn(kShellVerb, fmt::format("{}: no root of a store, so it is only read (--read-only)", root.path));
  }
  return session;
}

Result<Store*> ShellSession::writable() {
  if (!store_) {
    return Error::invalid_argument(root_,
                                   "expected a root that is open for writing, found one that is only read");
  }
  return &*store_;
}

Result<StoreTable> ShellSession::writable_table(const std::string& name) {
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, writable());
  return store->table(name);
}

Result<Table> ShellSession::table(const std::string& name) const {
  if (store_) {
    BLOOMERY_ASSIGN_OR_RETURN(const StoreTable table, store_->table(name));
    return table.reader();
  }
  BLOOMERY_ASSIGN_OR_RETURN(Table table, Table::open_table(root_, name, table_options_));
  for (const std::string& warning : table.warnings()) {
    warn(kShellVerb, "warning: " + warning);
  }
  return table;
}

Result<std::vector<std::string>> ShellSession::tables() const {
  if (store_) {
    return store_->tables();
  }
  BLOOMERY_ASSIGN_OR_RETURN(RootListing listing, Table::list(root_));
  return std::move(listing.tables);
}

Result<std::vector<SnapshotInfo>> ShellSession::snapshots() const {
  if (store_) {
    return store_->snapshots();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RootListing listing, Table::list(root_));
  std::vector<SnapshotInfo> snapshots;
  for (const std::string& name : listing.snapshots) {
    BLOOMERY_ASSIGN_OR_RETURN(const Table table, Table::open_snapshot(root_, name, table_options_));
    const TableSchema& schema = table.schema();
    snapshots.push_back(
        {.name = name,
         .table = schema.name_space == "default" ? schema.name : schema.name_space + ":" + schema.name});
  }
  return snapshots;
}

Status ShellSession::check_table(const std::string& name) const {
  if (!store_) {
    const auto opened = Table::open_table(root_, name, table_options_);
    return opened ? Status() : Status(opened.error());
  }
  const auto table = store_->table(name);
  return table ? Status() : Status(table.error());
}

Status ShellSession::close() {
  return store_ ? store_->close() : Status();
}

}  // namespace bloomery::cli
