#include "cli/shell/shell_terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <poll.h>
#include <utility>

#include <unistd.h>

#include "base/ending_signals.h"
#include "cli/stop_signal.h"

#if BLOOMERY_HAS_LIBEDIT
#include <clocale>
#include <cwchar>
#include <histedit.h>
#endif

namespace bloomery::cli {
namespace {

// Waits for a byte of standard input. Returns 0 at its end, and -1 after a signal that stops commands. The
// signals are blocked except in ppoll(), so that none is missed between the look at the flag and the wait.
int read_typed_byte(char& byte) {
  const std::atomic<bool>& stop = catch_stop_signals();
  const sigset_t usual = block_ending_signals();
  int count = -1;
  while (!stop) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::ppoll(&input, 1, nullptr, &usual) > 0) {
      count = static_cast<int>(::read(STDIN_FILENO, &byte, 1));
      if (count >= 0 || (errno != EINTR && errno != EAGAIN)) {
        count = std::max(count, 0);
        break;
      }
    }
  }
  (void)::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  return count;
}

}  // namespace

#if BLOOMERY_HAS_LIBEDIT

namespace {

constexpr int kMostHistory = 10'000;

// A character of the terminal's encoding.
int read_typed_character(EditLine* /*unused*/, wchar_t* character) {
  std::mbstate_t state{};
  for (;;) {
    char byte = 0;
    const int count = read_typed_byte(byte);
    if (count <= 0) {
      return count;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): it has a state of its own
    const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-1)) {
      state = {};  // a byte that begins no character is dropped
    } else if (length != static_cast<std::size_t>(-2)) {
      return 1;
    }
  }
}

}  // namespace

struct ShellTerminal::Editor {
  std::string history_file;
  CompletedNames names;
  std::string prompt;
  EditLine* line = nullptr;
  History* history = nullptr;
  HistEvent event{};

  // Completes as far as all words agree, or lists them.
  unsigned char complete() const {
    const LineInfo* const info = ::el_line(line);
    const std::string_view typed(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
    const ShellCompletion completion = complete_line(typed, names);
    if (completion.words.empty()) {
      return CC_ERROR;
    }
    std::string common = completion.words.front();
    for (const std::string& word : completion.words) {
      const auto differs = std::ranges::mismatch(common, word);
      common.erase(differs.in1, common.end());
    }
    std::string more = common.substr(typed.size() - completion.begin);
    more += completion.words.size() == 1 ? completion.end : "";
    if (!more.empty()) {
      return ::el_insertstr(line, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    std::string listed = "\n";
    for (const std::string& word : completion.words) {
      listed += word + "  ";
    }
    (void)std::fputs((listed + "\n").c_str(), stdout);
    (void)std::fflush(stdout);
    return CC_REDISPLAY;
  }
};

namespace {

template <typename Editor>
Editor& editor_of(EditLine* line) {
  void* data = nullptr;
  (void)::el_get(line, EL_CLIENTDATA, &data);
  return *static_cast<Editor*>(data);
}

}  // namespace

ShellTerminal::ShellTerminal(std::string history_file, CompletedNames names)
    : editor_(std::make_unique<Editor>()) {
  (void)std::setlocale(LC_CTYPE, "");  // NOLINT(concurrency-mt-unsafe): before any thread reads it
  Editor& editor = *editor_;
  editor.history_file = std::move(history_file);
  editor.names = std::move(names);
  editor.history = ::history_init();
  editor.line = ::el_init("bloomery", stdin, stdout, stderr);
  if (editor.line == nullptr || editor.history == nullptr) {
    return;
  }
  (void)::history(editor.history, &editor.event, H_SETSIZE, kMostHistory);
  (void)::history(editor.history, &editor.event, H_SETUNIQUE, 1);
  if (!editor.history_file.empty()) {
    (void)::history(editor.history, &editor.event, H_LOAD, editor.history_file.c_str());
  }
  const auto prompt = +[](EditLine* line) { return editor_of<Editor>(line).prompt.data(); };
  const auto complete = +[](EditLine* line, int) { return editor_of<Editor>(line).complete(); };
  (void)::el_set(editor.line, EL_CLIENTDATA, &editor);
  (void)::el_set(editor.line, EL_PROMPT, prompt);
  (void)::el_set(editor.line, EL_EDITOR, "emacs");
  (void)::el_set(editor.line, EL_HIST, ::history, editor.history);
  (void)::el_set(editor.line, EL_GETCFN, read_typed_character);
  (void)::el_set(editor.line, EL_ADDFN, "bloomery-complete", "complete the word", complete);
  (void)::el_set(editor.line, EL_BIND, "^I", "bloomery-complete", nullptr);
  (void)::el_set(editor.line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  (void)::el_source(editor.line, nullptr);  // ~/.editrc
}

ShellTerminal::~ShellTerminal() {
  Editor& editor = *editor_;
  if (editor.line != nullptr) {
    ::el_end(editor.line);
  }
  if (editor.history == nullptr) {
    return;
  }
  if (!editor.history_file.empty()) {
    (void)::history(editor.history, &editor.event, H_SAVE, editor.history_file.c_str());
  }
  ::history_end(editor.history);
}

TypedEnd ShellTerminal::read(const std::string& prompt, std::string& line) {
  Editor& editor = *editor_;
  if (editor.line == nullptr || editor.history == nullptr) {
    return TypedEnd::kEnd;
  }
  editor.prompt = prompt;
  ::el_resize(editor.line);
  int count = 0;
  const char* const typed = ::el_gets(editor.line, &count);
  if (typed == nullptr || count <= 0) {
    (void)std::puts(catch_stop_signals() ? "^C" : "");
    return catch_stop_signals() ? TypedEnd::kInterrupted : TypedEnd::kEnd;
  }
  line.assign(typed, static_cast<std::size_t>(count));
  if (line.ends_with('\n')) {
    line.pop_back();
  }
  if (line.find_first_not_of(" \t") != std::string::npos) {
    (void)::history(editor.history, &editor.event, H_ENTER, line.c_str());
  }
  return TypedEnd::kLine;
}

#else

struct ShellTerminal::Editor {};

ShellTerminal::ShellTerminal(std::string /*history_file*/, CompletedNames /*names*/) {}
ShellTerminal::~ShellTerminal() = default;

TypedEnd ShellTerminal::read(const std::string& prompt, std::string& line) {
  (void)std::fputs(prompt.c_str(), stdout);
  (void)std::fflush(stdout);
  line.clear();
  for (;;) {
    char byte = 0;
    const int count = read_typed_byte(byte);
    if (count < 0) {
      (void)std::puts("");
      return TypedEnd::kInterrupted;
    }
    if (count == 0 || byte == '\n') {
      return count == 0 && line.empty() ? TypedEnd::kEnd : TypedEnd::kLine;
    }
    line += byte;
  }
}

#endif

}  // namespace bloomery::cli
