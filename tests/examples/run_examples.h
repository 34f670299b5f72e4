// Runs the examples of public headers and pages, which scripts/header-examples has made functions of.
//
// An example runs in a directory of its own, in which make_files() has made the files that examples open. A crash
// ends the program; the last line that it printed names the example.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/all.hpp"

namespace bloomery::examples {

inline std::vector<Hash128> hashes_of(std::initializer_list<std::string_view> keys) {
  std::vector<Hash128> hashes(keys.size());
  hash_batch(std::span(keys.begin(), keys.size()), HashSpec(), hashes);
  return hashes;
}

// Ends the program if a file cannot be made.
inline void expect(const Status& status) {
  if (!status) {
    std::cerr << status.error().to_string() << "\n";
    std::exit(1);
  }
}

inline void write_hfile(const std::string& path) {
  auto writer = *HFileWriter::create(path, {.bloom = {.type = hfile::BloomType::kRow}});
  const CellKey key{"row 1", "f", "q", 1, CellType::kPut};
  expect(writer.append({.key = key, .value = "a value"}));
  expect(writer.finish());
}

inline void make_files() {
  const std::vector<std::string_view> keys = {"a key", "alice"};
  auto filter = *BlockedBloomFilter::build(keys, 0.01);
  expect(filter.save("keys.filter"));
  expect(filter.save("set.bloom"));
  auto digests = *BlockedBloomFilter::for_capacity(10, 0.01, {.keys = {.form = KeyForm::kHex}});
  digests.insert(*digests.key_of("deadbeef"));
  expect(digests.save("digests.bloom"));

  const auto builder = *build_dialect("guava", {.capacity = 10, .fpp = 0.01, .bits_per_key = {}});
  expect(builder->add(keys));
  expect((*builder->finish())->save("users.bf"));

  std::filesystem::create_directories("db");
  std::filesystem::create_directories("table/region/f");
  write_hfile("cells.hfile");
  write_hfile("0123456789abcdef0123456789abcdef");
  write_hfile("table/region/f/0123456789abcdef0123456789abcdef");
}

inline void run(const char* place, void (*example)()) {
  static int number = 0;
  std::cout << place << std::endl;
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path directory = before / std::to_string(++number);
  std::filesystem::create_directory(directory);
  std::filesystem::current_path(directory);
  make_files();
  example();
  std::filesystem::current_path(before);
}

}  // namespace bloomery::examples
