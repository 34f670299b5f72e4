#include "tests/store/sim/clock.h"

namespace bloomery::store::sim {

void SimulatedClock::advance(std::uint64_t ms) {
  steady_ms_ += ms;
  now_ms_ += static_cast<std::int64_t>(ms);
}

}  // namespace bloomery::store::sim
