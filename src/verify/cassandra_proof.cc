#include "verify/cassandra_proof.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/memory_budget.h"
#include "base/message.h"
#include "codec/cassandra/cassandra_filter.h"
#include "codec/cassandra/cassandra_sizing.h"
#include "codec/cassandra/component_file.h"
#include "codec/cassandra/data_digest.h"
#include "dialects/whole_file.h"
#include "verify/partition_keys.h"
#include "verify/read_progress.h"

namespace bloomery {
namespace {

constexpr std::size_t kDigestBytes = std::size_t{1} << 20;  // read at once

bool exists(const std::string& path) {
  return FileSystem::real().facts(path).has_value();
}

// Returns the components that TOC.txt lists and that are not there. Nothing if there is no TOC.txt.
Result<std::vector<std::string>> missing_components(const SSTable& sstable) {
  const std::string path = sstable.path_of("TOC.txt");
  const Result<std::string> text = read_component(path);
  std::vector<std::string> missing;
  if (!text) {
    return text.error().code() == ErrorCode::kNotFound ? Result(missing) : text.error();
  }
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos || line.size() > 200) {
      return Error::corruption(path, 0, "names of components", "other bytes");
    }
    if (!line.empty() && !exists(sstable.path_of(line)) && missing.size() < Proof::kMostFindings) {
      missing.emplace_back(line);
    }
  }
  return missing;
}

// A copied filter without its data is unproven. An sstable that lacks some of its files is damaged. Returns
// false if there is no data.
Result<bool> check_components(const SSTable& sstable, Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto missing, missing_components(sstable));
  const char* const index = sstable.is_bti() ? "Partitions.db" : "Index.db";
  if (!exists(sstable.path_of("Data.db")) && !exists(sstable.path_of(index))) {
    proof.add_unproven(message("the data is not next to the filter: there is no ", sstable.name.prefix,
                               "Data.db and no ", sstable.name.prefix, index));
    return false;
  }
  for (const std::string& component : missing) {
    proof.add(Error::corruption(sstable.path_of("TOC.txt"), 0,
                                message("the file ", sstable.name.prefix, component, ", which it lists"),
                                "none"));
  }
  return true;
}

// Returns the digest of all bytes of Data.db, or nothing if the caller stopped the proof.
Result<std::optional<std::uint32_t>> digest_of_data(const std::string& path, DataDigestKind kind,
                                                    ReadProgress& progress) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  std::vector<std::byte> buffer(kDigestBytes);
  std::uint32_t digest = initial_data_digest(kind);
  for (std::uint64_t at = 0;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t bytes, files.read_at(file, at, buffer));
    if (bytes == 0) {
      return std::optional(digest);
    }
    digest = continue_data_digest(kind, digest, std::span(buffer).first(bytes));
    at += bytes;
    if (!progress.add(bytes)) {
      return std::optional<std::uint32_t>();
    }
  }
}

Status check_digest(const SSTable& sstable, DataDigestKind kind, const std::string& text,
                    const ProofOptions& options, Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t expected, read_data_digest(text));
  ReadProgress progress(options, proof);
  const std::string data = sstable.path_of("Data.db");
  BLOOMERY_ASSIGN_OR_RETURN(const auto found, digest_of_data(data, kind, progress));
  return found && *found != expected
             ? Status(Error::corruption(data, 0, message("the digest ", expected, " of all bytes"), *found))
             : Status();
}

// Checks the digest of Data.db, if there is one.
Status check_digests(const SSTable& sstable, const ProofOptions& options, Proof& proof) {
  using Row = std::pair<const char*, DataDigestKind>;
  for (const auto& [component, kind] :
       {Row{"Digest.crc32", DataDigestKind::kCrc32}, Row{"Digest.adler32", DataDigestKind::kAdler32}}) {
    const std::string path = sstable.path_of(component);
    const Result<std::string> text = read_component(path);
    if (text) {
      return in_file(check_digest(sstable, kind, *text, options, proof), path);
    }
    if (text.error().code() != ErrorCode::kNotFound) {
      return text.error();
    }
  }
  proof.notes.push_back("No digest of Data.db that is read here is next to it.");
  return {};
}

Result<std::unique_ptr<CassandraFilter>> open_filter(const std::string& path, const ProofOptions& options,
                                                     Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto mapping, map_whole(path));
  const auto bytes = bytes_of_mapping(*mapping);
  proof.bytes += bytes.size();
  auto filter = CassandraFilter::open({.bytes = bytes,
                                       .path = path,
                                       .owner = mapping,
                                       .memory = MemoryBudget::of_file(options.memory, bytes.size())},
                                      {});
  BLOOMERY_RETURN_IF_ERROR(mapping->status());
  return in_file(std::move(filter), path);
}

// Queries a filter for keys. A key that is denied may be damaged itself, since Index.db has no checksum. So
// the first such keys are compared with those in Data.db, if it can be read.
class FilterQuestion {
 public:
  FilterQuestion(const SSTable& sstable, const CassandraFilter& filter, const ProofOptions& options,
                 Proof& proof)
      : sstable_(sstable), filter_(filter), options_(options), proof_(proof) {}

  void ask(const PartitionKeys& batch) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - batch.keys.size());
    proof_.keys += batch.keys.size();
    for (std::uint64_t denied = all & ~filter_.may_contain_hashes(batch.hashes); denied != 0;
         denied &= denied - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(denied));
      if (sstable_.is_bti() || is_in_data(batch.keys[i], batch.positions[i])) {
        proof_.deny(batch.keys[i]);
      }
    }
  }

 private:
  // Returns true unless Data.db has another key there, which it adds as a fault of Index.db.
  bool is_in_data(std::string_view key, std::uint64_t position) {
    if (++compared_ > Proof::kMostFindings) {
      return true;
    }
    if (!data_) {
      data_.emplace(PartitionData::open(sstable_, options_.memory));
    }
    std::string in_data;
    if (!*data_ || !(*data_)->read_key(position, in_data) || !(*data_)->status() || in_data == key) {
      return true;
    }
    proof_.add(Error::corruption(sstable_.path_of("Index.db"), 0,
                                 message("the key at position ", position, " of Data.db"), "another key"));
    return false;
  }

  const SSTable& sstable_;
  const CassandraFilter& filter_;
  const ProofOptions& options_;
  Proof& proof_;
  std::optional<Result<PartitionData>> data_;  // opened for the first key that is denied
  std::size_t compared_ = 0;
};

// Notes the files that have the keys, as far as they are there.
void will_read_keys(const SSTable& sstable, Proof& proof) {
  const auto names =
      sstable.is_bti() ? std::vector{"Partitions.db", "Rows.db", "Data.db"} : std::vector{"Index.db"};
  for (const char* const name : names) {
    static_cast<void>(proof.will_read(sstable.path_of(name)));
  }
}

Status prove(const std::string& path, const ProofOptions& options, Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const SSTable sstable, sstable_of(path));
  if (sstable.name.component != "Filter.db" || sstable.name.is_temporary) {
    proof.add_unproven(sstable.name.is_temporary ? "the sstable was being written, by its name"
                                                 : "the file is no Filter.db, by its name");
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto filter, open_filter(path, options, proof));
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_data, check_components(sstable, proof));
  if (!has_data) {
    return {};
  }
  will_read_keys(sstable, proof);
  FilterQuestion question(sstable, *filter, options, proof);
  walk_partition_keys(sstable, options, proof,
                      [&question](const PartitionKeys& batch) { question.ask(batch); });
  return check_digests(sstable, options, proof);
}

// Returns the header of the filter that is made again. The old one may be damaged; its size is not.
Result<CassandraHeader> header_of_repair(const SSTable& sstable, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto mapping, map_whole(path));
  const auto bytes = bytes_of_mapping(*mapping);
  const std::uint64_t words = bytes.size() / 8 - std::min<std::uint64_t>(bytes.size() / 8, 1);
  if (!sstable.statistics) {
    return in_file(read_cassandra_header(bytes), path);
  }
  if (bytes.size() % 8 != 0 || words == 0 || words > ~std::uint32_t{0} >> 1) {
    return Error::corruption(path, 0, "8 bytes and 8 for each word, which give the new filter its size",
                             bytes.size());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraShape shape, cassandra_shape(1, sstable.statistics->fpp));
  return CassandraHeader{.hash_count = shape.hash_count, .words = static_cast<std::uint32_t>(words)};
}

}  // namespace

bool is_cassandra_filter(const std::string& path, std::span<const std::byte>) {
  const std::optional<SSTableName> name = sstable_name_of(path);
  return name && name->component == "Filter.db";
}

bool is_bare_sstable(const std::string& path, std::span<const std::byte>) {
  const std::optional<SSTableName> name = sstable_name_of(path);
  return name && name->component == "Data.db" &&
         !exists(path.substr(0, path.size() - name->component.size()) + "Filter.db");
}

Proof prove_bare_sstable(const std::string& path, const ProofOptions&) {
  Proof proof{.path = path, .kind = "Cassandra sstable"};
  proof.add_unproven("it has no Filter.db");
  return proof;
}

Proof prove_cassandra_filter(const std::string& path, const ProofOptions& options) {
  Proof proof{.path = path, .kind = "Cassandra filter"};
  if (const Status proved = prove(path, options, proof); !proved) {
    add_sstable_error(proof, proved.error());
  }
  return proof;
}

Status repair_cassandra_filter(const std::string& filter_path, const std::string& output,
                               const ProofOptions& options, const SaveTo& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const SSTable sstable, sstable_of(filter_path));
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraHeader header, header_of_repair(sstable, filter_path));
  BLOOMERY_ASSIGN_OR_RETURN(const auto filter, CassandraFilter::empty(header, sstable.layout));
  Proof proof{.path = filter_path};
  Status inserted;
  walk_partition_keys(sstable, options, proof, [&filter, &inserted](const PartitionKeys& batch) {
    if (const auto changed = filter->insert_batch(batch.keys); !changed) {
      inserted = changed.error();
    }
  });
  if (!inserted) {
    return inserted;
  }
  if (!proof.findings.empty()) {
    return proof.findings.front();
  }
  if (sstable.name.is_temporary || !proof.unproven.empty()) {
    return Error::unsupported(filter_path, 0,
                              "the keys of its sstable cannot all be read: " +
                                  (proof.unproven.empty() ? "it was being written" : proof.unproven.front()));
  }
  return filter->save(output, to);
}

}  // namespace bloomery
