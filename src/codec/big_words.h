// The words of a WordBits in a file, each as 64 big-endian bits. Java's DataOutputStream writes them so, and
// Guava, Spark and others with it.
#pragma once

#include "bloomery/codec/dialect_filter.h"
#include "codec/word_bits.h"

namespace bloomery {

// Returns the bits of `words` words of 64 bits, which begin at `bytes`. The caller has checked that they are
// there. Errors: kCapacity.
Result<WordBits> read_big_words(const std::byte* bytes, std::uint64_t words);
// Passes all words to `sink`, 64 KiB at a time.
Status write_big_words(const WordBits& bits, const DialectFilter::Sink& sink);

}  // namespace bloomery
