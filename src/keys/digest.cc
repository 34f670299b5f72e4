#include "keys/digest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <nettle/md4.h>
#include <nettle/md5.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <span>

#include "base/choice_names.h"
#include "bloomery/hash/key_form.h"

namespace bloomery {
namespace {

constexpr ChoiceNames<Digest, 4> kDigests{
    {{{Digest::kMd5, "md5"}, {Digest::kSha1, "sha1"}, {Digest::kSha256, "sha256"}, {Digest::kNtlm, "ntlm"}}}};

// Appends the digest of `bytes` by a hash function of nettle, which is three functions and the type of
// their context.
template <std::size_t kBytes, typename Context, typename Init, typename Update, typename Finish>
void append_hash(KeyWriter& writer, std::span<const std::byte> bytes, Context context, Init init,
                 Update update, Finish finish) {
  std::array<std::uint8_t, kBytes> digest{};
  init(&context);
  update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  finish(&context, digest.size(), digest.data());
  writer.append_raw(std::as_bytes(std::span(digest)));
}

}  // namespace

std::optional<Digest> digest_from_name(std::string_view name) {
  return kDigests.find(name);
}

std::uint16_t digest_bytes(Digest digest) {
  switch (digest) {
    case Digest::kSha1:
      return SHA1_DIGEST_SIZE;
    case Digest::kSha256:
      return SHA256_DIGEST_SIZE;
    case Digest::kMd5:
    case Digest::kNtlm:
    case Digest::kNone:
      break;
  }
  return MD5_DIGEST_SIZE;  // also the size of MD4, which NTLM uses
}

const char* digest_name(Digest digest) {
  return kDigests.name_of(digest);
}

Status append_digest(KeyWriter& writer, std::string_view text, Digest digest) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  switch (digest) {
    case Digest::kMd5:
      append_hash<MD5_DIGEST_SIZE>(writer, bytes, md5_ctx{}, md5_init, md5_update, md5_digest);
      return {};
    case Digest::kSha1:
      append_hash<SHA1_DIGEST_SIZE>(writer, bytes, sha1_ctx{}, sha1_init, sha1_update, sha1_digest);
      return {};
    case Digest::kSha256:
      append_hash<SHA256_DIGEST_SIZE>(writer, bytes, sha256_ctx{}, sha256_init, sha256_update, sha256_digest);
      return {};
    case Digest::kNtlm: {
      KeyWriter units;
      BLOOMERY_RETURN_IF_ERROR(append_formed(units, text, {.form = KeyForm::kUtf16}));
      append_hash<MD4_DIGEST_SIZE>(writer, units.bytes(), md4_ctx{}, md4_init, md4_update, md4_digest);
      return {};
    }
    case Digest::kNone:
      break;
  }
  return Error::invalid_argument("digest", "expected one of " + kDigests.list() + ", found none");
}

}  // namespace bloomery
