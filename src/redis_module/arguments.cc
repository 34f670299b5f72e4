#include "redis_module/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bloomery::redis_module {
namespace {

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

std::string_view text_of(const String* word) {
  std::size_t size = 0;
  const char* const text = server.StringPtrLen(word, &size);
  return {text, size};
}

bool is_word(const String* word, std::string_view upper_case) {
  return std::ranges::equal(text_of(word), upper_case, {}, upper);
}

std::optional<long long> integer_of(const String* word) {
  long long value = 0;
  return server.StringToLongLong(word, &value) == kOk ? std::optional(value) : std::nullopt;
}

std::optional<double> real_of(const String* word) {
  double value = 0;
  return server.StringToDouble(word, &value) == kOk && std::isfinite(value) ? std::optional(value)
                                                                            : std::nullopt;
}

PerItem<std::string_view> texts_of(Words words) {
  PerItem<std::string_view> texts(words.size());
  std::ranges::transform(words, texts.begin(), text_of);
  return texts;
}

void redact(Context* context, std::size_t index) {
  if (server.RedactClientCommandArgument != nullptr) {
    server.RedactClientCommandArgument(context, static_cast<int>(index));
  }
}

void redact_secrets(Context* context, Words words) {
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    if (is_word(words[i], "SECRET")) {
      redact(context, i + 1);
    }
  }
}

}  // namespace bloomery::redis_module
