// A database directory of LevelDB or RocksDB.
#include <algorithm>
#include <utility>

#include "query/byte_keys.h"
#include "query/key_filters.h"

namespace bloomery {
namespace {

// A database. If some file could not be queried, its maybes are forced.
class DatabaseKeys final : public ByteKeys {
 public:
  DatabaseKeys(Database database, const DialectKeyMaking& making, BatchKeys& batch)
      : ByteKeys(making, batch), database_(std::move(database)) {}

  double current_fpp(const BatchKeys&) const override { return database_.current_fpp(); }
  bool is_static() const override { return true; }
  std::optional<double> target_fpp() const override { return std::nullopt; }
  std::optional<std::uint64_t> capacity() const override { return std::nullopt; }
  // Keys outside the ranges of all files are answered no without a filter, so fewer maybes are wrong.
  bool has_exceptions() const override { return true; }
  bool forces_maybes() const override { return database_.forces_maybes(); }
  std::uint64_t log_keys() const override { return database_.log_keys(); }
  Status file_status() const override { return database_.file_status(); }

 private:
  Status ask_filters(std::span<const std::string_view> keys,
                     std::span<std::uint64_t> answers) const override {
    std::ranges::fill(answers, 0);
    set_bits(keys, answers, [](DatabaseAnswer answer) { return answer == DatabaseAnswer::kMaybe; });
    return {};
  }
  void force_keys(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    set_bits(keys, answers, [](DatabaseAnswer answer) { return answer == DatabaseAnswer::kForced; });
  }

  // Sets the bits of the keys whose answer is `wanted`.
  template <typename Wanted>
  void set_bits(std::span<const std::string_view> keys, std::span<std::uint64_t> answers,
                Wanted wanted) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i / 64] |= std::uint64_t{wanted(database_.ask(keys[i]))} << (i % 64);
    }
  }

  Database database_;
};

}  // namespace

std::unique_ptr<KeyFilter> make_key_filter(Database database, const DialectKeyMaking& making,
                                           BatchKeys& batch) {
  return std::make_unique<DatabaseKeys>(std::move(database), making, batch);
}

}  // namespace bloomery
