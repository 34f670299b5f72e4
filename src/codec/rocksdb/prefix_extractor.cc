#include "codec/rocksdb/prefix_extractor.h"

#include <array>

#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::string_view kFixedName = "rocksdb.FixedPrefix.";
constexpr std::string_view kCappedName = "rocksdb.CappedPrefix.";
constexpr std::string_view kNoopName = "rocksdb.Noop";

std::optional<std::size_t> number_behind(std::string_view front, std::string_view text) {
  if (!text.starts_with(front)) {
    return std::nullopt;
  }
  return number_from_text<std::size_t>(text.substr(front.size()));
}

}  // namespace

Result<RocksDbPrefixExtractor> RocksDbPrefixExtractor::parse(std::string_view text) {
  for (const std::string_view front : {std::string_view("fixed:"), kFixedName}) {
    if (const auto bytes = number_behind(front, text)) {
      return RocksDbPrefixExtractor(Kind::kFixed, *bytes);
    }
  }
  for (const std::string_view front : {std::string_view("capped:"), kCappedName}) {
    if (const auto bytes = number_behind(front, text)) {
      return RocksDbPrefixExtractor(Kind::kCapped, *bytes);
    }
  }
  if (text == "noop" || text == kNoopName) {
    return RocksDbPrefixExtractor(Kind::kNoop, 0);
  }
  return Error::invalid_argument("prefix extractor",
                                 "expected fixed:N, capped:N or noop, found '" + std::string(text) + "'");
}

std::optional<std::string_view> RocksDbPrefixExtractor::prefix_of(std::string_view key) const {
  if (kind_ == Kind::kNoop) {
    return key;
  }
  if (kind_ == Kind::kFixed && key.size() < bytes_) {
    return std::nullopt;
  }
  return key.substr(0, bytes_);
}

std::string RocksDbPrefixExtractor::name() const {
  switch (kind_) {
    case Kind::kFixed:
      return std::string(kFixedName) + std::to_string(bytes_);
    case Kind::kCapped:
      return std::string(kCappedName) + std::to_string(bytes_);
    case Kind::kNoop:
      break;
  }
  return std::string(kNoopName);
}

}  // namespace bloomery
