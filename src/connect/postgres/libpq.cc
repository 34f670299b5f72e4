#include "connect/postgres/libpq.h"

#include <dlfcn.h>
#include <string>

#include "base/message.h"

namespace bloomery::postgres {
namespace {

constexpr const char* kLibrary = "libpq.so.5";

struct Loaded {
  Libpq functions;
  std::string trouble;  // why a function is missing; empty if all were found
};

template <typename Function>
void find(void* library, const char* name, Function& function, std::string& trouble) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr && trouble.empty()) {
    trouble = message("expected ", name, "(), found none");
  }
}

Loaded load() {
  Loaded loaded;
  // The library is never unloaded, because some of its dependencies cannot be unloaded.
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it for each thread
    loaded.trouble =
        message("expected PostgreSQL's client library (Debian: libpq5), found: ", why == nullptr ? "" : why);
    return loaded;
  }
  Libpq& to = loaded.functions;
  find(library, "PQclear", to.clear, loaded.trouble);
  find(library, "PQconnectdbParams", to.connectdb_params, loaded.trouble);
  find(library, "PQconsumeInput", to.consume_input, loaded.trouble);
  find(library, "PQdb", to.db, loaded.trouble);
  find(library, "PQerrorMessage", to.error_message, loaded.trouble);
  find(library, "PQfinish", to.finish, loaded.trouble);
  find(library, "PQflush", to.flush, loaded.trouble);
  find(library, "PQfreemem", to.freemem, loaded.trouble);
  find(library, "PQgetCopyData", to.get_copy_data, loaded.trouble);
  find(library, "PQgetResult", to.get_result, loaded.trouble);
  find(library, "PQgetisnull", to.getisnull, loaded.trouble);
  find(library, "PQgetlength", to.getlength, loaded.trouble);
  find(library, "PQgetvalue", to.getvalue, loaded.trouble);
  find(library, "PQhost", to.host, loaded.trouble);
  find(library, "PQisBusy", to.is_busy, loaded.trouble);
  find(library, "PQnfields", to.nfields, loaded.trouble);
  find(library, "PQntuples", to.ntuples, loaded.trouble);
  find(library, "PQport", to.port, loaded.trouble);
  find(library, "PQputCopyData", to.put_copy_data, loaded.trouble);
  find(library, "PQresultErrorField", to.result_error_field, loaded.trouble);
  find(library, "PQresultErrorMessage", to.result_error_message, loaded.trouble);
  find(library, "PQresultStatus", to.result_status, loaded.trouble);
  find(library, "PQsendQuery", to.send_query, loaded.trouble);
  find(library, "PQsetNoticeProcessor", to.set_notice_processor, loaded.trouble);
  find(library, "PQsetnonblocking", to.setnonblocking, loaded.trouble);
  find(library, "PQsocket", to.socket, loaded.trouble);
  find(library, "PQstatus", to.status, loaded.trouble);
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

Result<const Libpq*> load_libpq() {
  if (!loaded().trouble.empty()) {
    return Error(ErrorCode::kNotFound, kLibrary, loaded().trouble);
  }
  return &loaded().functions;
}

const Libpq& libpq() {
  return loaded().functions;
}

}  // namespace bloomery::postgres
