#include "keys/block_list_keys.h"

#include <algorithm>
#include <cassert>

#include "bloomery/hash/domain_name.h"
#include "bloomery/hash/network.h"
#include "bloomery/hash/questions.h"
#include "hash/ascii_text.h"
#include "hash/form_error.h"
#include "keys/url/browser_url.h"
#include "keys/url/url_host.h"

namespace bloomery {
namespace {

bool is_ascii_text(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char character) { return static_cast<unsigned char>(character) < 0x80; });
}

bool has_scheme(std::string_view text) {
  const std::size_t mark = text.find("://");
  return mark != std::string_view::npos && text.find_first_of("/?#") == mark + 1;
}

void append_expression(KeyWriter& writer, std::string_view host, std::string_view path,
                       std::string_view query) {
  append_key(writer, host);
  append_key(writer, path);
  if (!query.empty()) {
    append_key(writer, std::string_view("?"));
    append_key(writer, query);
  }
}

// Returns the text of the first expression. It is unique to its URL: hosts have no slash, and paths no
// question mark.
std::string whole_expression(const UrlExpressions& url) {
  std::string text(url.host);
  text += url.path;
  if (!url.query.empty()) {
    text += '?';
    text += url.query;
  }
  return text;
}

Error no_url(std::string_view text) {
  return not_of_form(key_form_name(KeyForm::kUrlPrefix),
                     "a URL with a host, of which http:// may be left out", text);
}

}  // namespace

BlockListKeys::BlockListKeys(const KeyTreatment& treatment, const EntryRules& rules, KeyPurpose purpose)
    : treatment_(treatment),
      rules_(rules),
      purpose_(purpose),
      urls_(UrlOptions(), treatment.ignore_case ? UrlCanonicalizer::Letters::kFolded
                                                : UrlCanonicalizer::Letters::kAsTheyAre) {
  assert(is_block_list(treatment.form));
}

Status BlockListKeys::append_entry(KeyWriter& writer, std::string_view text) {
  if (treatment_.trim) {
    text = trimmed(text);
  }
  too_deep_ = false;
  switch (treatment_.form) {
    case KeyForm::kCidr: {
      BLOOMERY_ASSIGN_OR_RETURN(const Network network, parse_network(text, rules_.host_bits));
      append_key(writer, network);
      return {};
    }
    case KeyForm::kDomainSuffix:
      return append_domain(writer, text);
    default:
      return append_url(writer, text);
  }
}

Status BlockListKeys::append_domain(KeyWriter& writer, std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view ascii, ascii_name(text));
  BLOOMERY_ASSIGN_OR_RETURN(const DomainName name, DomainName::parse(ascii));
  BLOOMERY_RETURN_IF_ERROR(check_suffix(name.text(), text));
  append_key(writer, name.text());
  return {};
}

Status BlockListKeys::append_url(KeyWriter& writer, std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const UrlExpressions url, expressions_of_entry(text));
  if (!url.host_is_address && url.path == "/" && url.query.empty()) {
    BLOOMERY_RETURN_IF_ERROR(check_suffix(std::string(url.host), text));
  }
  too_deep_ = url.lies_too_deep();
  append_expression(writer, url.host, url.path, url.query);
  return {};
}

Status BlockListKeys::append_questions(KeyWriter& writer, std::vector<std::size_t>& ends,
                                       std::string_view text, const KeyLevels& levels) {
  if (treatment_.trim) {
    text = trimmed(text);
  }
  if (treatment_.form != KeyForm::kUrlPrefix) {
    if (treatment_.form == KeyForm::kDomainSuffix) {
      BLOOMERY_ASSIGN_OR_RETURN(text, ascii_name(text));
    }
    return bloomery::append_questions(writer, ends, text, treatment_, levels, rules_.host_bits);
  }
  const auto ask_for = [&](const UrlExpressions& url) {
    url.for_each([&](std::string_view host, std::string_view path, std::string_view query) {
      append_expression(writer, host, path, query);
      ends.push_back(writer.bytes().size());
    });
  };
  if (is_plain_url(text)) {
    if (const std::optional<UrlExpressions> url = as_it_stands(text)) {
      ask_for(*url);
      return {};
    }
  }
  // Queries the URL as browsers read it and as it is written: other programs may use the literal text, and
  // entries of old lists were read so.
  std::string asked;
  if (const std::optional<UrlExpressions> url = as_browsers_read(text)) {
    ask_for(*url);
    asked = whole_expression(*url);
  }
  if (const std::optional<UrlExpressions> url = as_it_stands(text); url && whole_expression(*url) != asked) {
    ask_for(*url);
  } else if (!url && asked.empty()) {
    return no_url(text);
  }
  return {};
}

Result<UrlExpressions> BlockListKeys::expressions_of_entry(std::string_view text) {
  std::optional<UrlExpressions> url = as_it_stands(text);
  if (!url) {
    return no_url(text);
  }
  if (!is_plain_url(text)) {
    url = as_browsers_read(text);
    url = url ? url : as_it_stands(text);  // computed again, since its views have become invalid
  }
  return *url;
}

std::optional<UrlExpressions> BlockListKeys::as_browsers_read(std::string_view text) {
  std::optional<std::string> url = browser_url(text);
  if (!url) {
    return std::nullopt;
  }
  text_ = *std::move(url);
  const std::optional<std::string_view> canonical = urls_.canonical(text_);
  return canonical ? UrlExpressions::cut(*canonical) : std::nullopt;
}

std::optional<UrlExpressions> BlockListKeys::as_it_stands(std::string_view text) {
  std::string_view url = text;
  if (!has_scheme(text)) {
    text_ = "http://";
    text_ += text;
    url = text_;
  }
  const std::optional<std::string_view> canonical = urls_.canonical(url);
  return canonical ? UrlExpressions::cut(*canonical) : std::nullopt;
}

Result<std::string_view> BlockListKeys::ascii_name(std::string_view text) {
  if (is_ascii_text(text)) {
    return text;
  }
  text_.clear();
  if (!append_international(text_, std::string(text))) {
    return not_of_form(key_form_name(KeyForm::kDomainSuffix),
                       "a domain name that UTS #46 and IDNA 2008 allow", text);
  }
  return std::string_view(text_);
}

Status BlockListKeys::check_suffix(const std::string& name, std::string_view text) {
  if (purpose_ != KeyPurpose::kInsert || rules_.public_suffix == PublicSuffix::kTake) {
    return {};
  }
  if (!suffixes_) {
    BLOOMERY_ASSIGN_OR_RETURN(suffixes_, PublicSuffixes::load());
  }
  if (suffixes_->has(name)) {
    return not_of_form(key_form_name(treatment_.form),
                       "a name that somebody registered, since all names below a public suffix would be in "
                       "(--public-suffixes takes it)",
                       text);
  }
  return {};
}

}  // namespace bloomery
