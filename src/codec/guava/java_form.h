// A Guava filter as Java's serialisation writes it: ObjectOutputStream.writeObject(filter).
//
//   0             ac ed 00 05, and the description of the class BloomFilter$SerialForm with its four fields
//   199           k (i32)
//   203           the description of the class [J, an array of long
//   222           W (i32)
//   226           W words of 64 bits                                                     all big-endian
//   226 + 8 W     the funnel, an object of any class, then the strategy, a constant of an enum
//
// The bytes before the funnel are constant except k, W and the words. Each funnel of Guava's class Funnels
// has its own fixed bytes, so it can be written. For any other funnel only the class name is known, and its
// bytes are kept. Nothing follows the strategy. Source: docs/formats/guava.md, section "Java's
// serialisation".
//
// Not supported: a filter inside another object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"

namespace bloomery {

// A funnel that can be written, by its name after `java=`.
struct JavaFunnel {
  std::string_view name;        // "long"
  std::string_view class_name;  // "com.google.common.hash.Funnels$LongFunnel"
  KeyForm form;
};

// Returns null for an unknown name.
const JavaFunnel* java_funnel(std::string_view name);

struct GuavaJavaForm {
  std::uint32_t hash_count = 0;
  std::uint32_t words = 0;
  bool is_mitz64 = true;
  std::string rear;                    // the bytes of the funnel and the strategy
  std::string funnel_class;            // the name in the stream
  const JavaFunnel* funnel = nullptr;  // null for any other class
};

inline constexpr std::size_t kGuavaJavaWordsAt = 226;

// The first bytes of a stream of Java's serialisation.
inline constexpr std::string_view kJavaStreamBegin("\xac\xed\0\5", 4);

// Returns true if the bytes begin like a stream of Java's serialisation.
bool begins_as_java_stream(std::span<const std::byte> file);
// Returns true if the bytes begin like a Guava filter in such a stream.
bool begins_as_guava_java(std::span<const std::byte> file);

// Reads everything except the words. Errors: kUnsupported for an object of another class; kCorruption.
Result<GuavaJavaForm> read_guava_java(std::span<const std::byte> file);

// Returns the bytes before the words.
std::string guava_java_front(std::uint32_t hash_count, std::uint32_t words);
// Returns the bytes after the words.
std::string guava_java_rear(const JavaFunnel& funnel, bool is_mitz64);

}  // namespace bloomery
