// Makes one system call of a program fail, be cut short, or be the last: for scripts/faults and scripts/kills.
//
// A shared object for LD_PRELOAD. It counts the calls of one name and meddles with one of them:
//   FAULT_CALL    the call: open (openat too), read, pread, write, pwrite, fsync (fdatasync too), rename (renameat2 too), ftruncate,
//                 fallocate, mmap, msync, flock, fchmod, fchown, link, unlink (unlinkat, rmdir too), mkdir, close
//   FAULT_NUMBER  which one, from 1; the ones after it too with FAULT_STICKY=1
//   FAULT_HOW     a number of errno.h; SHORT: half of the bytes are moved; KILL, KILL_AFTER: SIGKILL before the call or after it;
//                 CUT: of mmap, the file is cut to nothing when it is mapped
//   FAULT_REPORT  a file that is made when the moment came
//   FAULT_COUNTS  a file that has the number of each call when the program ended: "open 12" and so on
// Not counted: mmap without a file, a lock that is given back, descriptor 2 (where the error is told), and what the C library calls inside itself.
// A close that fails has closed, as Linux's does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum how { PASS, FAIL, SHORT, KILL, KILL_AFTER, CUT };

static const char* const names[] = {"open",  "read",  "pread",  "write",  "pwrite", "fsync",  "rename", "ftruncate", "fallocate",
                                    "mmap",  "msync", "flock",  "fchmod", "fchown", "link",   "unlink", "mkdir",     "close"};
enum { NAMES = sizeof names / sizeof names[0] };
static atomic_long counts[NAMES];

static const char* chosen_call;
static long chosen_number;
static int is_sticky;
static enum how chosen_how;
static int chosen_errno;

__attribute__((constructor)) static void read_choice(void) {
  const char* number = getenv("FAULT_NUMBER");
  const char* how = getenv("FAULT_HOW");
  chosen_call = getenv("FAULT_CALL");
  chosen_number = number != NULL ? atol(number) : 0;
  is_sticky = getenv("FAULT_STICKY") != NULL;
  if (how == NULL) {
    chosen_how = PASS;
  } else if (strcmp(how, "SHORT") == 0) {
    chosen_how = SHORT;
  } else if (strcmp(how, "KILL") == 0) {
    chosen_how = KILL;
  } else if (strcmp(how, "KILL_AFTER") == 0) {
    chosen_how = KILL_AFTER;
  } else if (strcmp(how, "CUT") == 0) {
    chosen_how = CUT;
  } else {
    chosen_how = FAIL;
    chosen_errno = atoi(how);
  }
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
}

static long count(const char* call) {
  for (int i = 0; i < NAMES; ++i) {
    if (strcmp(call, names[i]) == 0) {
      return atomic_fetch_add(&counts[i], 1) + 1;
    }
  }
  abort();
}

__attribute__((destructor)) static void write_counts(void) {
  const char* path = getenv("FAULT_COUNTS");
  const long file = path == NULL ? -1 : syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  for (int i = 0; file >= 0 && i < NAMES; ++i) {
    char line[64];
    const int size = snprintf(line, sizeof line, "%s %ld\n", names[i], atomic_load(&counts[i]));
    syscall(SYS_write, file, line, size);
  }
}

static enum how what_happens_to(const char* call) {
  const long number = count(call);
  if (chosen_call == NULL || strcmp(call, chosen_call) != 0) {
    return PASS;
  }
  if (number != chosen_number && !(is_sticky && number > chosen_number)) {
    return PASS;
  }
  const char* report = getenv("FAULT_REPORT");
  if (report != NULL) {
    const long made = syscall(SYS_openat, AT_FDCWD, report, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (made >= 0) {
      syscall(SYS_close, made);
    }
  }
  if (chosen_how == KILL) {
    die();
  }
  return chosen_how;
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// The call itself, or its failure. `result` is what `real` answers.
#define END(type, happens, call)                \
  do {                                          \
    if ((happens) == FAIL) {                    \
      errno = chosen_errno;                     \
      return (type)-1;                          \
    }                                           \
    type result = (call);                       \
    if ((happens) == KILL_AFTER) {              \
      die();                                    \
    }                                           \
    return result;                              \
  } while (0)

#define OPEN(name)                                                   \
  int name(const char* path, int flags, ...) {                       \
    va_list more;                                                    \
    va_start(more, flags);                                           \
    const mode_t mode = va_arg(more, mode_t);                        \
    va_end(more);                                                    \
    REAL(int, #name, const char*, int, ...);                         \
    const enum how happens = what_happens_to("open");                \
    END(int, happens, real(path, flags, mode));                      \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                 \
  int name(int folder, const char* path, int flags, ...) {           \
    va_list more;                                                    \
    va_start(more, flags);                                           \
    const mode_t mode = va_arg(more, mode_t);                        \
    va_end(more);                                                    \
    REAL(int, #name, int, const char*, int, ...);                    \
    const enum how happens = what_happens_to("open");                \
    END(int, happens, real(folder, path, flags, mode));              \
  }
OPENAT(openat)
OPENAT(openat64)

#define MOVE(name, buffer)                                                             \
  ssize_t name(int file, buffer bytes, size_t size) {                                 \
    REAL(ssize_t, #name, int, buffer, size_t);                                         \
    const enum how happens = file == STDERR_FILENO ? PASS : what_happens_to(#name);    \
    END(ssize_t, happens, real(file, bytes, happens == SHORT ? (size + 1) / 2 : size)); \
  }
MOVE(read, void*)
MOVE(write, const void*)

#define MOVE_AT(name, call, buffer)                                                    \
  ssize_t name(int file, buffer bytes, size_t size, off_t offset) {                   \
    REAL(ssize_t, #name, int, buffer, size_t, off_t);                                  \
    const enum how happens = what_happens_to(call);                                    \
    END(ssize_t, happens, real(file, bytes, happens == SHORT ? (size + 1) / 2 : size, offset)); \
  }
MOVE_AT(pread, "pread", void*)
MOVE_AT(pread64, "pread", void*)
MOVE_AT(pwrite, "pwrite", const void*)
MOVE_AT(pwrite64, "pwrite", const void*)

#define PLAIN(name, call, params, types, arguments)   \
  int name params {                                   \
    int(*real) types = (int(*) types)dlsym(RTLD_NEXT, #name); \
    const enum how happens = what_happens_to(call);   \
    END(int, happens, real arguments);                \
  }
PLAIN(fsync, "fsync", (int file), (int), (file))
PLAIN(fdatasync, "fsync", (int file), (int), (file))
PLAIN(rename, "rename", (const char* from, const char* to), (const char*, const char*), (from, to))
PLAIN(renameat2, "rename", (int in, const char* from, int at, const char* to, unsigned flags),
      (int, const char*, int, const char*, unsigned), (in, from, at, to, flags))
PLAIN(ftruncate, "ftruncate", (int file, off_t size), (int, off_t), (file, size))
PLAIN(ftruncate64, "ftruncate", (int file, off_t size), (int, off_t), (file, size))
PLAIN(fallocate, "fallocate", (int file, int mode, off_t offset, off_t size), (int, int, off_t, off_t),
      (file, mode, offset, size))
PLAIN(fallocate64, "fallocate", (int file, int mode, off_t offset, off_t size), (int, int, off_t, off_t),
      (file, mode, offset, size))
PLAIN(msync, "msync", (void* bytes, size_t size, int flags), (void*, size_t, int), (bytes, size, flags))
PLAIN(fchmod, "fchmod", (int file, mode_t mode), (int, mode_t), (file, mode))
PLAIN(fchown, "fchown", (int file, uid_t user, gid_t group), (int, uid_t, gid_t), (file, user, group))
PLAIN(link, "link", (const char* from, const char* to), (const char*, const char*), (from, to))
PLAIN(linkat, "link", (int in, const char* from, int at, const char* to, int flags),
      (int, const char*, int, const char*, int), (in, from, at, to, flags))
PLAIN(unlink, "unlink", (const char* path), (const char*), (path))
PLAIN(unlinkat, "unlink", (int folder, const char* path, int flags), (int, const char*, int), (folder, path, flags))
PLAIN(rmdir, "unlink", (const char* path), (const char*), (path))
PLAIN(mkdir, "mkdir", (const char* path, mode_t mode), (const char*, mode_t), (path, mode))

// As another process would: a file without a name can be cut by nobody else.
static void cut(int file) {
  struct stat facts;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (fstat(file, &facts) == 0 && facts.st_nlink != 0) {
    syscall(SYS_truncate, path, 0);
  }
}

int flock(int file, int operation) {
  REAL(int, "flock", int, int);
  const enum how happens = operation == LOCK_UN ? PASS : what_happens_to("flock");
  END(int, happens, real(file, operation));
}

#define MMAP(name)                                                                        \
  void* name(void* at, size_t size, int protection, int flags, int file, off_t offset) {  \
    REAL(void*, #name, void*, size_t, int, int, int, off_t);                              \
    const enum how happens = file < 0 ? PASS : what_happens_to("mmap");                   \
    void* result = happens == FAIL ? MAP_FAILED : real(at, size, protection, flags, file, offset); \
    if (happens == FAIL) {                                                                \
      errno = chosen_errno;                                                               \
    } else if (happens == KILL_AFTER) {                                                   \
      die();                                                                              \
    } else if (happens == CUT) {                                                          \
      cut(file);                                                                          \
    }                                                                                     \
    return result;                                                                        \
  }
MMAP(mmap)
MMAP(mmap64)

int close(int file) {
  REAL(int, "close", int);
  const enum how happens = what_happens_to("close");
  const int result = real(file);
  if (happens == KILL_AFTER) {
    die();
  }
  if (happens == FAIL) {
    errno = chosen_errno;
    return -1;
  }
  return result;
}
