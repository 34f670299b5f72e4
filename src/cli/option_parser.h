// The classes of CLI11 that headers name. What adds options or asks them includes <CLI/CLI.hpp>, two seconds of compile time.
#pragma once

namespace CLI {

class App;
class Option;

}  // namespace CLI
