// What LevelDB and RocksDB make of damaged logs, for tests/wal/outcomes/run; -DROCKSDB for the latter.
//
//   peer write FOLDER          a database of 100 entries that are in its log alone. Prints the path of the log
//   peer read FOLDER LIST      opens a copy of the database with each log of a list in the place of its own, and reads
//                              everything. Prints a line for each: the path, how it ended (ok, error, crash), and the
//                              entries by their number, or x for one that was not written
//
// TRACKED=1: RocksDB with track_and_verify_wals_in_manifest. The log is then closed and synced, and a second one follows,
// since RocksDB notes no other logs. Each log is read in a process of its own, since a damaged one may crash it.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#ifdef ROCKSDB
#include <rocksdb/db.h>
namespace db = rocksdb;
#else
#include <leveldb/db.h>
namespace db = leveldb;
#endif

namespace {

namespace fs = std::filesystem;

constexpr int kEntries = 100;

void require(const db::Status& status) {
  if (!status.ok()) {
    std::cerr << status.ToString() << "\n";
    std::exit(1);
  }
}

std::string key_of(int number) {
  return "row-" + std::to_string(number);
}
std::string value_of(int number) {
  return "value-" + std::to_string(number);
}

struct Database {
  std::unique_ptr<db::DB> db;
#ifdef ROCKSDB
  std::vector<db::ColumnFamilyHandle*> families;
  ~Database() {
    for (db::ColumnFamilyHandle* const family : families) {
      db->DestroyColumnFamilyHandle(family);
    }
  }
#endif
};

[[maybe_unused]] bool is_tracked() {
  return std::getenv("TRACKED") != nullptr;
}

db::Status open(const std::string& folder, bool is_new, Database& to) {
  db::Options options;
  options.create_if_missing = is_new;
  db::DB* opened = nullptr;
#ifdef ROCKSDB
  options.create_missing_column_families = is_new;
  options.track_and_verify_wals_in_manifest = is_tracked();
  options.info_log_level = db::InfoLogLevel::FATAL_LEVEL;
  options.avoid_flush_during_recovery = true;
  const std::vector<db::ColumnFamilyDescriptor> families = {{db::kDefaultColumnFamilyName, {}},
                                                            {"other", {}}};
  const db::Status status = db::DB::Open(options, folder, families, &to.families, &opened);
#else
  const db::Status status = db::DB::Open(options, folder, &opened);
#endif
  to.db.reset(opened);
  return status;
}

int write(const std::string& folder) {
  Database database;
  require(open(folder, true, database));
  db::WriteOptions sync;
  sync.sync = true;
#ifdef ROCKSDB
  if (is_tracked()) {
    require(database.db->Put(sync, database.families[1], "other", "value"));
  }
#endif
  for (int i = 0; i < kEntries; ++i) {
    require(database.db->Put(sync, key_of(i), value_of(i)));
  }
#ifdef ROCKSDB
  if (is_tracked()) {
    require(database.db->Flush({}, database.families[1]));
    require(database.db->Put(sync, database.families[1], "other", "newer"));
  }
#endif
  std::_Exit(0);  // as if it had been killed
}

// Reads the database and writes its entries to `out`. Returns how that ended.
std::string read_all(const std::string& folder, std::string& entries) {
  Database database;
  if (!open(folder, false, database).ok()) {
    return "error";
  }
  const std::unique_ptr<db::Iterator> each(database.db->NewIterator({}));
  for (each->SeekToFirst(); each->Valid(); each->Next()) {
    const std::string key = each->key().ToString();
    int number = 0;
    while (number < kEntries && key_of(number) != key) {
      ++number;
    }
    const bool is_right = number < kEntries && each->value().ToString() == value_of(number);
    entries += (entries.empty() ? "" : ",") + (is_right ? std::to_string(number) : "x");
  }
  return each->status().ok() ? "ok" : "error";
}

void read(const std::string& folder, const std::string& copy, const std::string& log_name,
          const std::string& damaged) {
  fs::remove_all(copy);
  fs::copy(folder, copy);
  fs::copy_file(damaged, fs::path(copy) / log_name, fs::copy_options::overwrite_existing);
  std::cout << std::flush;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::string entries;
    const std::string end = read_all(copy, entries);
    std::cout << damaged << "\t" << end << "\t" << entries << std::endl;
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::cout << damaged << "\tcrash\t" << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argv[2];
  if (argc == 3) {
    return write(folder);
  }
  fs::path log;  // the older one
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".log" && (log.empty() || entry.path() < log)) {
      log = entry.path();
    }
  }
  std::ifstream list(argv[3]);
  for (std::string damaged; std::getline(list, damaged);) {
    read(folder, folder + ".copy", log.filename().string(), damaged);
  }
}
