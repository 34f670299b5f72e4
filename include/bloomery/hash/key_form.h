// A key form turns a text (a line, a field) into the bytes of a key.
//
//   form    the bytes of the key
//   text    the bytes of the text
//   hex     one byte for two hexadecimal digits of either case: digests as md5sum prints them; no digits make
//           the empty key
//   int32   4 bytes for a signed decimal number: little-endian two's complement
//   int64   8 bytes, little-endian two's complement; equal to a 64-bit integer that is passed to append_key()
//   utf16   UTF-8 as UTF-16 units, little-endian, without a byte-order mark, as Java and Windows hold text;
//           NUL and non-characters are allowed
//   url     the canonical spelling of the URL; a text that is no URL stays as it is
//   timestamptz  the text of the moment in UTC, as PostgreSQL prints it:
//           2026-02-03 04:05:06+00. A text without an offset from UTC is refused
//
// There are forms for block lists. A list has one key for each entry, and a query for a text looks up
// several keys (docs/formats/block-list-keys.md, questions.h):
//
//   form            an entry is                     a text is in if it, or the following, is an entry
//   cidr            a network, an address           a network that contains the address or network
//   domain-suffix   a domain name                   a parent domain of the host name
//   url-prefix      a URL without its scheme        a host and path above the URL, by Safe Browsing's rule
//
// The command makes canonical URLs (docs/formats/url-keys.md), because they need a library for
// international names. To query a filter of such keys through this library, pass the canonical text with
// the form text. The command also converts international domain names to ASCII; this library only accepts
// ASCII names.
//
// A KeyTreatment contains everything that decides a key's bytes. The filter stores it, so that the same
// text finds the same key years later. A request that contradicts it is an error, never a false negative.
// The numbers are in files since format version 1 and are never renumbered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

enum class KeyForm : std::uint16_t {
  kText = 0,
  kHex = 1,
  kInt32 = 2,
  kInt64 = 3,
  kUtf16 = 4,
  kUrl = 5,
  kCidr = 6,
  kDomainSuffix = 7,
  kUrlPrefix = 8,
  kTimestamptz = 9,
};
inline constexpr KeyForm kLastKeyForm = KeyForm::kTimestamptz;

// Returns true for the forms of block lists. Their keys have one part.
constexpr bool is_block_list(KeyForm form) {
  return form == KeyForm::kCidr || form == KeyForm::kDomainSuffix || form == KeyForm::kUrlPrefix;
}

// Returns "text", "hex" and so on, or "unknown".
const char* key_form_name(KeyForm form);
std::optional<KeyForm> key_form_from_name(std::string_view name);

// KeyTreatment::parts of a key whose number of parts differs from key to key.
inline constexpr std::uint16_t kVariableParts = 0xffff;

// Says which parts of a URL's query do not belong to the key. It has no effect on other forms.
struct UrlOptions {
  bool sort_query = false;     // ignores the order of the parameters
  bool drop_tracking = false;  // drops the parameters of list 1, which only track visitors

  friend bool operator==(const UrlOptions&, const UrlOptions&) = default;
};

struct KeyTreatment {
  KeyForm form = KeyForm::kText;
  bool trim = false;         // ASCII white space at both ends is not part of the key
  bool ignore_case = false;  // A-Z become a-z; other bytes are unchanged
  std::uint16_t parts = 1;   // 1: one text; more: a composite of so many, each after its length
  UrlOptions url = {};
  // For hex with one part: the width in bytes of every non-empty key, if all are digests of one width; 0:
  // unknown. The bytes of a key do not depend on it. But a text of another width is refused, because it is
  // a digest of another kind.
  std::uint16_t digest_bytes = 0;

  friend bool operator==(const KeyTreatment&, const KeyTreatment&) = default;
};

// Returns true if digests of this width are in use: MD5 and NTLM 16 bytes, SHA-1 20, SHA-2 and SHA-3
// families 28 to 64.
constexpr bool is_digest_width(std::size_t bytes) {
  return bytes == 16 || bytes == 20 || bytes == 28 || bytes == 32 || bytes == 48 || bytes == 64;
}

// Returns the treatment without KeyTreatment::digest_bytes, in which files of one plan may differ.
constexpr KeyTreatment of_any_width(KeyTreatment treatment) {
  treatment.digest_bytes = 0;
  return treatment;
}

// Returns "text", or a list of the deviations from it: "hex", "text,trim,ignore-case", "int64,parts=2",
// "url,sort-query", "hex,bytes=20".
std::string describe(const KeyTreatment& treatment);

// Appends the bytes of one text under `treatment`, except for the lengths of a composite key. Errors:
// kInvalidArgument, saying what the form expects, if `text` is not of the form. Also kUnsupported for
// canonical URLs, for their prefixes, and for domain names that are not ASCII.
Status append_formed(KeyWriter& writer, std::string_view text, const KeyTreatment& treatment);

}  // namespace bloomery
