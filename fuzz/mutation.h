// What the structure-aware mutators share: random changes of bytes and numbers, and the loop that tries them.
//
//   mutate_FORMAT [--seconds S | --count N] [--seed X] [--from N]     tries inputs, prints how many and the seed
//   mutate_FORMAT --input FILE                                        asks one file
//
// A mutator makes a file of the format's own pieces, changes fields, repairs the checksums, and asks the reader
// everything. Input N of a seed is always the same, so a failure is found again by `--seed X --from N --count 1`;
// its bytes are written to mutate_FORMAT-X-N.bin too. A failure is: a crash, an answer that contradicts
// another, more than 10 seconds of processor time for one input, more than 512 MB resident (not under the address
// sanitizer, whose own memory counts). An input that claims memory is tried as any other: std::bad_alloc has to
// be an error of the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace bloomery::fuzz {

// SplitMix64: any number of inputs have sequences of their own.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t input) : state_(seed * 0x9e3779b97f4a7c15U ^ input << 1) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // Below `count`, which is not 0.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// A number in the place of `value`: a neighbour, a bound of some width, a power of two, anything.
std::uint64_t changed_number(Random& random, std::uint64_t value);
// Changes bytes, numbers of 1 to 8 bytes of either order, or the length: cuts, repeats, puts in, empties.
void change_bytes(Random& random, std::string& bytes);

// Ends the process, as a failure of the input that is tried.
void require(bool holds, const char* what);

struct Mutator {
  const char* name;
  std::function<std::string(Random&)> make;     // a mutated file
  std::function<void(const std::string&)> ask;  // everything, of any bytes
};

int run_mutator(int argc, char** argv, const Mutator& mutator);

}  // namespace bloomery::fuzz
