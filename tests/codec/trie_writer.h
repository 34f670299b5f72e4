// Writes Partitions.db, with every type of node that a trie can have: where several types fit, each in turn.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/endian.h"

namespace bloomery {

class TrieWriter {
 public:
  // Adds a prefix and the payload behind its node, whose flags are `flags`.
  void add(const std::string& prefix, std::uint8_t flags, const std::string& payload) {
    payloads_[prefix] = {flags, payload};
  }
  // Adds a prefix whose payload has a hash byte and a position in as few bytes as it needs.
  void add(const std::string& prefix, std::uint8_t hash_byte, std::int64_t position) {
    std::string bytes;
    for (std::size_t count = 1; bytes.empty(); ++count) {
      const auto unused = 64 - 8 * static_cast<int>(count);
      if (static_cast<std::int64_t>(static_cast<std::uint64_t>(position) << unused) >> unused == position) {
        bytes = big(static_cast<std::uint64_t>(position), count);
      }
    }
    add(prefix, static_cast<std::uint8_t>(8 + bytes.size() - 1), static_cast<char>(hash_byte) + bytes);
  }
  const std::array<int, 16>& types() const { return types_; }  // how many nodes have each type

  std::string file(const std::string& first_key, const std::string& last_key) {
    const std::uint64_t root = write("");
    const std::uint64_t keys_at = out_.size();
    return out_ + big(first_key.size(), 2) + first_key + big(last_key.size(), 2) + last_key +
           big(keys_at, 8) + big(payloads_.size(), 8) + big(root, 8);
  }

  static std::string big(std::uint64_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t i = bytes; i-- > 0;) {
      text += static_cast<char>(value >> (8 * i) & 0xff);
    }
    return text;
  }

 private:
  struct Child {
    std::uint8_t byte;
    std::uint64_t at;
  };

  static constexpr std::array<unsigned, 16> kBits = {0,  4,  8,  12, 16, 8,  12, 16,
                                                     24, 40, 12, 16, 24, 32, 40, 64};

  static bool is_single(unsigned type) { return type >= 1 && type <= 4; }
  static bool is_sparse(unsigned type) { return type >= 5 && type <= 9; }

  unsigned type_of(std::size_t children, std::uint64_t most_back, bool has_payload) {
    std::vector<unsigned> fitting;
    for (unsigned type = children == 0   ? 0
                         : children == 1 ? 1
                                         : 5;
         type < (children == 0 ? 1U : 16U); ++type) {
      const bool fits = type == 15 || children == 0 || most_back >> kBits[type] == 0;
      const bool counts = !is_sparse(type) || children < 256;
      if (fits && counts && (!has_payload || (type != 1 && type != 3))) {
        fitting.push_back(type);
      }
    }
    return *std::ranges::min_element(fitting, {}, [this](unsigned type) { return types_[type]; });
  }

  // Writes the nodes of all prefixes that begin with `prefix`, children first. Returns the place of the node.
  std::uint64_t write(const std::string& prefix) {
    std::vector<Child> children;
    for (auto at = payloads_.upper_bound(prefix); at != payloads_.end() && at->first.starts_with(prefix);
         at = payloads_.upper_bound(prefix + static_cast<char>(children.back().byte) +
                                    std::string(64, '\xff'))) {
      const char byte = at->first[prefix.size()];
      children.push_back({static_cast<std::uint8_t>(byte), write(prefix + byte)});
    }
    const std::uint64_t here = out_.size();
    std::uint64_t most_back = 0;
    for (const Child& child : children) {
      most_back = std::max(most_back, here - child.at);
    }
    const auto payload = payloads_.find(prefix);
    const bool has_payload = payload != payloads_.end();
    const unsigned type = type_of(children.size(), most_back, has_payload);
    ++types_[type];
    write_node(type, has_payload ? payload->second.flags : 0U, children, here);
    out_ += has_payload ? payload->second.bytes : "";
    return here;
  }

  void write_node(unsigned type, unsigned flags, const std::vector<Child>& children, std::uint64_t here) {
    const unsigned bits = kBits[type];
    if (type == 1 || type == 3) {
      const std::uint64_t back = here - children[0].at;
      out_ +=
          big(type << (bits == 4 ? 4 : 12) | back, bits == 4 ? 1 : 2) + static_cast<char>(children[0].byte);
      return;
    }
    out_ += static_cast<char>(type << 4 | flags);
    std::vector<std::uint64_t> pointers;
    if (is_single(type) || is_sparse(type)) {
      out_ += is_sparse(type) ? std::string(1, static_cast<char>(children.size())) : "";
      for (const Child& child : children) {
        out_ += static_cast<char>(child.byte);
        pointers.push_back(here - child.at);
      }
    } else if (type != 0) {
      pointers.resize(children.back().byte - children.front().byte + 1U);
      out_ += static_cast<char>(children.front().byte);
      out_ += static_cast<char>(pointers.size() - 1);
      for (const Child& child : children) {
        pointers[child.byte - children.front().byte] = here - child.at;
      }
    }
    write_pointers(bits, pointers);
  }

  void write_pointers(unsigned bits, const std::vector<std::uint64_t>& pointers) {
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      if (bits != 12) {
        out_ += big(pointers[i], bits / 8);
      } else if (i % 2 == 1) {
        out_ += big(pointers[i - 1] << 12 | pointers[i], 3);
      } else if (i + 1 == pointers.size()) {
        out_ += big(pointers[i] << 4, 2);
      }
    }
  }

  struct Payload {
    std::uint8_t flags;
    std::string bytes;
  };

  std::map<std::string, Payload> payloads_;
  std::array<int, 16> types_ = {};
  std::string out_;
};

}  // namespace bloomery
