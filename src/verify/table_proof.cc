#include "verify/table_proof.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_text.h"
#include "base/file.h"
#include "base/memory_budget.h"
#include "codec/leveldb/manifest.h"
#include "codec/leveldb/table_filter.h"
#include "codec/rocksdb/table_filter.h"
#include "codec/rocksdb/table_properties.h"
#include "codec/sstable/footer.h"
#include "codec/sstable/table_entries.h"
#include "codec/sstable/table_file.h"
#include "dialects/database_logs.h"
#include "dialects/whole_file.h"
#include "verify/asked_keys.h"

namespace bloomery {
namespace {

using sstable::KeyOrder;

constexpr std::uint64_t kBytesBetweenReports = std::uint64_t{1} << 20;

// One table, from its footer to its last key.
class TableProving {
 public:
  TableProving(const DialectSource& source, const ProofOptions& options, const ListedTable* listed,
               Proof& proof)
      : source_(source), options_(options), listed_(listed), proof_(proof) {}

  Status run() {
    proof_.kind = "LevelDB or RocksDB table";
    BLOOMERY_ASSIGN_OR_RETURN(const sstable::TableFile table,
                              sstable::TableFile::open(source_.bytes, source_.memory));
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_rocksdb, table.is_rocksdb());
    proof_.kind = is_rocksdb ? "RocksDB table" : "LevelDB table";
    proof_.against = "its data blocks";
    if (is_rocksdb) {
      BLOOMERY_ASSIGN_OR_RETURN(properties_, RocksDbTableProperties::read(table));
    }
    if (table.footer().checksum == sstable::ChecksumKind::kNone) {
      proof_.notes.emplace_back("its blocks have no checksums");
    }
    open_filters(table);
    check_meta_blocks(table);
    BLOOMERY_ASSIGN_OR_RETURN(const sstable::EntriesForm form, entries_form());
    BLOOMERY_ASSIGN_OR_RETURN(sstable::TableEntries entries, sstable::TableEntries::open(table, form));
    ask_all(entries);
    return {};
  }

 private:
  // Reads the blocks that no other step reads. A block that is named in a finding is not read again.
  void check_meta_blocks(const sstable::TableFile& table) {
    const auto is_found = [&](std::uint64_t offset) {
      return std::ranges::any_of(proof_.findings,
                                 [&](const Error& error) { return error.offset() == offset; });
    };
    const Status visited = table.visit_meta([&](std::string_view name, const sstable::BlockHandle& handle) {
      const auto block = table.read(handle, std::string(name).c_str());
      if (!block && block.error().code() == ErrorCode::kCorruption && !is_found(handle.offset)) {
        proof_.add(block.error());
      }
    });
    if (!visited) {
      proof_.add(visited.error());
    }
  }

  // Opens the filter. The reasons why there is none are the proof's.
  void open_filters(const sstable::TableFile& table) {
    Result<std::unique_ptr<DialectFilter>> filter =
        properties_ ? open_rocksdb_table(source_) : open_leveldb_table(source_);
    if (filter) {
      ask(std::move(filter).value(), [this](const Question& question) {
        proof_.keys = question.answers.keys;
        proof_.denied += question.answers.denied;
        proof_.denied_keys = question.answers.denied_keys;
      });
      open_prefixes();
    } else if (filter.error().code() == ErrorCode::kUnsupported && !has_filter(table)) {
      proof_.add_unproven("it has no filter");
    } else {
      proof_.add(filter.error());
      if (!properties_ && filter.error().code() == ErrorCode::kUnsupported) {
        guess(LevelDbPolicy::kLevelDb, "leveldb");
        guess(LevelDbPolicy::kRocksDb, "rocksdb");
      }
    }
  }

  // Opens the filter a second time, to ask for prefixes, if it has whole keys and prefixes.
  void open_prefixes() {
    if (!properties_ || !properties_->whole_keys || !properties_->has_prefixes()) {
      return;
    }
    Result<std::unique_ptr<DialectFilter>> prefixes =
        open_rocksdb_table(source_, {}, RocksDbAsked::kPrefixes);
    if (!prefixes) {
      proof_.notes.push_back("prefixes by " + properties_->prefix_extractor + " are not asked");
      return;
    }
    ask(std::move(prefixes).value(), [this](const Question& question) {
      proof_.denied += question.answers.denied;
      for (const std::string& key : question.answers.denied_keys) {
        proof_.notes.push_back("it denies the prefix of " + escape_bytes(key));
      }
    });
  }

  // Asks a filter under an unknown name by a rule that may be its own: then it has all keys and few others.
  void guess(LevelDbPolicy policy, const char* name) {
    constexpr std::uint64_t kEnoughKeys = 20;
    constexpr double kMostFpp = 0.3;
    Result<std::unique_ptr<DialectFilter>> filter = open_leveldb_table(source_, policy);
    if (!filter) {
      return;
    }
    ask(std::move(filter).value(), [this, name](const Question& question) {
      if (question.answers.denied == 0 && question.answers.keys >= kEnoughKeys &&
          question.filter->current_fpp() <= kMostFpp) {
        proof_.notes.push_back(std::string("its filter answers like ") + name + "'s: all " +
                               std::to_string(question.answers.keys) +
                               " keys are in; `query --dialect leveldb:table,policy=" + name + "` asks it");
      }
    });
  }

  static bool has_filter(const sstable::TableFile& table) {
    for (const char* const kind : {"filter.", "fullfilter.", "partitionedfilter."}) {
      const Result<std::string> names = table.meta_names(kind);
      if (!names || !names->empty()) {
        return true;
      }
    }
    return false;
  }

  Result<sstable::EntriesForm> entries_form() const {
    sstable::EntriesForm form;
    BLOOMERY_ASSIGN_OR_RETURN(const std::string comparator, comparator_of_keys());
    form.order = comparator.empty()                           ? KeyOrder::kPresumablyBytewise
                 : comparator == sstable::kBytewiseComparator ? KeyOrder::kBytewise
                                                              : KeyOrder::kOther;
    if (properties_) {
      form.index = properties_->index;
      form.index.first_keys = properties_->has_first_keys;
      form.has_two_levels = properties_->has_two_level_index;
    }
    form.index.is_bytewise = form.order != KeyOrder::kOther;
    return form;
  }

  // Returns the name of the order of keys; empty if nothing records it.
  Result<std::string> comparator_of_keys() const {
    if (properties_) {
      return properties_->comparator;
    }
    if (listed_ != nullptr) {
      return listed_->comparator;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> beside, comparator_beside(source_.path));
    return beside.value_or("");
  }

  // A filter that is asked about all keys, and what becomes of the answers.
  struct Question {
    std::unique_ptr<DialectFilter> filter;
    Proof answers = {};
    std::function<void(const Question& question)> use;
  };

  void ask(std::unique_ptr<DialectFilter> filter, std::function<void(const Question& question)> use) {
    questions_.push_back({.filter = std::move(filter), .use = std::move(use)});
  }

  // Reads all keys, also without a filter.
  void ask_all(sstable::TableEntries& entries) {
    std::vector<AskedKeys> asked;
    for (Question& question : questions_) {
      asked.emplace_back(*question.filter, question.answers);
    }
    const bool has_read_all = read_keys(entries, asked);
    for (AskedKeys& last : asked) {
      last.ask();
    }
    for (const Question& question : questions_) {
      question.use(question);
    }
    if (has_read_all) {
      check_counts(entries);
      check_listed(entries);
    }
  }

  // Returns false if a key is missing.
  bool read_keys(sstable::TableEntries& entries, std::span<AskedKeys> asked) {
    const std::size_t timestamp = properties_ ? properties_->timestamp_bytes() : 0;
    bool has_all = true;
    while (report_progress(entries.offset())) {
      const Result<bool> more = entries.next();
      if (more && !*more) {
        return has_all;
      }
      if (!more) {
        has_all = false;
        proof_.add(more.error());
        continue;
      }
      std::string_view key = entries.user_key();
      key.remove_suffix(std::min(timestamp, key.size()));
      for (AskedKeys& one : asked) {
        one.add(key);
      }
    }
    return false;
  }

  // Returns false if the proof shall stop.
  bool report_progress(std::uint64_t offset) {
    if (!options_.progress || offset - reported_ < kBytesBetweenReports) {
      return true;
    }
    if (options_.progress(offset - std::exchange(reported_, offset))) {
      return true;
    }
    proof_.add_unproven("the proof was stopped");
    return false;
  }

  void check_counts(const sstable::TableEntries& entries) {
    if (!properties_) {
      return;
    }
    const auto expect = [&](const char* what, std::uint64_t stated, std::uint64_t found) {
      if (stated != found) {
        proof_.add(Error(ErrorCode::kCorruption, "properties block",
                         "expected " + std::to_string(found) + " " + what + ", as there are, found " +
                             std::to_string(stated)));
      }
    };
    expect("entries", properties_->entries - std::min(properties_->entries, properties_->range_deletions),
           entries.entries());
    if (properties_->data_blocks != 0) {
      expect("data blocks", properties_->data_blocks, entries.blocks());
    }
  }

  // A tombstone of a range may extend a table's range beyond its keys.
  void check_listed(const sstable::TableEntries& entries) {
    const bool has_ranges = properties_ && properties_->range_deletions != 0;
    if (listed_ == nullptr || entries.entries() == 0 || has_ranges) {
      return;
    }
    const sstable::LiveFile& file = listed_->file;
    if (entries.first_user_key() != file.smallest || entries.last_user_key() != file.largest) {
      proof_.add(Error(ErrorCode::kCorruption, "data block",
                       "expected keys from " + escape_bytes(file.smallest) + " to " +
                           escape_bytes(file.largest) + ", as the manifest says, found " +
                           escape_bytes(entries.first_user_key()) + " to " +
                           escape_bytes(entries.last_user_key())));
    }
  }

  const DialectSource& source_;
  const ProofOptions& options_;
  const ListedTable* listed_;
  Proof& proof_;
  std::optional<RocksDbTableProperties> properties_;  // none for LevelDB
  std::vector<Question> questions_;
  std::uint64_t reported_ = 0;
};

Status prove(const std::string& path, const ProofOptions& options, const ListedTable* listed, Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(path));
  const std::span<const std::byte> bytes = bytes_of_mapping(*mapping);
  proof.bytes = bytes.size();
  if (listed != nullptr && listed->file.size_bytes != bytes.size()) {
    return Error(ErrorCode::kCorruption, path,
                 "expected the " + std::to_string(listed->file.size_bytes) +
                     " bytes that the manifest says, found " + std::to_string(bytes.size()));
  }
  const DialectSource source{.bytes = bytes,
                             .path = path,
                             .owner = mapping,
                             .memory = MemoryBudget::of_file(options.memory, bytes.size())};
  const Status proven = TableProving(source, options, listed, proof).run();
  BLOOMERY_RETURN_IF_ERROR(mapping->status());  // a file that was cut reads as zeros
  return proven;
}

}  // namespace

bool is_table_file(const std::string& path, std::span<const std::byte> bytes) {
  const std::string name = std::filesystem::path(path).filename().string();
  return sstable::ends_like_table(bytes) || name.ends_with(".ldb") || number_in_name(name, ".sst");
}

Proof prove_table_file(const std::string& path, const ProofOptions& options, const ListedTable* listed) {
  Proof proof{.path = path};
  const Status proven = within_memory(path, [&] { return prove(path, options, listed, proof); });
  const auto is_found = [&](const Error& error) {  // the filter and the keys have one index
    return error.to_string() == proven.error().to_string();
  };
  if (!proven && std::ranges::none_of(proof.findings, is_found)) {
    proof.add(proven.error());
  }
  return proof;
}

}  // namespace bloomery
