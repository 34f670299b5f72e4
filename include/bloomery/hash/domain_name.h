// A DomainName is a key of block lists: labels separated by dots.
//
//   text                name            labels
//   WWW.Example.COM.    www.example.com 3, of which "com" is the first of all suffixes
//   xn--bcher-kva.de    the same        2; A-labels are left as they are
//
// The canonical spelling uses lower-case letters and has no dot at its end. A label has 1 to 63 letters,
// digits, "-" and "_", and a name has at most 253 bytes. The last label must not be a number, so no IPv4
// address is a name. International names must be spelled in A-labels ("xn--"). The command converts them
// (keys/block_list_keys.h).
//
// Source: RFC 1035, section 2.3; RFC 1123, section 2.1; RFC 2181, section 11, which allows "_". The public
// suffix list is in keys/public_suffixes.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

class DomainName {
 public:
  static constexpr std::size_t kMostBytes = 253;
  static constexpr std::size_t kMostLabelBytes = 63;
  static constexpr std::size_t kMostLabels = (kMostBytes + 1) / 2;

  // Errors: kInvalidArgument with the first byte that violates the syntax; kUnsupported for bytes that are
  // not ASCII.
  static Result<DomainName> parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::size_t label_count() const { return labels_; }
  // Returns the last `labels` labels. Precondition: 1 <= labels <= label_count().
  std::string_view suffix(std::size_t labels) const;

 private:
  DomainName(std::string text, std::size_t labels) : text_(std::move(text)), labels_(labels) {}

  std::string text_;
  std::size_t labels_;
};

// Returns true if the text is an IPv4 address, or an IPv6 address with or without brackets. A host may be
// one; it has no parent domains then.
bool is_address_literal(std::string_view text);

}  // namespace bloomery
