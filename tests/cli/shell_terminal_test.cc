// bloomery shell at a terminal: history, completion, Ctrl-C and Ctrl-D. A program in Python types, and waits for what the
// shell shows; it never waits for a time.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// `typed OPTION...` runs the steps on standard input in a shell on `root`: "send TEXT" types, "see TEXT" waits until the
// terminal shows it, "never TEXT" fails if it was shown since the last but one see, "end" waits for the end of the shell.
constexpr const char* kTypist = R"py(
import os, pty, select, sys

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.environ["COLUMNS"] = "200"
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
last = b""

def read():
    if not select.select([terminal], [], [], 60)[0]:
        sys.exit(f"nothing more is shown after {shown!r}")
    try:
        return os.read(terminal, 65536)
    except OSError:  # the shell has ended
        return b""

for step in sys.stdin:
    verb, _, text = step.rstrip("\n").partition(" ")
    text = text.encode().decode("unicode_escape").encode("latin-1")
    if verb == "send":
        os.write(terminal, text)
    elif verb == "see":
        while text not in shown:
            more = read()
            if not more:
                sys.exit(f"the shell ended before {text!r}: {shown!r}")
            shown += more
        last, _, shown = shown.partition(text)
    elif verb == "never":
        if text in last:
            sys.exit(f"{text!r} is in {last!r}")
    elif verb == "end":
        while read():
            pass
        print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
)py";

constexpr const char* kTypistPrelude = R"sh(
typed() { python3 typist.py "$BLOOMERY" shell root "$@"; }
bloomery shell --create root -e "create 'orders', 'data'; create 'users', 'f'; put 'orders', 'r1', 'data:a', 'v'" >/dev/null
)sh";

class ShellTerminals : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_pseudo_terminals()) {
      GTEST_SKIP() << "there are no pseudo-terminals here";
    }
    commands.folder().write("typist.py", kTypist);
  }
  Ran run(const std::string& line) const {
    return commands.run("BLOOMERY='" BLOOMERY_COMMAND "'\n" + std::string(kTypistPrelude) + line);
  }

  Shell commands;
};

TEST_F(ShellTerminals, CtrlCClearsTheLineAndCtrlDEndsTheShell) {
  const Ran ran = run(R"sh(
typed --history '' <<'END'
see bloomery> 
send get 'orders', 
see get 'orders',
send \x03
see ^C
see bloomery> 
send get 'orders',\r
see .. 
send \x03
see bloomery> 
send count 'orders'\r
see 1 row(s)
never ERROR
see Took 
see bloomery> 
send get 'none', 'r'\r
see none: expected a table
see bloomery> 
send \x04
end
END
)sh");
  EXPECT_EQ(ran.out, "status 0\n") << ran.err;
}

// Rows are more than the terminal holds, so the scan waits for the reader when Ctrl-C comes.
TEST_F(ShellTerminals, CtrlCStopsAScanAndNotTheShell) {
  const Ran ran = run(R"sh(
seq 100000 | sed 's/.*/row&\tdata:a\tvalue/' | bloomery table import root orders
typed --history '' <<'END'
see bloomery> 
send scan 'orders'; drop 'users'\r
see row1 
send \x03
see interrupted: the answer ends here
never row99999 
see bloomery> 
send exists 'users'\r
see Table users does exist
send exit\r
end
END
)sh");
  EXPECT_EQ(ran.out, "status 0\n") << ran.err;
}

#if BLOOMERY_HAS_LIBEDIT

TEST_F(ShellTerminals, TabCompletes) {
  const Ran ran = run(R"sh(
typed --history '' <<'END'
see bloomery> 
send exi\t
see exists  exit
send s\t'or\t\r
see Table orders does exist
see bloomery> 
send get 'orders', 'r1', 'd\ta'\r
see value=v
see bloomery> 
send scan 'orders', {LIM\t1}\r
see value=v
send quit\r
end
END
)sh");
  EXPECT_EQ(ran.out, "status 0\n") << ran.err;
}

// Before Ctrl-R, the completion shows that libedit has the terminal. Until then it is the kernel's key.
TEST_F(ShellTerminals, TheHistoryIsKept) {
  const Ran ran = run(R"sh(
typed --history typed <<'END'
see bloomery> 
send count 'orders'\r
see 1 row(s)
see bloomery> 
send exit\r
end
END
stat -c %a typed
typed --history typed <<'END'
see bloomery> 
send \x10\x10\r
see 1 row(s)
see bloomery> 
send exi\t
see exists  exit
send \x15\x12orde\r
see 1 row(s)
see bloomery> 
send \x04
end
END
)sh");
  EXPECT_EQ(ran.out, "status 0\n600\nstatus 0\n") << ran.err;
}

#endif

}  // namespace
}  // namespace bloomery
