// Standard output: small pieces are gathered, large ones go straight from where they lie.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

class Output {
 public:
  explicit Output(int descriptor);

  // Errors: kIo; EPIPE among them when the reader has gone.
  Status write(std::string_view text);
  // Must be called once at the end: what is gathered is not written by the destructor, which could not
  // report.
  Status flush();

 private:
  Status write_now(std::string_view text);

  int descriptor_;
  std::string gathered_;
};

}  // namespace bloomery::cli
