#include "bloomery/hash/key_form.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/choice_names.h"
#include "base/endian.h"
#include "base/utf8.h"
#include "bloomery/hash/domain_name.h"
#include "bloomery/hash/network.h"
#include "hash/ascii_text.h"
#include "hash/form_error.h"
#include "hash/utc_text.h"

namespace bloomery {
namespace {

constexpr ChoiceNames<KeyForm, 10> kForms{{{{KeyForm::kText, "text"},
                                            {KeyForm::kHex, "hex"},
                                            {KeyForm::kInt32, "int32"},
                                            {KeyForm::kInt64, "int64"},
                                            {KeyForm::kUtf16, "utf16"},
                                            {KeyForm::kUrl, "url"},
                                            {KeyForm::kCidr, "cidr"},
                                            {KeyForm::kDomainSuffix, "domain-suffix"},
                                            {KeyForm::kUrlPrefix, "url-prefix"},
                                            {KeyForm::kTimestamptz, "timestamptz"}}}};

// An empty text is the empty key, which some systems allow.
Status append_hex(KeyWriter& writer, std::string_view text, std::uint16_t digest_bytes) {
  const auto refused = [text] {
    return not_of_form(key_form_name(KeyForm::kHex), "an even number of hexadecimal digits", text);
  };
  if (text.size() % 2 != 0) {
    return refused();
  }
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) {
      return refused();
    }
    const auto byte = static_cast<std::byte>(high * 16 + low);
    writer.append_raw({&byte, 1});
  }
  if (digest_bytes != 0 && !text.empty() && text.size() != std::size_t{digest_bytes} * 2) {
    return not_of_form(
        key_form_name(KeyForm::kHex),
        std::to_string(digest_bytes * 2) + " hexadecimal digits, as all keys of the filter have", text);
  }
  return {};
}

template <typename Integer>
Status append_decimal(KeyWriter& writer, std::string_view text, KeyForm form) {
  const std::optional<Integer> value = number_from_text<Integer>(text);
  if (!value) {
    return not_of_form(key_form_name(form),
                       sizeof(Integer) == 4 ? "a decimal integer of 32 bits" : "a decimal integer of 64 bits",
                       text);
  }
  append_key(writer, *value);
  return {};
}

Status append_cidr(KeyWriter& writer, std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const Network network, parse_network(text));
  append_key(writer, network);
  return {};
}

Status append_domain(KeyWriter& writer, std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const DomainName name, DomainName::parse(text));
  append_key(writer, name.text());
  return {};
}

Status append_utf16(KeyWriter& writer, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::optional<CodePoint> point = decode_utf8(rest);
    if (!point) {
      return not_of_form(key_form_name(KeyForm::kUtf16), "valid UTF-8", text);
    }
    rest.remove_prefix(point->size_bytes);
    if (point->value < 0x10000) {
      append_key(writer, static_cast<std::uint16_t>(point->value));
    } else {
      const std::uint32_t offset = point->value - 0x10000;
      append_key(writer, static_cast<std::uint16_t>(0xd800 + (offset >> 10)));
      append_key(writer, static_cast<std::uint16_t>(0xdc00 + (offset & 0x3ff)));
    }
  }
  return {};
}

Status append_utc(KeyWriter& writer, std::string_view text) {
  const std::optional<std::string> utc = utc_text(text);
  if (!utc) {
    return not_of_form(key_form_name(KeyForm::kTimestamptz),
                       "a time with its offset from UTC, such as 2026-02-03 04:05:06+00", text);
  }
  append_key(writer, *utc);
  return {};
}

}  // namespace

const char* key_form_name(KeyForm form) {
  return kForms.name_of(form);
}

std::optional<KeyForm> key_form_from_name(std::string_view name) {
  return kForms.find(name);
}

std::string describe(const KeyTreatment& treatment) {
  std::string text = key_form_name(treatment.form);
  if (treatment.url.sort_query) {
    text += ",sort-query";
  }
  if (treatment.url.drop_tracking) {
    text += ",drop-tracking";
  }
  if (treatment.trim) {
    text += ",trim";
  }
  if (treatment.ignore_case) {
    text += ",ignore-case";
  }
  if (treatment.parts == kVariableParts) {
    text += ",parts=any";
  } else if (treatment.parts != 1) {
    text += ",parts=" + std::to_string(treatment.parts);
  }
  if (treatment.digest_bytes != 0) {
    text += ",bytes=" + std::to_string(treatment.digest_bytes);
  }
  return text;
}

Status append_formed(KeyWriter& writer, std::string_view text, const KeyTreatment& treatment) {
  if (treatment.trim) {
    text = trimmed(text);
  }
  std::string lower;
  if (treatment.ignore_case) {
    lower = folded(text);
    text = lower;
  }
  switch (treatment.form) {
    case KeyForm::kText:
      append_key(writer, text);
      return {};
    case KeyForm::kHex:
      return append_hex(writer, text, treatment.digest_bytes);
    case KeyForm::kInt32:
      return append_decimal<std::int32_t>(writer, text, treatment.form);
    case KeyForm::kInt64:
      return append_decimal<std::int64_t>(writer, text, treatment.form);
    case KeyForm::kUtf16:
      return append_utf16(writer, text);
    case KeyForm::kUrl:
    case KeyForm::kUrlPrefix:
      return Error::unsupported(
          std::string("key form ") + key_form_name(treatment.form), 0,
          "expected text that is canonical already, as form text: the form is made by the command");
    case KeyForm::kCidr:
      return append_cidr(writer, text);
    case KeyForm::kDomainSuffix:
      return append_domain(writer, text);
    case KeyForm::kTimestamptz:
      return append_utc(writer, text);
  }
  return Error::unsupported(
      "key form", 0,
      "expected a known form, found number " + std::to_string(static_cast<unsigned>(treatment.form)));
}

}  // namespace bloomery
