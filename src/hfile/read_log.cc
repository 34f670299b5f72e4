#include "hfile/read_log.h"

#include <utility>

namespace bloomery::hfile {

ReadLog::ReadLog() : outer_(std::exchange(current_, this)) {}

ReadLog::~ReadLog() {
  current_ = outer_;
}

}  // namespace bloomery::hfile
