#include "codec/guava/java_form.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/endian.h"

namespace bloomery {
namespace {

using namespace std::string_view_literals;

constexpr const char* kJavaFormPlace = "guava filter of Java's serialisation";
constexpr std::size_t kHashCountAt = 199;
constexpr std::size_t kArrayAt = 203;
constexpr std::size_t kWordsCountAt = 222;

// The constants of java.io.ObjectStreamConstants that occur: TC_OBJECT `s`, TC_CLASSDESC `r`, TC_ENUM `~`,
// TC_ARRAY `u`, TC_STRING `t`, TC_REFERENCE `q`, TC_ENDBLOCKDATA `x`, TC_NULL `p`.

// Encodes a string as the stream does: its length in two bytes, then its bytes.
std::string utf(std::string_view text) {
  std::string bytes(2, '\0');
  store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint16_t>(text.size()));
  return bytes.append(text);
}

std::string joined_pieces(std::initializer_list<std::string_view> pieces) {
  std::string bytes;
  for (const std::string_view piece : pieces) {
    bytes += piece;
  }
  return bytes;
}

// Returns the bytes of the stream before k, the number of hashes. The class has serialVersionUID 1 and four
// fields: an int, an array and two objects.
const std::string& front() {
  static const std::string bytes =
      joined_pieces({kJavaStreamBegin, "sr"sv, utf("com.google.common.hash.BloomFilter$SerialForm"),
                     "\0\0\0\0\0\0\0\1\2\0\4"sv, "I"sv, utf("numHashFunctions"), "["sv, utf("data"), "t"sv,
                     utf("[J"), "L"sv, utf("funnel"), "t"sv, utf("Lcom/google/common/hash/Funnel;"), "L"sv,
                     utf("strategy"), "t"sv, utf("Lcom/google/common/hash/BloomFilter$Strategy;"), "xp"sv});
  return bytes;
}

// The bytes between k and W, the number of words: an array of long, whose class has the serialVersionUID
// 782004b512b17593.
constexpr std::string_view kArray = "ur\0\2[J\x78\x20\4\xb5\x12\xb1\x75\x93\2\0\0xp"sv;
constexpr std::string_view kEnumEnd =
    "\0\0\0\0\0\0\0\0\x12\0\0x"sv;  // serialVersionUID 0, an enum, no fields
constexpr std::string_view kStrategiesClass = "com.google.common.hash.BloomFilterStrategies";
constexpr std::string_view kTextFunnel = "com.google.common.hash.Funnels$StringCharsetFunnel$SerializedForm";
constexpr std::array kStrategyNames = {"MURMUR128_MITZ_32"sv, "MURMUR128_MITZ_64"sv};  // by ordinal

constexpr std::array<JavaFunnel, 5> kFunnels = {{
    {"bytes", "com.google.common.hash.Funnels$ByteArrayFunnel", KeyForm::kHex},
    {"int", "com.google.common.hash.Funnels$IntegerFunnel", KeyForm::kInt32},
    {"long", "com.google.common.hash.Funnels$LongFunnel", KeyForm::kInt64},
    {"text", kTextFunnel, KeyForm::kText},
    {"utf16", "com.google.common.hash.Funnels$UnencodedCharsFunnel", KeyForm::kUtf16},
}};

std::string enum_super() {
  return joined_pieces({"r"sv, utf("java.lang.Enum"), kEnumEnd, "p"sv});
}

std::string strategy_rear(std::string_view super, bool is_mitz64) {
  return joined_pieces(
      {"~r"sv, utf(kStrategiesClass), kEnumEnd, super, "t"sv, utf(kStrategyNames[is_mitz64 ? 1 : 0])});
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the name of the class that is described at the beginning of the rear (the bytes after the words);
// empty for none.
std::string described_class(std::string_view rear) {
  if (rear.size() < 4 || !(rear.starts_with("sr") || rear.starts_with("~r"))) {
    return {};
  }
  const std::size_t size = load_big16(reinterpret_cast<const std::byte*>(rear.data()) + 2);
  const std::string_view name = rear.substr(4, size);
  const bool is_name = name.size() == size && !name.empty() && std::ranges::all_of(name, [](char c) {
                         return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                                c == '.' || c == '$' || c == '_';
                       });
  return is_name ? std::string(name) : std::string();
}

Error damaged_rear(std::size_t at, const std::string& expected) {
  return Error::corruption(kJavaFormPlace, at, expected, "other bytes");
}

Result<GuavaJavaForm> read_rear(GuavaJavaForm form, std::size_t at) {
  const std::string_view rear = form.rear;
  const std::string name_32 = joined_pieces({"t"sv, utf(kStrategyNames[0])});
  const std::string name_64 = joined_pieces({"t"sv, utf(kStrategyNames[1])});
  if (!rear.ends_with(name_32) && !rear.ends_with(name_64)) {
    return damaged_rear(at, "a funnel and a strategy, which end the stream");
  }
  if (const std::size_t second = rear.find(front()); second != std::string_view::npos) {
    return Error::unsupported(
        kJavaFormPlace, at + second,
        "expected one filter, found another one behind it: give each a file of its own");
  }
  form.is_mitz64 = rear.ends_with(name_64);
  form.funnel_class = described_class(rear);
  if (form.funnel_class.empty()) {
    return damaged_rear(at, "an object of a class, the funnel");
  }
  for (const JavaFunnel& funnel : kFunnels) {
    if (rear == guava_java_rear(funnel, form.is_mitz64)) {
      form.funnel = &funnel;
    } else if (form.funnel_class == funnel.class_name && funnel.class_name != kTextFunnel) {
      return damaged_rear(at, "the funnel " + std::string(funnel.class_name));  // its bytes are fixed
    }
  }
  return form;
}

}  // namespace

const JavaFunnel* java_funnel(std::string_view name) {
  const auto* const found = std::ranges::find(kFunnels, name, &JavaFunnel::name);
  return found == kFunnels.end() ? nullptr : found;
}

bool begins_as_java_stream(std::span<const std::byte> file) {
  return as_text(file).starts_with(kJavaStreamBegin);
}

bool begins_as_guava_java(std::span<const std::byte> file) {
  return as_text(file).starts_with(front());
}

Result<GuavaJavaForm> read_guava_java(std::span<const std::byte> file) {
  if (!begins_as_guava_java(file)) {
    const bool is_cut = std::string_view(front()).starts_with(as_text(file));
    return is_cut
               ? Error::corruption(kJavaFormPlace, file.size(), std::to_string(kGuavaJavaWordsAt) + " bytes",
                                   "the end after " + std::to_string(file.size()))
               : Error::unsupported(kJavaFormPlace, kJavaStreamBegin.size(),
                                    "object: expected a BloomFilter of Guava, found another one");
  }
  if (file.size() < kGuavaJavaWordsAt) {
    return Error::corruption(kJavaFormPlace, file.size(), std::to_string(kGuavaJavaWordsAt) + " bytes",
                             "the end after " + std::to_string(file.size()));
  }
  if (as_text(file).substr(kArrayAt, kArray.size()) != kArray) {
    return Error::corruption(kJavaFormPlace, kArrayAt, "an array of long", "other bytes");
  }
  GuavaJavaForm form;
  form.hash_count = load_big32(file.data() + kHashCountAt);
  form.words = load_big32(file.data() + kWordsCountAt);
  if (form.hash_count == 0 || form.hash_count > 255) {
    return Error::corrupt_field(kJavaFormPlace, kHashCountAt, "hash count", "1 to 255", form.hash_count);
  }
  const std::uint64_t has = (file.size() - kGuavaJavaWordsAt) / 8;
  if (form.words == 0 || form.words > has) {
    return Error::corrupt_field(kJavaFormPlace, kWordsCountAt, "words",
                                "1 to the " + std::to_string(has) + " that the file has", form.words);
  }
  const std::size_t rear_at = kGuavaJavaWordsAt + std::size_t{form.words} * 8;
  form.rear = as_text(file.subspan(rear_at));
  return read_rear(std::move(form), rear_at);
}

std::string guava_java_front(std::uint32_t hash_count, std::uint32_t words) {
  std::string bytes = front() + std::string(4, '\0') + std::string(kArray) + std::string(4, '\0');
  auto* const at = reinterpret_cast<std::byte*>(bytes.data());
  store_big(at + kHashCountAt, hash_count);
  store_big(at + kWordsCountAt, words);
  return bytes;
}

std::string guava_java_rear(const JavaFunnel& funnel, bool is_mitz64) {
  if (funnel.class_name == kTextFunnel) {
    return joined_pieces({"sr"sv, utf(kTextFunnel), "\0\0\0\0\0\0\0\0\2\0\1L"sv, utf("charsetCanonicalName"),
                          "t"sv, utf("Ljava/lang/String;"), "xpt"sv, utf("UTF-8"),
                          strategy_rear(enum_super(), is_mitz64)});
  }
  // The second enum refers to the description of java.lang.Enum in the first one.
  return joined_pieces({"~r"sv, utf(funnel.class_name), kEnumEnd, enum_super(), "t"sv, utf("INSTANCE"),
                        strategy_rear("q\0\x7e\0\x08"sv, is_mitz64)});
}

}  // namespace bloomery
