// Ctrl-C for verbs that must not die in the middle of something: the first one asks, the second one kills.
#pragma once

#include <atomic>

namespace bloomery::cli {

// From now on SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the process; a second one
// ends it, if it comes a quarter of a second after the first or later (timeout(1) sends two at once). A verb
// may set the flag itself, to end what watches it.
std::atomic<bool>& catch_stop_signals();

}  // namespace bloomery::cli
