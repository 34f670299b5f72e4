#include "cli/cassandra_keys.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/byte_keys.h"
#include "cli/dialect_keys.h"
#include "cli/exit_status.h"

namespace bloomery::cli {
namespace {

// An sstable without a filter forces the answer maybe for every key.
class SSTableKeys final : public ByteKeys {
 public:
  SSTableKeys(CassandraDirectory directory, const DialectKeyMaking& making, BatchKeys& batch)
      : ByteKeys(making, batch), directory_(std::move(directory)) {}

  bool forces_maybes() const override {
    return std::ranges::any_of(directory_.sstables(),
                               [](const SSTableOfDirectory& sstable) { return sstable.filter == nullptr; });
  }
  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, keys_of(batch));
    ask_filters(keys, answers);
    return {};
  }
  Status force(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    set_forced(batch.size(), answers);
    return {};
  }

  // Each part is a live sstable.
  std::size_t part_count() const override { return directory_.sstables().size(); }
  bool part_has_filter(std::size_t part) const override {
    return directory_.sstables()[part].filter != nullptr;
  }

  // Returns the probability that some filter answers maybe, as if every filter were queried for every key.
  double current_fpp(const BatchKeys&) const override {
    double all_say_no = forces_maybes() ? 0 : 1;
    for (const SSTableOfDirectory& sstable : directory_.sstables()) {
      all_say_no *= sstable.filter == nullptr ? 1 : 1 - sstable.filter->current_fpp();
    }
    return 1 - all_say_no;
  }
  bool is_static() const override { return true; }
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
  void ask(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    ask_filters(keys, answers);
    set_forced(keys.size(), answers);
  }

  void ask_each_part(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const override {
    const std::span<const SSTableOfDirectory> sstables = directory_.sstables();
    for (std::size_t part = 0; part < sstables.size(); ++part) {
      if (sstables[part].filter != nullptr) {
        sstables[part].filter->may_contain_batch(keys, words.subspan(part, 1));
      } else {
        words[part] = ~std::uint64_t{0} >> (64 - keys.size());
      }
    }
  }

  // Sets the answers of the filters. Sstables without a filter are ignored.
  void ask_filters(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const {
    std::ranges::fill(answers, 0);
    std::vector<std::uint64_t> of_one(answers.size());
    for (const SSTableOfDirectory& sstable : directory_.sstables()) {
      if (sstable.filter != nullptr) {
        sstable.filter->may_contain_batch(keys, of_one);
        std::ranges::transform(answers, of_one, answers.begin(), std::bit_or<>());
      }
    }
  }

  // Sets the answers that sstables without a filter force.
  void set_forced(std::size_t count, std::span<std::uint64_t> answers) const {
    for (std::size_t i = 0; forces_maybes() && i < count; ++i) {
      answers[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  CassandraDirectory directory_;
};

void warn_of_directory(std::string_view verb, const CassandraDirectory& directory, const std::string& name) {
  for (const std::string& note : directory.notes()) {
    warn(verb, fmt::format("{}/{}", name, note));
  }
  for (const SSTableOfDirectory& sstable : directory.sstables()) {
    if (sstable.filter == nullptr) {
      warn(verb, fmt::format("warning: {}/{} may hold every key: {}", name, sstable.name, sstable.trouble));
    }
  }
}

}  // namespace

bool is_cassandra_directory(const std::string& path, const DialectChoice& dialect) {
  return dialect.given().empty() ? CassandraDirectory::looks_like_one(path)
                                 : dialect.named().row->directory == DialectDirectory::kSSTables;
}

Result<CassandraDirectory> open_cassandra(const std::string& path, const DialectChoice& dialect) {
  if (dialect.given().find(':') != std::string::npos) {
    return Error::invalid_argument(
        path,
        "a directory: expected the dialect cassandra without a version, found '" + dialect.given() + "'");
  }
  BLOOMERY_RETURN_IF_ERROR(dialect.check_no_database(path));
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
  warn_of_directory(verb, directory, name);
  std::unique_ptr<KeyFilter> opened = std::make_unique<SSTableKeys>(std::move(directory), making, batch);
  return opened;
}

}  // namespace bloomery::cli
