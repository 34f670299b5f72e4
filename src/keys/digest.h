// Digests of text, as keys: a query for a password in a filter of hashes of breached passwords.
//
//   name     digest of                       bytes   source
//   md5      the bytes of the text              16   RFC 1321
//   sha1     the bytes of the text              20   FIPS 180-4
//   sha256   the bytes of the text              32   FIPS 180-4
//   ntlm     MD4 of the text in UTF-16LE        16   MS-NLMP 3.3.1, NTOWFv1; RFC 1320
//
// The bytes are those that the key form hex makes from the printed digest in md5sum, sha1sum and lists of
// breached hashes. Only digest.cc uses the library of hash functions (nettle). A filter records the form hex
// and the size of a digest (KeyTreatment::digest_bytes), but not its name.
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

// Returns nothing for an unknown name.
std::optional<Digest> digest_from_name(std::string_view name);

// Returns the size of a digest in bytes. Precondition: not kNone.
std::uint16_t digest_bytes(Digest digest);
// Returns the name of a digest, which digest_from_name() accepts.
const char* digest_name(Digest digest);

// Appends the digest of `text`. Errors: kInvalidArgument if the digest is kNtlm and the text is not UTF-8.
// Precondition: not kNone.
Status append_digest(KeyWriter& writer, std::string_view text, Digest digest);

}  // namespace bloomery
