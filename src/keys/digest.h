// Digests of text, as keys: a password is asked against a filter of the hashes of breached ones.
//
//   name     digest of                       bytes   source
//   md5      the bytes of the text              16   RFC 1321
//   sha1     the bytes of the text              20   FIPS 180-4
//   sha256   the bytes of the text              32   FIPS 180-4
//   ntlm     MD4 of the text in UTF-16LE        16   MS-NLMP 3.3.1, NTOWFv1; RFC 1320
//
// The bytes are those that the key form hex makes of a digest as md5sum, sha1sum and lists of breached hashes print it.
// This is the one place that knows the library of hash functions (nettle). Not here: what a filter records, which is the
// form hex and the bytes of a digest (KeyTreatment::digest_bytes), and not which digest it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

enum class Digest {
  kNone,
  kMd5,
  kSha1,
  kSha256,
  kNtlm,
};

// Nothing for another name.
std::optional<Digest> digest_from_name(std::string_view name);

// Returns how many bytes a digest has. Precondition: not kNone.
std::uint16_t digest_bytes(Digest digest);
// Returns its name, as digest_from_name() takes it.
const char* digest_name(Digest digest);

// Appends the digest of `text`. Errors: kInvalidArgument for text that is not UTF-8, of kNtlm. Precondition: not kNone.
Status append_digest(KeyWriter& writer, std::string_view text, Digest digest);

}  // namespace bloomery
