// LevelDB's own checks of a list of tables and databases:
//
//   leveldb_verdicts SCRATCH < list     a line of the list: number, path, tab-separated
//
// Prints for each line: number, verdict (`found` or `clean`), and what LevelDB said, tab-separated.
//
// A table is opened alone. A database (a folder) is copied to SCRATCH and opened. Both have a filter
// policy and paranoid_checks, and every entry is read with verify_checksums. LevelDB has no check that
// asks a filter about the keys of its table.
#include <filesystem>
#include <iostream>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>
#include <leveldb/table.h>
#include <memory>
#include <string>

namespace {

struct Verdict {
  leveldb::Status status;
  std::size_t entries = 0;
};

leveldb::Options options_with(const leveldb::FilterPolicy* policy) {
  leveldb::Options options;
  options.paranoid_checks = true;
  options.filter_policy = policy;
  return options;
}

Verdict scan(std::unique_ptr<leveldb::Iterator> entries) {
  Verdict verdict;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    ++verdict.entries;
  }
  verdict.status = entries->status();
  return verdict;
}

leveldb::ReadOptions verified() {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  return options;
}

Verdict check_table(const std::string& path, const leveldb::FilterPolicy* policy) {
  leveldb::RandomAccessFile* opened = nullptr;
  leveldb::Status status = leveldb::Env::Default()->NewRandomAccessFile(path, &opened);
  if (!status.ok()) {
    return {status};
  }
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  leveldb::Table* read = nullptr;
  status = leveldb::Table::Open(options_with(policy), file.get(), std::filesystem::file_size(path), &read);
  if (!status.ok()) {
    return {status};
  }
  const std::unique_ptr<leveldb::Table> table(read);
  return scan(std::unique_ptr<leveldb::Iterator>(table->NewIterator(verified())));
}

Verdict check_database(const std::string& folder, const leveldb::FilterPolicy* policy) {
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options_with(policy), folder, &opened);
  if (!status.ok()) {
    return {status};
  }
  const std::unique_ptr<leveldb::DB> database(opened);
  return scan(std::unique_ptr<leveldb::Iterator>(database->NewIterator(verified())));
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path scratch = arguments[1];
  const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
  std::string number;
  std::string path;
  while (std::getline(std::cin, number, '\t') && std::getline(std::cin, path)) {
    Verdict verdict;
    if (std::filesystem::is_directory(path)) {
      std::filesystem::copy(path, scratch / number, std::filesystem::copy_options::recursive);
      verdict = check_database(scratch / number, policy.get());
    } else {
      verdict = check_table(path, policy.get());
    }
    const std::string said = verdict.status.ok()
                                 ? "clean\t" + std::to_string(verdict.entries) + " entries read"
                                 : "found\t" + verdict.status.ToString();
    std::cout << number << '\t' << said << '\n';
  }
}
