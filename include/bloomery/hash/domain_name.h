// A domain name, as a key of block lists: labels with dots between.
//
//   text                name            labels
//   WWW.Example.COM.    www.example.com 3, of which "com" is the first of all suffixes
//   xn--bcher-kva.de    the same        2; A-labels are taken as they are
//
// The canonical spelling is of small letters and has no dot at its end. A label has 1 to 63 letters, digits,
// "-" and "_", and a name has at most 253 bytes. The last label is no number, so no address of IPv4 is a
// name. International names must be spelled in A-labels ("xn--"). The command does that (keys/block_list_keys.h).
//
// Source: RFC 1035, section 2.3; RFC 1123, section 2.1; RFC 2181, section 11, which allows "_". Not here: the public
// suffix list (keys/public_suffixes.h).
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

  // Errors: kInvalidArgument, with the byte at which the text departs from a name; kUnsupported for bytes that
  // are not ASCII.
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

// Returns whether the text is an address of IPv4, or one of IPv6 with or without brackets. A host may be one; it
// then has no parent domains.
bool is_address_literal(std::string_view text);

}  // namespace bloomery
