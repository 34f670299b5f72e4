#include "bloomery/hash/domain_name.h"

#include <algorithm>
#include <cassert>

#include "bloomery/hash/network.h"
#include "hash/ascii_text.h"
#include "hash/form_error.h"

namespace bloomery {
namespace {

Error refused_domain(std::string_view text, std::size_t at, const std::string& expected) {
  return not_of_form("domain-suffix", expected + " at byte " + std::to_string(at), text);
}

bool is_of_label(char character) {
  const char lower = lower_ascii(character);
  return (lower >= 'a' && lower <= 'z') || is_ascii_digit(character) || character == '-' || character == '_';
}

// Checks the label at text[begin].
Status check_label(std::string_view text, std::size_t begin, std::string_view label) {
  if (label.empty()) {
    return refused_domain(text, begin, "a label");
  }
  if (label == "*") {
    return refused_domain(text, begin, "a name without *, since an entry stands for all names below it,");
  }
  const auto bad = std::ranges::find_if_not(label, is_of_label);
  if (bad != label.end()) {
    const auto at = begin + static_cast<std::size_t>(bad - label.begin());
    if (static_cast<unsigned char>(*bad) >= 0x80) {
      return Error::unsupported("key form domain-suffix", at,
                                "expected ASCII, with other letters as A-labels (xn--)");
    }
    return refused_domain(text, at, "a letter, digit, - or _");
  }
  if (label.size() > DomainName::kMostLabelBytes) {
    return refused_domain(text, begin, "a label of at most 63 bytes");
  }
  return {};
}

}  // namespace

Result<DomainName> DomainName::parse(std::string_view text) {
  if (is_address_literal(text)) {
    return refused_domain(text, 0, "a domain name, not an address,");
  }
  std::string_view name = text;
  if (name.size() > 1 && name.ends_with('.')) {
    name.remove_suffix(1);
  }
  std::size_t labels = 0;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    BLOOMERY_RETURN_IF_ERROR(check_label(text, begin, name.substr(begin, end - begin)));
    ++labels;
    if (end == name.size()) {
      break;
    }
    begin = end + 1;
  }
  if (std::ranges::all_of(name.substr(begin), is_ascii_digit)) {
    return refused_domain(text, begin, "a last label that is no number");
  }
  if (name.size() > kMostBytes) {
    return refused_domain(text, kMostBytes, "the end of a name of at most 253 bytes");
  }
  return DomainName(folded(name), labels);
}

std::string_view DomainName::suffix(std::size_t labels) const {
  assert(labels >= 1 && labels <= labels_);
  std::string_view rest = text_;
  for (std::size_t above = labels_ - labels; above != 0; --above) {
    rest.remove_prefix(rest.find('.') + 1);
  }
  return rest;
}

bool is_address_literal(std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    return false;
  }
  if (text.size() > 2 && text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    return text.find(':') != std::string_view::npos && parse_network(text).has_value();
  }
  const bool may_be =
      !text.empty() && (is_ascii_digit(text.back()) || text.find(':') != std::string_view::npos);
  return may_be && parse_network(text).has_value();
}

}  // namespace bloomery
