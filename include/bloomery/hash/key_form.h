// Key forms: how a piece of text (a line, a field) becomes the bytes of a key.
//
//   text    the bytes themselves
//   hex     two hexadecimal digits a byte, either case: digests as md5sum prints them
//   int32   signed decimal -> 4 bytes, little-endian two's complement
//   int64   signed decimal -> 8 bytes, likewise: equal to a 64-bit integer given to append_key()
//   utf16   UTF-8 -> UTF-16 units, little-endian, no mark (what Java and Windows hold); NUL and
//           non-characters are allowed
//   url     the canonical spelling of the URL; what is none is taken as it is
//
// Canonical URLs (docs/formats/url-keys.md) are made by the command, for the sake of its library for
// international names. Who asks a filter of such keys through the library gives the canonical text, as form
// text.
//
// A KeyTreatment is all that decides a key's bytes; it is stored in the filter, so that the same text finds
// the same key years later, and a request that contradicts it is an error, never a wrong no. Numbers are on
// disk since format version 1 and never renumbered.
#pragma once

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
};

// Returns "text", "hex", ... or "unknown".
const char* key_form_name(KeyForm form);
std::optional<KeyForm> key_form_from_name(std::string_view name);

// KeyTreatment::parts of a key whose number of parts differs from key to key.
inline constexpr std::uint16_t kVariableParts = 0xffff;

// What of a URL's query is not part of the key. For other forms: nothing.
struct UrlOptions {
  bool sort_query = false;     // the order of the parameters
  bool drop_tracking = false;  // parameters of list 1 of those that only track visitors

  friend bool operator==(const UrlOptions&, const UrlOptions&) = default;
};

struct KeyTreatment {
  KeyForm form = KeyForm::kText;
  bool trim = false;         // ASCII white space at both ends is not part of the key
  bool ignore_case = false;  // A-Z become a-z; other bytes stay
  std::uint16_t parts =
      1;  // 1: the key is one piece of text; more: a composite of so many, each behind its length
  UrlOptions url = {};

  friend bool operator==(const KeyTreatment&, const KeyTreatment&) = default;
};

// Returns "text", or with what deviates: "hex", "text,trim,ignore-case", "int64,parts=2", "url,sort-query".
std::string describe(const KeyTreatment& treatment);

// Appends the bytes of one piece of text under `treatment` (which decides everything but the composition).
// Errors: kInvalidArgument, saying what the form expects, when `text` is not of it; kUnsupported for
// canonical URLs.
Status append_formed(KeyWriter& writer, std::string_view text, const KeyTreatment& treatment);

}  // namespace bloomery
