#include "codec/cassandra/partition_trie.h"

#include <array>

#include "base/endian.h"
#include "base/message.h"

namespace bloomery {
namespace {

constexpr const char* kPartitionsSubject = "Partitions.db";
constexpr std::size_t kPartitionsFooterBytes = 24;
// A token of at most 17 bytes and a key of 65,535 bytes, each escaped, between separators.
constexpr std::size_t kMostTrieDepth = std::size_t{2} * (17 + 65'535) + 4;

enum TrieNodeType : std::uint8_t {
  kPayloadOnly = 0,
  kSingle4 = 1,
  kSingle12 = 3,
  kLastSingle = 4,
  kSparse12 = 6,
  kLastSparse = 9,
  kDense12 = 10,
};

// The bits of a pointer, by the type of its node.
constexpr std::array<std::uint8_t, 16> kPointerBits = {0,  4,  8,  12, 16, 8,  12, 16,
                                                       24, 40, 12, 16, 24, 32, 40, 64};

bool is_single(std::uint8_t type) {
  return type != kPayloadOnly && type <= kLastSingle;
}
bool is_sparse(std::uint8_t type) {
  return type > kLastSingle && type <= kLastSparse;
}

// Removes a key with its length from the front of `bytes`.
Result<std::string_view> take_end_key(std::span<const std::byte>& bytes, const char* which) {
  if (bytes.size() < 2 || bytes.size() - 2 < load_big16(bytes.data())) {
    return Error::corruption(kPartitionsSubject, 0, message("a length and the ", which),
                             message(bytes.size(), " bytes"));
  }
  const std::size_t length = load_big16(bytes.data());
  const std::string_view key(reinterpret_cast<const char*>(bytes.data()) + 2, length);
  bytes = bytes.subspan(2 + length);
  return key;
}

}  // namespace

Result<PartitionTrie> PartitionTrie::open(std::span<const std::byte> file) {
  if (file.size() < kPartitionsFooterBytes) {
    return Error::corruption(kPartitionsSubject, 0, "a footer of 24 bytes", file.size());
  }
  const std::size_t footer = file.size() - kPartitionsFooterBytes;
  const std::uint64_t keys_at = load_big64(file.data() + footer);
  PartitionTrie trie;
  trie.key_count_ = load_big64(file.data() + footer + 8);
  trie.root_ = load_big64(file.data() + footer + 16);
  if (keys_at > footer) {
    return Error::corrupt_field(kPartitionsSubject, footer, "first key", "an offset before the footer",
                                keys_at);
  }
  auto keys = file.subspan(keys_at, footer - keys_at);
  BLOOMERY_ASSIGN_OR_RETURN(trie.first_key_, take_end_key(keys, "first key"));
  BLOOMERY_ASSIGN_OR_RETURN(trie.last_key_, take_end_key(keys, "last key"));
  if (!keys.empty()) {
    return Error::corruption(kPartitionsSubject, footer - keys.size(), "the footer",
                             message(keys.size(), " more bytes"));
  }
  trie.trie_ = file.first(keys_at);
  return trie;
}

Error PartitionTrie::damage(std::uint64_t at, const char* expected, std::uint64_t found) const {
  return Error::corruption(kPartitionsSubject, at, expected, found);
}

std::uint64_t PartitionTrie::number(std::uint64_t at, std::size_t bytes) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(trie_[at + i]);
  }
  return value;
}

std::uint64_t PartitionTrie::distance(const Node& node, std::size_t child) const {
  if (node.type == kSingle4) {
    return number(node.begin, 1) & 0xf;
  }
  if (node.type == kSingle12) {
    return number(node.begin, 2) & 0xfff;
  }
  if (kPointerBits[node.type] == 12) {  // two pointers in three bytes
    const std::uint64_t both = number(node.pointers + child * 3 / 2, 2);
    return (child % 2 == 0 ? both >> 4 : both) & 0xfff;
  }
  const std::size_t bytes = kPointerBits[node.type] / 8;
  return number(node.pointers + child * bytes, bytes);
}

std::uint8_t PartitionTrie::byte_of(const Node& node, std::size_t child) const {
  const std::uint64_t at = node.type == kSingle12 ? node.begin + 2
                           : is_sparse(node.type) ? node.begin + 2 + child
                                                  : node.begin + 1;
  const std::size_t more = is_single(node.type) || is_sparse(node.type) ? 0 : child;
  return static_cast<std::uint8_t>(number(at, 1) + more);
}

// Checks that the node is in the file, not what its pointers lead to.
Result<PartitionTrie::Node> PartitionTrie::read_node(std::uint64_t at) const {
  if (at >= trie_.size()) {
    return damage(at, "a node before the first key", trie_.size());
  }
  const auto first = std::to_integer<std::uint8_t>(trie_[at]);
  Node node{.begin = at, .type = static_cast<std::uint8_t>(first >> 4)};
  const bool has_flags = node.type != kSingle4 && node.type != kSingle12;
  node.flags = has_flags ? first & 0xf : 0;
  const std::uint64_t left = trie_.size() - at;
  std::uint64_t head = 1;
  if (is_single(node.type)) {
    node.children = 1;
    head = node.type == kSingle12 ? 3 : 2;
  } else if (node.type != kPayloadOnly) {
    head = is_sparse(node.type) ? 2 : 3;
    if (left < head) {
      return damage(at, "a complete node", left);
    }
    node.children =
        static_cast<std::uint16_t>(is_sparse(node.type) ? number(at + 1, 1) : number(at + 2, 1) + 1);
    head += is_sparse(node.type) ? node.children : 0U;
  }
  node.pointers = at + head;
  const std::uint64_t pointer_bits = has_flags ? std::uint64_t{node.children} * kPointerBits[node.type] : 0;
  const std::uint64_t size = head + (pointer_bits + 7) / 8;
  node.payload = at + size;
  if (left < size) {
    return damage(at, "a complete node", left);
  }
  return node;
}

// A writer makes a node for a payload or for children. The bytes of children ascend, and the first and the
// last pointer of a dense node lead to one.
Status PartitionTrie::check_children(const Node& node) const {
  if (node.children == 0) {
    return node.flags != 0 && node.type == kPayloadOnly ? Status()
                                                        : damage(node.begin, "a payload or children", 0);
  }
  const std::size_t last = node.children - std::size_t{1};
  if (is_sparse(node.type)) {
    for (std::size_t i = 1; i <= last; ++i) {
      if (byte_of(node, i) <= byte_of(node, i - 1)) {
        return damage(node.begin, "children in the order of their bytes", byte_of(node, i));
      }
    }
  } else if (!is_single(node.type) && (number(node.begin + 1, 1) + last > 0xff || distance(node, 0) == 0 ||
                                       distance(node, last) == 0)) {
    return damage(node.begin, "a first and a last child up to byte 255", last);
  }
  return {};
}

Status PartitionTrie::enter(std::uint64_t at) {
  BLOOMERY_ASSIGN_OR_RETURN(Node node, read_node(at));
  BLOOMERY_RETURN_IF_ERROR(check_children(node));
  if (path_.size() > kMostTrieDepth) {
    return damage(at, "a path as long as a key at most", path_.size());
  }
  path_.push_back(node);
  return {};
}

// Enters the next child of the last node, or leaves the node if there is none.
Status PartitionTrie::enter_next_child() {
  Node& node = path_.back();
  if (node.next == node.children) {
    path_.pop_back();
    if (!path_.empty()) {
      prefix_.pop_back();
    }
    return {};
  }
  const std::size_t child = node.next++;
  const std::uint64_t back = distance(node, child);
  if (back == 0 && !is_single(node.type) && !is_sparse(node.type)) {
    return {};
  }
  if (back == 0 || back > node.begin) {
    return damage(node.begin, "a pointer back to a node", back);
  }
  prefix_.push_back(static_cast<char>(byte_of(node, child)));
  return enter(node.begin - back);
}

Result<PartitionPlace> PartitionTrie::read_payload(const Node& node) const {
  const bool has_hash = node.flags >= 8;
  const std::size_t bytes = has_hash ? node.flags - 7U : node.flags;
  const std::uint64_t at = node.payload + (has_hash ? 1 : 0);
  if (trie_.size() < at || trie_.size() - at < bytes) {
    return damage(node.begin, "a complete payload", trie_.size() - node.payload);
  }
  PartitionPlace place{.prefix = prefix_};
  const std::size_t unused_bits = 64 - 8 * bytes;
  const auto position = static_cast<std::int64_t>(number(at, bytes) << unused_bits) >> unused_bits;
  place.in_rows = position >= 0;
  place.position = static_cast<std::uint64_t>(place.in_rows ? position : ~position);
  if (has_hash) {
    place.hash_byte = static_cast<std::uint8_t>(number(node.payload, 1));
  }
  return place;
}

Result<std::optional<PartitionPlace>> PartitionTrie::next() {
  if (!began_) {
    began_ = true;
    BLOOMERY_RETURN_IF_ERROR(enter(root_));
  } else if (!path_.empty()) {
    BLOOMERY_RETURN_IF_ERROR(enter_next_child());
  }
  // A prefix is before the longer ones, so a node's payload is before its children's.
  while (!path_.empty()) {
    if (path_.back().next == 0 && path_.back().flags != 0) {
      BLOOMERY_ASSIGN_OR_RETURN(const PartitionPlace place, read_payload(path_.back()));
      return std::optional(place);
    }
    BLOOMERY_RETURN_IF_ERROR(enter_next_child());
  }
  return std::optional<PartitionPlace>();
}

}  // namespace bloomery
