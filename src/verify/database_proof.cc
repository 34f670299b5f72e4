#include "verify/database_proof.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/directory.h"
#include "base/file.h"
#include "dialects/manifest_at.h"
#include "dialects/pebble_markers.h"
#include "verify/table_proof.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

class DatabaseProving {
 public:
  DatabaseProving(const std::string& folder, const ProofOptions& options, const SeeProof& see)
      : folder_(folder), options_(options), see_(see) {}

  std::optional<std::set<std::uint64_t>> run() {
    constexpr int kMostTries = 20;
    for (int i = 0; i < kMostTries; ++i) {
      const Result<ManifestAt> manifest = current_manifest(folder_);
      if (!manifest) {
        see_of_manifest("CURRENT", manifest.error());
        return std::nullopt;
      }
      const Result<sstable::LiveFiles> live = read_live_files(folder_, *manifest, options_.memory);
      missing_.clear();
      if (live) {
        prove_tables(*live);
      }
      if (is_stopped()) {
        return std::move(proven_);
      }
      if (is_still_current(folder_, *manifest)) {
        if (live) {
          see_all(*manifest, *live);
          return std::move(proven_);
        }
        see_of_manifest(manifest->name, live.error());
        return std::nullopt;
      }
    }
    see_of_manifest("CURRENT", Error(ErrorCode::kIo, folder_,
                                     "its manifest changed " + std::to_string(kMostTries) +
                                         " times while its tables were read"));
    return std::move(proven_);
  }

 private:
  bool is_stopped() const { return options_.progress && !options_.progress(0); }
  std::string path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

  void prove_tables(const sstable::LiveFiles& live) {
    for (const auto& [number, family] : live.families()) {
      for (const auto& [file_number, file] : family.files) {
        if (!proven_.contains(file_number) && !is_stopped()) {
          prove_table(file, family.comparator);
        }
      }
    }
  }

  void prove_table(const sstable::LiveFile& file, const std::string& comparator) {
    const std::string name = table_name(folder_, file.number);
    const Result<FileFacts> facts = FileSystem::real().facts(path_of(name));
    if (!facts && facts.error().code() == ErrorCode::kNotFound) {
      Proof proof{.path = path_of(name), .kind = "table"};
      if (file.path == 0) {
        proof.add(missing_live_file(facts.error(), folder_, name, file.path));
      } else {
        proof.add_unproven("it is in path " + std::to_string(file.path) + " of RocksDB's db_paths");
      }
      missing_.push_back(std::move(proof));
      return;
    }
    proven_.insert(file.number);
    const ListedTable listed{.file = file, .comparator = comparator};
    see_(prove_table_file(path_of(name), options_, &listed));
  }

  void see_all(const ManifestAt& manifest, const sstable::LiveFiles& live) {
    for (Proof& proof : missing_) {
      see_(std::move(proof));
    }
    Proof proof{.path = path_of(manifest.name), .kind = "manifest", .bytes = manifest.size_bytes};
    proof.notes.push_back("it lists " + std::to_string(proven_.size() + missing_.size()) + " tables");
    if (live.is_torn()) {
      proof.notes.emplace_back("it ends within a record, as after a crash");
    }
    see_(std::move(proof));
  }

  void see_of_manifest(const std::string& name, const Error& error) {
    Proof proof{.path = path_of(name), .kind = "manifest"};
    proof.add(error);
    see_(std::move(proof));
  }

  const std::string& folder_;
  const ProofOptions& options_;
  const SeeProof& see_;
  std::set<std::uint64_t> proven_;  // numbers of tables
  std::vector<Proof> missing_;      // under the manifest that was read last
};

}  // namespace

bool is_database(const std::string& folder) {
  const Result<std::vector<DirectoryEntry>> entries = list_directory(folder);
  return entries && !pebble_markers(*entries) &&
         FileSystem::real().facts((fs::path(folder) / "CURRENT").string()).has_value();
}

std::optional<std::set<std::uint64_t>> prove_database(const std::string& folder, const ProofOptions& options,
                                                      const SeeProof& see) {
  return DatabaseProving(folder, options, see).run();
}

}  // namespace bloomery
