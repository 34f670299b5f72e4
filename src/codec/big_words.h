// Reads and writes the words of a WordBits as big-endian 64-bit integers, the order of Java's
// DataOutputStream. Guava, Spark and others store their bits so.
#pragma once

#include "bloomery/codec/dialect_filter.h"
#include "codec/word_bits.h"

namespace bloomery {

// Returns the bits of `words` 64-bit words that begin at `bytes`. The caller has checked that the bytes
// exist. Errors: kCapacity.
Result<WordBits> read_big_words(const std::byte* bytes, std::uint64_t words);
// Passes all words to `sink`, 64 KiB at a time.
Status write_big_words(const WordBits& bits, const DialectFilter::Sink& sink);

}  // namespace bloomery
