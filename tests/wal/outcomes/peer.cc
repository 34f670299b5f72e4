// What a store makes of damaged files and of kills, for tests/wal/outcomes/run and tests/store/outcomes/run: LevelDB, with
// -DROCKSDB RocksDB, with -DBLOOMERY our own.
//
//   peer write FOLDER          a store of 100 entries; the first FLUSHED=N of them are in a table, the others in its log alone
//   peer read FOLDER LIST      opens a copy of the store with each damaged file of a list in the place of its own, and reads
//                              everything. A line of the list is the path of a damaged log, or PATH, tab, and the name of the
//                              file in the store; PATH is - for a file that is gone. Prints a line for each: the path, how it
//                              ended (ok, error, crash), and the entries by their number, or x for one that was not written
//   peer work FOLDER FIRST     writes entries from a number on, every other one synced, until it is killed. Prints each number
//                              when its write has returned. Memory is small, so that it is often written to tables
//   peer check FOLDER FIRST END   prints how many of these entries are lost or wrong, or error
//
// TRACKED=1: RocksDB with track_and_verify_wals_in_manifest. The log is then closed and synced, and a second one follows,
// since RocksDB notes no other logs. PARANOID=1: LevelDB with paranoid_checks and verify_checksums. Each copy is read in a
// process of its own, since a damaged one may crash it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#ifdef BLOOMERY
#include "tests/store/outcomes/bloomery_database.h"
#elif defined(ROCKSDB)
#include <rocksdb/db.h>
namespace db = rocksdb;
#else
#include <leveldb/db.h>
namespace db = leveldb;
#endif

namespace {

namespace fs = std::filesystem;

constexpr int kEntries = 100;

bool is_set(const char* name) {
  return std::getenv(name) != nullptr;
}

#ifdef BLOOMERY
using Database = BloomeryDatabase;
#else
class Database {
 public:
  using Each = std::function<void(std::string_view key, std::string_view value)>;

  bool open(const std::string& folder, bool is_new, bool is_small) {
    db::Options options;
    options.create_if_missing = is_new;
    options.write_buffer_size = is_small ? 64 << 10 : options.write_buffer_size;
    db::DB* opened = nullptr;
#ifdef ROCKSDB
    options.create_missing_column_families = is_new;
    options.track_and_verify_wals_in_manifest = is_set("TRACKED");
    options.info_log_level = db::InfoLogLevel::FATAL_LEVEL;
    options.avoid_flush_during_recovery = true;
    const std::vector<db::ColumnFamilyDescriptor> families = {{db::kDefaultColumnFamilyName, options},
                                                              {"other", options}};
    const db::Status status = db::DB::Open(options, folder, families, &families_, &opened);
#else
    options.paranoid_checks = is_set("PARANOID");
    read_.verify_checksums = is_set("PARANOID");
    const db::Status status = db::DB::Open(options, folder, &opened);
#endif
    db_.reset(opened);
    return status.ok();
  }

  bool put(const std::string& key, const std::string& value, bool is_synced) {
    db::WriteOptions options;
    options.sync = is_synced;
    return db_->Put(options, key, value).ok();
  }

#ifdef ROCKSDB
  ~Database() {
    for (db::ColumnFamilyHandle* const family : families_) {
      db_->DestroyColumnFamilyHandle(family);
    }
  }
  bool flush() {
    return db_->Flush({}).ok();
  }
  // Another family: what it has in the log keeps the log, and a flush of it closes the log.
  bool put_other(const std::string& value) {
    db::WriteOptions sync;
    sync.sync = true;
    return db_->Put(sync, families_[1], "other", value).ok();
  }
  bool flush_other() {
    return db_->Flush({}, families_[1]).ok();
  }
#else
  bool flush() {
    db_->CompactRange(nullptr, nullptr);
    return true;
  }
#endif

  bool scan(const Each& each) const {
    const std::unique_ptr<db::Iterator> entry(db_->NewIterator(read_));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      each(entry->key().ToString(), entry->value().ToString());
    }
    return entry->status().ok();
  }
  bool get(const std::string& key, const Each& each) const {
    std::string value;
    const db::Status status = db_->Get(read_, key, &value);
    if (status.ok()) {
      each(key, value);
    }
    return status.ok() || status.IsNotFound();
  }

 private:
  std::unique_ptr<db::DB> db_;
  db::ReadOptions read_;
#ifdef ROCKSDB
  std::vector<db::ColumnFamilyHandle*> families_;
#endif
};
#endif

void require(bool is_done) {
  if (!is_done) {
    std::cerr << "peer: a call failed\n";
    std::_Exit(1);
  }
}

std::string key_of(int number) {
  return "row-" + std::to_string(number);
}
std::string value_of(int number) {
  return "value-" + std::to_string(number);
}

int write(const std::string& folder) {
  const int flushed = is_set("FLUSHED") ? std::atoi(std::getenv("FLUSHED")) : 0;
  Database database;
  require(database.open(folder, true, false));
#ifdef ROCKSDB
  require(!is_set("TRACKED") || database.put_other("value"));
#endif
  for (int i = 0; i < kEntries; ++i) {
    require(database.put(key_of(i), value_of(i), true));
    require(i + 1 != flushed || database.flush());
  }
#ifdef ROCKSDB
  require(!is_set("TRACKED") || (database.flush_other() && database.put_other("newer")));
#endif
  std::_Exit(0);  // as if it had been killed
}

// Reads the store and writes its entries to `out`. Returns how that ended.
std::string read_all(const std::string& folder, std::string& entries) {
  Database database;
  if (!database.open(folder, false, false)) {
    return "error";
  }
  std::vector<bool> is_scanned(kEntries);
  bool is_ok = database.scan([&](std::string_view key, std::string_view value) {
    int number = 0;
    while (number < kEntries && key_of(number) != key) {
      ++number;
    }
    const bool is_right = number < kEntries && value == value_of(number);
    if (is_right) {
      is_scanned[static_cast<std::size_t>(number)] = true;
    } else {
      entries += (entries.empty() ? "" : ",") + std::string("x");
    }
  });
  for (int i = 0; i < kEntries; ++i) {
    const auto take = [&](std::string_view, std::string_view value) {
      const bool is_right = value == value_of(i);
      if (!is_right || is_scanned[static_cast<std::size_t>(i)]) {  // what only the get finds is not there
        entries += (entries.empty() ? "" : ",") + (is_right ? std::to_string(i) : "x");
      }
    };
    is_ok = database.get(key_of(i), take) && is_ok;
  }
  return is_ok ? "ok" : "error";
}

struct DamagedFile {
  std::string path = {};
  std::string name = {};
};

void read(const std::string& folder, const std::string& copy, const DamagedFile& damaged) {
  fs::remove_all(copy);
  fs::copy(folder, copy, fs::copy_options::recursive);
  if (damaged.path == "-") {
    fs::remove(fs::path(copy) / damaged.name);
  } else {
    fs::copy_file(damaged.path, fs::path(copy) / damaged.name, fs::copy_options::overwrite_existing);
  }
  std::cout << std::flush;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::string entries;
    const std::string end = read_all(copy, entries);
    std::cout << damaged.path << "\t" << end << "\t" << entries << std::endl;
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::cout << damaged.path << "\tcrash\t" << std::endl;
  }
}

int read_copies(const std::string& folder, const std::string& list) {
  fs::path log;  // the older one
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".log" && (log.empty() || entry.path() < log)) {
      log = entry.path();
    }
  }
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    const bool is_named = tab != std::string::npos;
    read(folder, folder + ".copy",
         {.path = line.substr(0, tab), .name = is_named ? line.substr(tab + 1) : log.filename().string()});
  }
  return 0;
}

int work(const std::string& folder, int first) {
  Database database;
  require(database.open(folder, !fs::exists(folder) || fs::is_empty(folder), true));
  for (int i = first;; ++i) {
    require(database.put(key_of(i), value_of(i), i % 2 == 0));
    const std::string line = std::to_string(i) + "\n";
    require(::write(STDOUT_FILENO, line.data(), line.size()) > 0);
  }
}

int check(const std::string& folder, int first, int end) {
  Database database;
  int lost = 0;
  bool is_ok = database.open(folder, false, true);
  for (int i = first; is_ok && i < end; ++i) {
    bool is_found = false;
    is_ok = database.get(key_of(i),
                         [&](std::string_view, std::string_view value) { is_found = value == value_of(i); });
    lost += is_found ? 0 : 1;
  }
  std::cout << (is_ok ? std::to_string(lost) : "error") << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 2 ? argv[1] : "";
  if (verb == "write" && argc == 3) {
    return write(argv[2]);
  }
  if (verb == "read" && argc == 4) {
    return read_copies(argv[2], argv[3]);
  }
  if (verb == "work" && argc == 4) {
    return work(argv[2], std::atoi(argv[3]));
  }
  if (verb == "check" && argc == 5) {
    return check(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  }
  std::cerr << "peer: expected write, read, work or check\n";
  return 2;
}
