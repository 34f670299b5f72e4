#include "cli/cassandra_keys.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/dialect_keys.h"
#include "cli/exit_status.h"

namespace bloomery::cli {
namespace {

class SSTableKeys final : public KeyFilter {
 public:
  SSTableKeys(CassandraDirectory directory, const DialectKeyMaking& making, BatchKeys& batch)
      : directory_(std::move(directory)),
        bytes_(batch.want_bytes(making.treatment, making.encoder)),
        hashes_(batch.want_hashes({}, making.treatment, making.encoder)) {}

  Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_RETURN_IF_ERROR(ask_filters(batch, answers));
    for (std::size_t i = 0; may_force() && i < batch.size(); ++i) {
      answers[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return {};
  }
  Status clear_forced(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    return ask_filters(batch, answers);
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override {
    return batch.hashes(hashes_);
  }

  // Computed as if every filter were asked for every key.
  double current_fpp() const override {
    double all_say_no = may_force() ? 0 : 1;
    for (const SSTableOfDirectory& sstable : directory_.sstables()) {
      all_say_no *= sstable.filter == nullptr ? 1 : 1 - sstable.filter->current_fpp();
    }
    return 1 - all_say_no;
  }
  bool is_static() const override { return true; }
  bool may_force() const override {
    return std::ranges::any_of(directory_.sstables(),
                               [](const SSTableOfDirectory& sstable) { return sstable.filter == nullptr; });
  }
  std::optional<double> target_fpp() const override { return std::nullopt; }
  std::optional<std::uint64_t> capacity() const override { return std::nullopt; }
  Status file_status() const override {
    for (const SSTableOfDirectory& sstable : directory_.sstables()) {
      if (const Status whole = sstable.filter ? sstable.filter->file_status() : Status(); !whole) {
        return whole.error().in_file(sstable.name);
      }
    }
    return {};
  }

 private:
  // Sets the answers to what the filters say, without the sstables that have none.
  Status ask_filters(BatchKeys& batch, std::span<std::uint64_t> answers) const {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, batch.bytes(bytes_));
    std::ranges::fill(answers, 0);
    std::vector<std::uint64_t> of_one(answers.size());
    for (const SSTableOfDirectory& sstable : directory_.sstables()) {
      if (sstable.filter != nullptr) {
        sstable.filter->may_contain_batch(keys, of_one);
        std::ranges::transform(answers, of_one, answers.begin(), std::bit_or<>());
      }
    }
    return {};
  }

  CassandraDirectory directory_;
  std::size_t bytes_;
  std::size_t hashes_;
};

void warn_of(std::string_view verb, const CassandraDirectory& directory, const std::string& name) {
  for (const std::string& note : directory.notes()) {
    warn(verb, name + "/" + note);
  }
  for (const SSTableOfDirectory& sstable : directory.sstables()) {
    if (sstable.filter == nullptr) {
      warn(verb, fmt::format("warning: {}/{} may hold every key: {}", name, sstable.name, sstable.trouble));
    }
  }
}

}  // namespace

bool is_cassandra_directory(const std::string& path, const DialectChoice& dialect) {
  return dialect.given().empty() ? CassandraDirectory::looks_like_one(path) : is_cassandra(dialect.given());
}

Result<CassandraDirectory> open_cassandra(const std::string& path, const DialectChoice& dialect) {
  if (dialect.given().find(':') != std::string::npos) {
    return Error::invalid_argument(
        path,
        "a directory: expected the dialect cassandra without a version, found '" + dialect.given() + "'");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, dialect.memory());
  return CassandraDirectory::open(path, memory);
}

Result<std::unique_ptr<KeyFilter>> open_cassandra_directory(std::string_view verb, const std::string& name,
                                                            const DialectChoice& dialect,
                                                            const KeyOptions& keys, BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(CassandraDirectory directory, open_cassandra(name, dialect));
  std::optional<std::string> recorded;
  if (!keys.names_a_form()) {
    BLOOMERY_ASSIGN_OR_RETURN(recorded, in_file(directory.key_type(), name));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, in_file(keys_of_cassandra(keys, recorded), name));
  warn_of(verb, directory, name);
  std::unique_ptr<KeyFilter> opened = std::make_unique<SSTableKeys>(std::move(directory), making, batch);
  return opened;
}

}  // namespace bloomery::cli
