// Which sanitizers the tests run under: they keep memory of their own in the process, and make everything
// slower.
#pragma once

namespace bloomery {

#if defined(__has_feature)  // Clang
inline constexpr bool kAddressSanitized = __has_feature(address_sanitizer);
inline constexpr bool kThreadSanitized = __has_feature(thread_sanitizer);
#else  // GCC
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitized = true;
#else
inline constexpr bool kAddressSanitized = false;
#endif
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
#endif

inline constexpr bool kSanitized = kAddressSanitized || kThreadSanitized;

// Why a test of rates is skipped under them.
inline constexpr const char* kCountedElsewhere =
    "counts over millions of keys, done where there is no sanitizer";

}  // namespace bloomery
