// Ctrl-C for verbs that must finish writing: the first signal asks the verb to stop, the second one ends it.
#pragma once

#include <atomic>

namespace bloomery::cli {

// From now on SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the process. A second signal
// ends the process, unless it arrives within a quarter of a second of the first: timeout(1) sends two at
// once. A verb may set the flag itself, to stop threads that poll it.
std::atomic<bool>& catch_stop_signals();

// Returns the signal that requested the stop. Without one it returns SIGINT, because a call that failed with
// EINTR is an interruption, too.
int stop_signal();

// Takes a SIGINT back, so that the next one is the first one again. A shell needs it, because its commands
// are stopped one by one. Other signals stay. Returns true if the flag is still set.
bool forget_interrupt();

}  // namespace bloomery::cli
