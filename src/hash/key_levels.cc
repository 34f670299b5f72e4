#include "bloomery/hash/key_levels.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "bloomery/hash/domain_name.h"

namespace bloomery {
namespace {

constexpr std::size_t kFirstOfIpv6 = KeyLevels::of_network(AddressFamily::kIpv6, 0);

std::string describe_lengths(const KeyLevels& levels) {
  std::string text;
  for (const AddressFamily family : {AddressFamily::kIpv4, AddressFamily::kIpv6}) {
    std::string lengths;
    for (unsigned length = 0; length <= address_bits(family); ++length) {
      if (levels.has(KeyLevels::of_network(family, length))) {
        lengths += " /" + std::to_string(length);
      }
    }
    if (!lengths.empty()) {
      text += (text.empty() ? "" : ", ") + std::string(family == AddressFamily::kIpv4 ? "IPv4" : "IPv6") +
              lengths;
    }
  }
  return text;
}

std::string describe_labels(const KeyLevels& levels) {
  std::string text;
  std::size_t left = levels.count();
  levels.for_each([&](std::size_t level) {
    --left;
    text += std::to_string(level) + (left == 0 ? "" : left == 1 ? " and " : ", ");
  });
  return text + (levels.count() == 1 && levels.has(1) ? " label" : " labels");
}

}  // namespace

KeyLevels KeyLevels::all_of(KeyForm form) {
  KeyLevels levels;
  const std::size_t first = form == KeyForm::kDomainSuffix ? 1 : 0;
  const std::size_t end = form == KeyForm::kCidr           ? kMost
                          : form == KeyForm::kDomainSuffix ? DomainName::kMostLabels + 1
                                                           : 0;
  for (std::size_t level = first; level < end; ++level) {
    levels.add(level);
  }
  return levels;
}

std::optional<std::size_t> KeyLevels::of_key(KeyForm form, std::span<const std::byte> key) {
  if (form == KeyForm::kCidr) {
    assert(key.size() > 2);
    return of_network(static_cast<AddressFamily>(key[0]), std::to_integer<unsigned>(key[1]));
  }
  if (form == KeyForm::kDomainSuffix) {
    return 1 + static_cast<std::size_t>(std::ranges::count(key, std::byte{'.'}));
  }
  return std::nullopt;
}

void append_level_key(KeyWriter& writer, KeyForm form, std::size_t level) {
  std::array<std::uint8_t, 2> bytes = {0, static_cast<std::uint8_t>(level)};
  if (form == KeyForm::kCidr) {
    const bool ipv6 = level >= kFirstOfIpv6;
    bytes = {static_cast<std::uint8_t>(ipv6 ? AddressFamily::kIpv6 : AddressFamily::kIpv4),
             static_cast<std::uint8_t>(level - (ipv6 ? kFirstOfIpv6 : 0))};
  }
  writer.append_raw(std::as_bytes(std::span(bytes)));
}

Hash128 level_hash(KeyForm form, std::size_t level, const HashSpec& hash) {
  KeyWriter writer;
  append_level_key(writer, form, level);
  return hash_bytes(writer.bytes(), hash);
}

std::size_t most_questions(KeyForm form, const KeyLevels& levels) {
  if (form == KeyForm::kUrlPrefix) {
    return kMostUrlQuestions;
  }
  if (!is_block_list(form)) {
    return 1;
  }
  std::size_t ipv6 = 0;
  levels.for_each(
      [&](std::size_t level) { ipv6 += form == KeyForm::kCidr && level >= kFirstOfIpv6 ? 1 : 0; });
  return std::max(ipv6, levels.count() - ipv6);
}

std::string describe(KeyForm form, const KeyLevels& levels) {
  if (levels.empty()) {
    return "";
  }
  return form == KeyForm::kCidr ? describe_lengths(levels) : describe_labels(levels);
}

}  // namespace bloomery
