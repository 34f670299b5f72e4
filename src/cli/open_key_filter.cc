#include "cli/open_key_filter.h"

#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "bloomery/dialects/database.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/dialect_keys.h"
#include "cli/exit_status.h"
#include "cli/secret_file.h"
#include "filter/leased/lease_page.h"
#include "query/key_filters.h"
#include "verify/proof_record.h"

namespace bloomery::cli {
namespace {

void warn_of_database(std::string_view verb, const Database& database, const std::string& name) {
  constexpr std::uint64_t kMostFiles = 3;
  std::uint64_t files = 0;
  for (const DatabaseFamily& family : database.families()) {
    for (const DatabaseFile& file : family.files) {
      if (file.filter == nullptr && ++files <= kMostFiles) {
        warn(verb, fmt::format("warning: {}/{} may hold every key in its range: {}", name, file.name,
                               file.trouble));
      }
    }
  }
  if (files > kMostFiles) {
    warn(verb, fmt::format("warning: {}: the same holds for {} more files", name, files - kMostFiles));
  }
  for (const DatabaseLog& log : database.logs()) {
    if (log.is_torn) {
      warn(verb,
           fmt::format("warning: {}/{} ends within a write, as after a crash: what stood behind is not asked",
                       name, log.name));
    }
  }
  if (database.logs().empty()) {
    warn(verb, fmt::format("warning: {} has no write-ahead log: what was written last may be in none of its "
                           "files, and a no is not of it",
                           name));
  }
}

void warn_of_missing_filters(std::string_view verb, const DialectFilter& filter, const std::string& name) {
  if (const std::size_t missing = filter.parts_without_filter(); missing > 0) {
    warn(verb,
         fmt::format("warning: {}: {} of {} row groups may hold every key: they have no filter for {}, or it "
                     "cannot be read",
                     name, missing, filter.part_count(), filter.dialect()));
  }
  if (const std::size_t ranges = filter.parts_by_range(); ranges > 0) {
    warn(verb,
         fmt::format(
             "warning: {}: {} of {} row groups have no filter for {}, and deny only keys outside of their "
             "least and greatest values",
             name, ranges, filter.part_count(), filter.dialect()));
  }
}

// Returns true if the format of the filter has no checksum, so that damage could make it answer no.
bool lacks_checksum(const DialectFilter& filter) {
  return filter.facts().integrity == "none";
}

// Returns the filter of `name`, or one that answers maybe if `unproven` is not empty. It says why.
std::unique_ptr<KeyFilter> believed(std::string_view verb, std::unique_ptr<KeyFilter> filter,
                                    const std::string& name, const std::string& unproven) {
  if (unproven.empty()) {
    return filter;
  }
  warn(verb, fmt::format("warning: {}: {}, so every line may be in; `bloomery verify --record` proves it",
                         name, unproven));
  return make_unproven_filter(std::move(filter));
}

// Returns why the filters of a folder are not believed, or an empty text.
std::string unproven_in(const CassandraDirectory& directory, const std::string& name) {
  for (const SSTableOfDirectory& sstable : directory.sstables()) {
    const std::string file = sstable.name + "-Filter.db";
    if (sstable.filter != nullptr && lacks_checksum(*sstable.filter)) {
      if (const KeptProof proof = kept_proof(fmt::format("{}/{}", name, file)); !proof.valid) {
        return fmt::format("{}: {}", file, proof.reason);
      }
    }
  }
  return {};
}

Result<std::unique_ptr<KeyFilter>> open_database(std::string_view verb, const std::string& name,
                                                 const DialectChoice& dialect, const KeyOptions& keys,
                                                 BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, keys_of_database(keys));
  BLOOMERY_ASSIGN_OR_RETURN(const DatabaseOptions options, dialect.for_database(name));
  BLOOMERY_ASSIGN_OR_RETURN(Database database, Database::open(name, options));
  warn_of_database(verb, database, name);
  return make_key_filter(std::move(database), making, batch);
}

void warn_of_sstables(std::string_view verb, const CassandraDirectory& directory, const std::string& name) {
  for (const std::string& note : directory.notes()) {
    warn(verb, fmt::format("{}/{}", name, note));
  }
  for (const SSTableOfDirectory& sstable : directory.sstables()) {
    if (sstable.filter == nullptr) {
      warn(verb, fmt::format("warning: {}/{} may hold every key: {}", name, sstable.name, sstable.trouble));
    }
  }
}

Result<std::unique_ptr<KeyFilter>> open_sstables(std::string_view verb, const std::string& name,
                                                 const DialectChoice& dialect, const KeyOptions& keys,
                                                 BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(CassandraDirectory directory, dialect.open_sstables(name));
  std::optional<std::string> recorded;
  if (!keys.names_a_form()) {
    BLOOMERY_ASSIGN_OR_RETURN(recorded, in_file(directory.key_type(), name));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, in_file(keys_of_cassandra(keys, recorded), name));
  warn_of_sstables(verb, directory, name);
  const std::string unproven = dialect.needs_proofs() ? unproven_in(directory, name) : std::string();
  return believed(verb, make_key_filter(std::move(directory), making, batch), name, unproven);
}

// Opens the current filter to check its key treatment against the options. Returns nothing if there is no
// filter or it cannot be opened: then every key is answered maybe.
Result<std::optional<AnyFilter>> filter_of_today(const std::string& name, const KeyOptions& keys) {
  BLOOMERY_ASSIGN_OR_RETURN(const LeasePage page, LeasePage::open(name));
  if (page.generation() == 0) {
    return std::optional<AnyFilter>();
  }
  const std::string secret = keys.key_file().empty() ? key_file_of(name) : keys.key_file();
  Result<AnyFilter> filter =
      open_filter(page.filter_path(page.generation()), secret, {.verify = Verify::kHeaderOnly});
  if (filter) {
    const Status agrees = keys.check_agrees_with(filter->native());
    return agrees ? Result<std::optional<AnyFilter>>(std::move(*filter)) : agrees.error().in_file(name);
  }
  const bool is_argument = filter.error().code() == ErrorCode::kInvalidArgument;
  return is_argument ? Result<std::optional<AnyFilter>>(filter.error()) : std::optional<AnyFilter>();
}

// Warns if the lease has expired, because every line is then answered maybe.
Result<std::unique_ptr<KeyFilter>> open_leased(std::string_view verb, const std::string& name,
                                               const KeyOptions& keys, BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<AnyFilter> today, filter_of_today(name, keys));
  const HashSpec hash = today ? today->hash_spec() : HashSpec();
  BLOOMERY_ASSIGN_OR_RETURN(
      LeasedFilter filter,
      LeasedFilter::open(name, {.recorded_keys = RecordedKeys::kKnown,
                                .secret = hash.id == HashId::kSipHash ? &hash.secret : nullptr}));
  const LeaseState state = filter.state();
  if (!state.holds) {
    warn(verb,
         fmt::format("warning: {}: {}, so every line may be in", name,
                     state.generation == 0 ? "its first filter is not complete yet"
                                           : "its lease is over: its feeder is away, behind or in doubt"));
  }
  return make_key_filter(std::move(filter), batch);
}

}  // namespace

Result<std::unique_ptr<KeyFilter>> open_key_filter(std::string_view verb, const std::string& name,
                                                   const DialectChoice& dialect, const KeyOptions& keys,
                                                   const OpenOptions& options, BatchKeys& batch) {
  std::error_code unknown;
  if (std::filesystem::is_directory(name, unknown)) {
    return dialect.names_sstables(name) ? open_sstables(verb, name, dialect, keys, batch)
                                        : open_database(verb, name, dialect, keys, batch);
  }
  if (LeasedFilter::is_one(name)) {
    return open_leased(verb, name, keys, batch);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> foreign, dialect.of_file(name));
  if (foreign) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, dialect.memory());
    BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter,
                              open_dialect(name, *foreign, memory, MissingFilters::kAnyKey));
    BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, keys_of_filter(keys, *filter, name));
    warn_of_missing_filters(verb, *filter, name);
    const bool needs_proof = dialect.needs_proofs() && lacks_checksum(*filter);
    const std::string unproven = needs_proof ? kept_proof(name).reason : std::string();
    return believed(verb, make_key_filter(std::move(filter), making, batch), name, unproven);
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, open_filter(name, keys.key_file(), options));
  if (const Status agrees = keys.check_agrees_with(filter.native()); !agrees) {
    return agrees.error().in_file(name);
  }
  BLOOMERY_RETURN_IF_ERROR(check_whole(filter, name));
  return make_key_filter(std::move(filter), batch);
}

}  // namespace bloomery::cli
