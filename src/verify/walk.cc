#include "verify/walk.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <system_error>

#include "base/directory.h"
#include "base/file.h"
#include "codec/cassandra/sstable_name.h"
#include "dialects/database_logs.h"
#include "dialects/whole_file.h"
#include "verify/cassandra_proof.h"
#include "verify/filter_file_proof.h"
#include "verify/hfile_proof.h"
#include "verify/parquet_proof.h"
#include "verify/table_proof.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

struct Prover {
  bool (*recognises)(const std::string& path, std::span<const std::byte> bytes);
  Proof (*prove)(const std::string& path, const ProofOptions& options);
  // How the owner makes the filter again, for a kind that is not repaired here.
  const char* made_again_by;
  // Null if the filter is not made again here.
  Status (*repair)(const std::string& path, const std::string& output, const ProofOptions& options,
                   const SaveTo& to) = nullptr;
};

Proof prove_single_table(const std::string& path, const ProofOptions& options) {
  return prove_table_file(path, options);
}

constexpr const char* kFromKeys = "no file here has its keys: build it again from their source";

constexpr Prover kProvers[] = {
    {is_leased_file, prove_leased_file, "its feeder makes the filter again: bloomery feed"},
    {is_native_file, prove_native_file, kFromKeys},
    {is_spread_file, prove_spread_file, "build the part again: bloomery build --partition or --part"},
    {is_hfile, prove_hfile,
     "HBase writes the filter with its file: major_compact 'TABLE' in its shell writes both again"},
    {is_table_file, prove_single_table,
     "the database writes the filter with its table: a compaction of the table's keys writes both again "
     "(CompactRange; in RocksDB with BottommostLevelCompaction::kForce)"},
    {is_cassandra_filter, prove_cassandra_filter, "", repair_cassandra_filter},
    {is_bare_sstable, prove_bare_sstable, "Cassandra makes the filter again: nodetool upgradesstables -a"},
    {is_parquet_file, prove_parquet_file, "", repair_parquet_filters},
    {is_dialect_file, prove_recognised_file, kFromKeys},
};

// Returns the row that knows the file, or null. Errors: kNotFound, kIo; kInvalidArgument for a pipe or a
// device.
Result<const Prover*> prover_of(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(path));
  const std::span<const std::byte> bytes = bytes_of_mapping(*mapping);
  const auto* const row =
      std::ranges::find_if(kProvers, [&](const Prover& prover) { return prover.recognises(path, bytes); });
  return row == std::end(kProvers) ? nullptr : row;
}

// Proves a file by its row, and notes the file as it was before.
Proof prove_by(const Prover& prover, const std::string& path, const ProofOptions& options) {
  const Result<FileFacts> before = FileSystem::real().facts(path);
  Proof proof = prover.prove(path, options);
  if (before) {
    proof.files.emplace(proof.files.begin(), path, *before);
  }
  return proof;
}

// Returns true for a file that is read with another one: a component of an sstable, a kept proof.
bool belongs_to_another(const std::string& path) {
  return sstable_name_of(path).has_value() || path.ends_with(".proof");
}

Error no_known_kind(const std::string& path) {
  return Error(ErrorCode::kCorruption, path,
               "expected a filter, or a file that has filters, found neither by its bytes nor by its name");
}

class Walk {
 public:
  Walk(const ProofOptions& options, const SeeProof& see, PassedOver& passed_over)
      : options_(options), see_(see), passed_over_(passed_over) {}

  void walk(const std::string& folder) {
    if (!is_new(folder)) {
      return;
    }
    std::optional<std::set<std::uint64_t>> listed;  // tables that are proven
    if (is_database(folder)) {
      listed = prove_database(folder, options_, see_);
    }
    const Result<std::vector<DirectoryEntry>> entries = list_directory(folder);
    if (!entries) {
      return see_unproven(folder, entries.error());
    }
    for (const DirectoryEntry& entry : *entries) {
      if (options_.progress && !options_.progress(0)) {
        return;
      }
      const std::string path = (fs::path(folder) / entry.name).string();
      if (entry.is_directory) {
        walk(path);
      } else if (const auto table = listed ? number_of_table(entry.name) : std::nullopt; table) {
        passed_over_.unlisted_tables += std::uint64_t{!listed->contains(*table)};
      } else {
        prove_if_known(path);
      }
    }
  }

 private:
  static std::optional<std::uint64_t> number_of_table(const std::string& name) {
    const auto ldb = number_in_name(name, ".ldb");
    return ldb ? ldb : number_in_name(name, ".sst");
  }

  // Symbolic links may lead to a directory again.
  bool is_new(const std::string& folder) {
    const Result<FileFacts> facts = FileSystem::real().facts(folder);
    return !facts || seen_.emplace(facts->device, facts->inode).second;
  }

  void prove_if_known(const std::string& path) {
    const Result<const Prover*> prover = prover_of(path);
    if (prover && *prover != nullptr) {
      see_(prove_by(**prover, path, options_));
    } else if (prover || prover.error().code() == ErrorCode::kInvalidArgument) {
      if (!belongs_to_another(path) && passed_over_.files++ == 0) {
        passed_over_.first = path;
      }
    } else {
      see_unproven(path, prover.error());
    }
  }

  void see_unproven(const std::string& path, const Error& error) {
    Proof proof{.path = path};
    proof.add_unproven(error.to_string());
    see_(std::move(proof));
  }

  const ProofOptions& options_;
  const SeeProof& see_;
  PassedOver& passed_over_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // devices and inodes of directories
};

}  // namespace

Status prove_path(const std::string& path, const ProofOptions& options, const SeeProof& see,
                  PassedOver& passed_over) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) {
    Walk(options, see, passed_over).walk(path);
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Prover* const prover, prover_of(path));
  if (prover == nullptr && may_be_dialect_file(path)) {
    see(prove_recognised_file(path, options));
    return {};
  }
  if (prover == nullptr) {
    return no_known_kind(path);
  }
  see(prove_by(*prover, path, options));
  return {};
}

Status repair_path(const std::string& path, const std::string& output, const ProofOptions& options,
                   const SaveTo& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const Prover* const prover, prover_of(path));
  if (prover == nullptr) {
    return no_known_kind(path);
  }
  return prover->repair == nullptr ? Status(Error::invalid_argument(path, prover->made_again_by))
                                   : prover->repair(path, output, options, to);
}

}  // namespace bloomery
