// Does to a store what was done to tables of a live HBase, as tests/interop/hbase/Recorder.java wrote it down.
//
//   store_replay ROOT RECORD... --ending flush|keep|die [--skip-flushes]
//
// The store is made, or opened, before each record. `keep` leaves the last edits in the log, and so does
// `die`, which ends the process without a word. The store's clock is the record's, so that cells have the
// same timestamps as HBase's.
//
// Exit status: 0 the same results of increments, appends and checks; 1 others; 2 trouble.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <memory_resource>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_text.h"
#include "base/endian.h"
#include "base/message.h"
#include "bloomery/store/store.h"
#include "bloomery/table/family_text.h"
#include "cli/table/import_parser.h"
#include "store/store_access.h"

namespace bloomery::store {
namespace {

// The machine's own time counts milliseconds; the record says which day it is.
class RecordedClock final : public Clock {
 public:
  explicit RecordedClock(std::shared_ptr<Clock> real) : real_(std::move(real)) {}

  std::int64_t now_ms() override { return now_ms_; }
  std::uint64_t steady_ms() override { return real_->steady_ms(); }
  void set_now(std::int64_t now_ms) { now_ms_ = now_ms; }

 private:
  std::shared_ptr<Clock> real_;
  std::atomic<std::int64_t> now_ms_{0};
};

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error(message);
}

void expect(const Status& status) {
  if (!status) {
    fail(status.error().to_string());
  }
}

template <typename Value>
Value expect(Result<Value> result) {
  if (!result) {
    fail(result.error().to_string());
  }
  return *std::move(result);
}

class Replay {
 public:
  Replay(Store& store, RecordedClock& clock, bool flushes)
      : store_(store), clock_(clock), flushes_(flushes) {}

  // Returns how many results differ.
  int differences() const { return differences_; }

  void step(const std::string& line) {
    const std::vector<std::string_view> fields = split(line);
    const std::string_view what = fields[0];
    if (what == "table") {
      schema_ = expect(TableSchema::of_table(fields[1]));
    } else if (what == "family") {
      expect(set_family(*schema_, fields[1], FamilyIs::kNewOrChanged));
    } else if (what == "split") {
      expect(splits_.append(unescape_bytes(fields[1])));  // in order
    } else if (what == "create") {
      choose_filters();
      table_ = expect(store_.create_table(*schema_, splits_));
    } else if (what == "alter") {
      expect(store_.alter_table(*schema_));
    } else if (what == "flush") {
      expect(flushes_ ? table_->flush() : Status());
      ask_for_absent();
    } else if (what == "cell") {
      add_cell(line.substr(what.size() + 1));
    } else if (what == "clock") {
      clock_.set_now(std::stoll(std::string(fields[1])));
    } else {
      write(fields);
      forget_cells();
    }
  }

 private:
  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      fields.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    return fields;
  }

  // Families with ROW choose their filters, so that HBase is given files with two.
  void choose_filters() {
    for (const FamilySchema& family : std::vector<FamilySchema>(schema_->families)) {
      if (family.settings.at("BLOOMFILTER") == "ROW") {
        expect(schema_->set(family.name, "BLOOMFILTER", "AUTO"));
      }
    }
  }
  // Asks for a column that the first row does not have and for a row after it, as often as choices need.
  void ask_for_absent() {
    auto scanner = expect(table_->reader().scan({}));
    if (!expect(scanner.next())) {
      return;
    }
    const std::string row(scanner.result().cells().front().cell().key.row);
    for (int i = 0; i < 40; ++i) {
      GetRequest get;
      get.row = i % 2 == 0 ? row : row + '\0';
      for (const FamilySchema& family : table_->schema().families) {
        if (i % 2 == 0) {
          get.columns.push_back({.family = family.name, .qualifier = "\xff\xff"});
        }
      }
      expect(table_->reader().get(get));
    }
  }

  void add_cell(const std::string& text) {
    std::string line = text;
    const std::vector<std::string_view> fields = split(text);
    if (fields[3].empty()) {
      line.insert(static_cast<std::size_t>(fields[3].data() - text.data()), "9223372036854775807");
    }
    lines_.push_back(std::make_unique<std::string>(line + "\t\t0"));
    expect(parser_.parse(*lines_.back(), arena_, mutations_));
  }

  void forget_cells() {
    mutations_.clear();
    lines_.clear();
    arena_.release();
  }

  void write(const std::vector<std::string_view>& fields) {
    const WriteOptions options{.durability = Durability::kSyncWal};
    if (fields[0] == "mutate") {
      expect(table_->mutate(mutations_, options));
      return;
    }
    const std::string row = unescape_bytes(fields[1]);
    const std::string family = unescape_bytes(fields[2]);
    const std::string qualifier = unescape_bytes(fields[3]);
    if (fields[0] == "check") {
      const Check check{.row = row, .family = family, .qualifier = qualifier};
      const bool is_done = expect(table_->check_and_mutate(check, mutations_, options));
      compare(fields, is_done ? "true" : "false", fields[4]);
      return;
    }
    const std::string by = unescape_bytes(fields[4]);
    const std::string expected = unescape_bytes(fields[5]);
    if (fields[0] == "append") {
      compare(fields, expect(table_->append(row, family, qualifier, by, options)), expected);
    } else if (fields[0] == "increment") {
      const std::int64_t now = expect(table_->increment(row, family, qualifier, std::stoll(by), options));
      std::string bytes(sizeof now, '\0');
      store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint64_t>(now));
      compare(fields, bytes, expected);
    } else {
      fail(message("no such step: ", fields[0]));
    }
  }

  void compare(const std::vector<std::string_view>& fields, std::string_view found,
               std::string_view expected) {
    if (found != expected) {
      ++differences_;
      std::cout << table_->name() << ": " << fields[0] << " of row " << fields[1] << ", " << fields[2] << ":"
                << fields[3] << ": HBase " << escape_bytes(expected) << ", here " << escape_bytes(found)
                << '\n';
    }
  }

  Store& store_;
  RecordedClock& clock_;
  bool flushes_;
  int differences_ = 0;
  std::optional<TableSchema> schema_;
  SplitKeys splits_;
  std::optional<StoreTable> table_;
  cli::ImportParser parser_{cli::CellForm::kTabs, std::nullopt};
  std::pmr::monotonic_buffer_resource arena_;
  std::vector<std::unique_ptr<std::string>> lines_;  // of the mutations
  std::vector<Mutation> mutations_;
};

int run(const std::vector<std::string>& arguments) {
  std::string root;
  std::string ending = "flush";
  std::vector<std::string> records;
  bool flushes = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--skip-flushes") {
      flushes = false;
    } else if (arguments[i] == "--ending" && i + 1 < arguments.size()) {
      ending = arguments[++i];
    } else {
      (root.empty() ? root : records.emplace_back()) = arguments[i];
    }
  }
  int differences = 0;
  for (const std::string& record : records) {
    Environment environment = Environment::real();
    const auto clock = std::make_shared<RecordedClock>(environment.clock);
    environment.clock = clock;
    StoreOptions options;
    options.flushes_at_close = ending == "flush";
    Store store = expect(std::filesystem::exists(root) ? StoreAccess::open(environment, root, options)
                                                       : StoreAccess::create(environment, root, options));
    Replay replay(store, *clock, flushes);
    std::ifstream lines(record);
    for (std::string line; std::getline(lines, line);) {
      replay.step(line);
    }
    differences += replay.differences();
    if (ending == "die" && &record == &records.back()) {
      std::cout.flush();
      std::_Exit(differences > 0 ? 1 : 0);
    }
    expect(store.close());
  }
  return differences > 0 ? 1 : 0;
}

}  // namespace
}  // namespace bloomery::store

int main(int count, char** arguments) {
  try {
    return bloomery::store::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << "store_replay: " << error.what() << '\n';
    return 2;
  }
}
