// The file info of an HFile: names and values, such as the last key or the type of the Bloom filter.
//
//   PBUF | varint length | message { repeated 1: message { 1: name, 2: value } }
//
// HBase and our writer write the names in ascending order; a reader accepts any order, but no name twice.
// Values are bytes. Numbers in them are big-endian, of 4 or 8 bytes. A boolean is one byte; zero is false.
//
// Source: HBase's HFileInfo; docs/formats/hfile.md, which lists the names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"

namespace bloomery::hfile {

class FileInfo {
 public:
  // Charges the entries to `memory`. Errors: kCorruption; kCapacity.
  static Result<FileInfo> parse(std::span<const std::byte> payload, std::uint64_t offset,
                                MemoryShare memory = {});

  const std::map<std::string, std::string, std::less<>>& entries() const { return entries_; }
  std::optional<std::string_view> find(std::string_view name) const;
  // Return nothing if there is no entry of that name. Errors: kCorruption if its value has another size.
  Result<std::optional<std::int32_t>> int32_of(std::string_view name) const;
  Result<std::optional<std::int64_t>> int64_of(std::string_view name) const;
  // Returns false if there is no entry of that name. Errors: kCorruption if its value is not one byte.
  Result<bool> is_true(std::string_view name) const;

 private:
  Error wrong_size(std::string_view name, std::size_t expected, std::size_t found) const;

  std::uint64_t offset_ = 0;
  std::map<std::string, std::string, std::less<>> entries_;
  MemoryShare memory_;
};

}  // namespace bloomery::hfile
