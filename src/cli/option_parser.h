// Declares the CLI11 classes that headers name. Only code that adds or reads options includes <CLI/CLI.hpp>,
// which costs two seconds of compile time.
#pragma once

namespace CLI {

class App;
class Option;

}  // namespace CLI
