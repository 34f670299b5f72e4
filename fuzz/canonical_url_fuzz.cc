// Canonical URLs of anything: the form is a URL of allowed characters without a fragment, it is its own
// canonical form, a fragment does not change it, and dot segments are resolved once and for all. The first
// byte chooses the options.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "keys/url/canonical_url.h"
#include "keys/url/dot_segments.h"
#include "keys/url/percent_encoding.h"

namespace {

using namespace bloomery;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void check_form(UrlCanonicalizer& urls, const std::string& form) {
  const std::optional<UrlParts> parts = split_url(form);
  require(parts && !parts->fragment && !(parts->authority && !parts->path.starts_with('/')));
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_bracket = (form[i] == '[' || form[i] == ']') && parts->authority;
    require((url_class(form[i]) & kQueryCharacters) != 0 || is_bracket ||
            (form[i] == '%' && triplet_value(form, i) >= 0));
  }
  const std::optional<std::string_view> again = urls.canonical(form);
  require(again && *again == form);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  UrlCanonicalizer urls(
      {.sort_query = (data[0] & 1) != 0, .drop_tracking = (data[0] & 2) != 0},
      (data[0] & 4) != 0 ? UrlCanonicalizer::Letters::kFolded : UrlCanonicalizer::Letters::kAsTheyAre);
  const std::optional<std::string_view> found = urls.canonical(text);
  const std::optional<std::string> form = found ? std::optional<std::string>(*found) : std::nullopt;
  if (form) {
    check_form(urls, *form);
  }
  if (text.find('#') == std::string::npos) {
    const std::optional<std::string_view> marked = urls.canonical(text + "#f");
    require(marked.has_value() == form.has_value() && (!form || *marked == *form));
  }
  std::string path = "/" + text;
  remove_dot_segments(path);
  std::string again = path;
  remove_dot_segments(again);
  require(again == path && path.starts_with('/'));
  return 0;
}
