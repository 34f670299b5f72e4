// A directory of Cassandra's sstables.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "query/byte_keys.h"
#include "query/key_filters.h"

namespace bloomery {
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
  // Sstables without a filter are ignored.
  Status ask_filters(std::span<const std::string_view> keys,
                     std::span<std::uint64_t> answers) const override {
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
  void force_keys(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    for (std::size_t i = 0; forces_maybes() && i < keys.size(); ++i) {
      answers[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  Status ask_each_part(std::span<const std::string_view> keys,
                       std::span<std::uint64_t> words) const override {
    const std::span<const SSTableOfDirectory> sstables = directory_.sstables();
    for (std::size_t part = 0; part < sstables.size(); ++part) {
      if (sstables[part].filter != nullptr) {
        sstables[part].filter->may_contain_batch(keys, words.subspan(part, 1));
      } else {
        words[part] = ~std::uint64_t{0} >> (64 - keys.size());
      }
    }
    return {};
  }

  CassandraDirectory directory_;
};

}  // namespace

std::unique_ptr<KeyFilter> make_key_filter(CassandraDirectory directory, const DialectKeyMaking& making,
                                           BatchKeys& batch) {
  return std::make_unique<SSTableKeys>(std::move(directory), making, batch);
}

}  // namespace bloomery
