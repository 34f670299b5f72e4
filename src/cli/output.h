// Buffered output to standard output or a file. Short texts are buffered; a long text is written without a
// copy.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

class Output {
 public:
  // Errors call the output `name`.
  explicit Output(int descriptor, std::string name = "standard output");

  // Errors: kIo, with EPIPE if the reader has closed the pipe.
  Status write(std::string_view text);
  // Call it once at the end. The destructor writes nothing, because it could not report an error.
  Status flush();

 private:
  Status write_now(std::string_view text);

  int descriptor_;
  std::string name_;
  std::string gathered_;
};

}  // namespace bloomery::cli
