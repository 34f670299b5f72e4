// Ctrl-C for verbs that must finish what they write: the first signal asks the verb to stop, the second ends
// it.
#pragma once

#include <atomic>

namespace bloomery::cli {

// From now on SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the process. A second
// signal ends the process if it arrives at least a quarter of a second after the first; timeout(1) sends
// two at once. A verb may set the flag itself, to stop the threads that poll it.
std::atomic<bool>& catch_stop_signals();

// Returns the signal that requested the stop: SIGINT if there was none, since an interrupted call is one
// too.
int stop_signal();

}  // namespace bloomery::cli
