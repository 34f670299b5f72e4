#include "base/map_watch.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloomery/base/cut_files.h"

namespace bloomery {

struct MapWatch::Entry {
  std::atomic<std::uint32_t> sequence{0};  // odd while it changes
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> size{0};  // 0: free
  std::atomic<bool> is_cut{false};
};

namespace {

using Entry = MapWatch::Entry;

struct Chunk {
  std::array<Entry, 128> entries;
  std::atomic<Chunk*> next{nullptr};
};

// The handler reads the entries without a lock. The mutex is for threads that change an entry.
struct Watched {
  std::mutex mutex;
  std::atomic<bool> is_on{false};
  Chunk first;
  struct sigaction before {};
  std::uintptr_t page_bytes = 0;
};

Watched& watched() {
  static Watched* const all = new Watched;  // never destroyed: a signal may come at the very end
  return *all;
}

// Returns a duplicate for checking the file's size. Returns -1 if the process needs its last descriptors for
// other things, such as a database of thousands of tables. A cut inside a page is then not noticed.
int duplicate(int descriptor) {
  constexpr rlim_t kLeftForOthers = 64;
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  rlimit most{};
  if (copy >= 0 && ::getrlimit(RLIMIT_NOFILE, &most) == 0 &&
      static_cast<rlim_t>(copy) + kLeftForOthers >= most.rlim_cur) {
    ::close(copy);
    return -1;
  }
  return copy;
}

void change(Entry& entry, std::uintptr_t begin, std::size_t size) {
  entry.sequence.fetch_add(1);
  entry.begin.store(begin);
  entry.size.store(size);
  entry.is_cut.store(false);
  entry.sequence.fetch_add(1);
}

Entry& free_entry() {
  for (Chunk* chunk = &watched().first;;) {
    for (Entry& entry : chunk->entries) {
      if (entry.size.load() == 0) {
        return entry;
      }
    }
    if (chunk->next.load() == nullptr) {
      chunk->next.store(new Chunk);
    }
    chunk = chunk->next.load();
  }
}

// Writes zeros from the page of `address` to the end of the mapping, if the address is in this mapping.
bool settle(Entry& entry, std::uintptr_t address) {
  const std::uint32_t sequence = entry.sequence.load();
  const std::uintptr_t begin = entry.begin.load();
  const std::size_t size = entry.size.load();
  if (sequence % 2 != 0 || entry.sequence.load() != sequence || address < begin || address - begin >= size) {
    return false;
  }
  const std::uintptr_t page = address - address % watched().page_bytes;
  entry.is_cut.store(true);
  void* const zeros = ::mmap(reinterpret_cast<void*>(page), begin + size - page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return zeros != MAP_FAILED;
}

// Passes the signal on as if our handler did not exist.
void hand_over(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = watched().before;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    (void)::sigaction(signal, &before, nullptr);  // the instruction is retried, and ends the process
    if (info->si_code <= 0) {
      (void)::raise(signal);  // a process sent it, so no instruction is retried
    }
  }
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int errno_before = errno;
  if (info->si_code == BUS_ADRERR) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (Chunk* chunk = &watched().first; chunk != nullptr; chunk = chunk->next.load()) {
      for (Entry& entry : chunk->entries) {
        if (settle(entry, address)) {
          errno = errno_before;
          return;
        }
      }
    }
  }
  errno = errno_before;
  hand_over(signal, info, context);
}

}  // namespace

void survive_cut_files() {
  Watched& all = watched();
  const std::lock_guard lock(all.mutex);
  if (all.is_on) {
    return;
  }
  all.page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  all.is_on = ::sigaction(SIGBUS, &action, &all.before) == 0;
}

bool cut_files_are_survived() {
  return watched().is_on;
}

MapWatch::MapWatch(std::span<const std::byte> mapping, int descriptor) {
  const std::lock_guard lock(watched().mutex);
  entry_ = &free_entry();
  change(*entry_, reinterpret_cast<std::uintptr_t>(mapping.data()), mapping.size());
  if (descriptor >= 0) {
    descriptor_ = duplicate(descriptor);
  }
}

MapWatch& MapWatch::operator=(MapWatch&& other) noexcept {
  if (this != &other) {
    stop();
    entry_ = std::exchange(other.entry_, nullptr);
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void MapWatch::stop() {
  if (entry_ != nullptr) {
    const std::lock_guard lock(watched().mutex);
    change(*std::exchange(entry_, nullptr), 0, 0);
  }
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
  }
}

Status MapWatch::status(std::size_t size_bytes) const {
  struct stat file {};
  if (descriptor_ >= 0 && ::fstat(descriptor_, &file) == 0 &&
      static_cast<std::uint64_t>(file.st_size) < size_bytes) {
    return Error::corruption("file", static_cast<std::uint64_t>(file.st_size),
                             "the " + std::to_string(size_bytes) + " bytes that it had when it was opened",
                             "the end: it was cut while it was read");
  }
  if (entry_ != nullptr && entry_->is_cut.load()) {
    return Error::corruption("file", 0, "the bytes that it had when it was opened",
                             "some that cannot be read: it was cut while it was read, or its disk fails");
  }
  return {};
}

}  // namespace bloomery
