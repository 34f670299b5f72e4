// Ctrl-C for verbs that must not die in the middle of something: the first one asks, the second one kills.
#pragma once

#include <atomic>

namespace bloomery::cli {

// From now on SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the process; a second one
// ends it.
const std::atomic<bool>& catch_stop_signals();

}  // namespace bloomery::cli
