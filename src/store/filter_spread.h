// Spreads the bits of Bloom filters over the files of a family, so that the sum of their false positives a
// get is least.
//
//   minimise   sum of w_i p_i            w_i   how many reads a get can be saved by filter i
//   with       sum of n_i b(p_i) = B     n_i   keys of filter i
//              b(p) = ln(1/p) / (ln 2)^2 bits a key
//   then       p_i in proportion to n_i / w_i; filters whose p_i would be near 1 are left out
//
// A large file takes most bits, so a little more for it costs more bytes than a lot less for small ones. A
// pure function. Source: Dayan, Athanassoulis and Idreos: Monkey, SIGMOD 2017.
#pragma once

#include <span>
#include <vector>

namespace bloomery::store {

struct FilterPart {
  double keys = 0;
  double weight = 1;
  double probes = 1;  // of a query, each of which may be a false positive
};

inline constexpr double kNoFilterRate = 1;
// Larger rates are not worth a filter, and smaller ones not worth the bits.
inline constexpr double kMostRate = 0.5;
inline constexpr double kLeastRate = 1e-5;

// Returns the bits of a filter whose queries have the false positive rate `rate`.
double filter_bits(const FilterPart& part, double rate);

// Returns the rate of a query of each filter: kNoFilterRate, or between kLeastRate and kMostRate. Together
// the filters have `bits` at most.
std::vector<double> spread_rates(std::span<const FilterPart> parts, double bits);

}  // namespace bloomery::store
