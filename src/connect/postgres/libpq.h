// The functions of libpq that a connection calls. The library is loaded at first use.
//
// libpq depends on OpenSSL, LDAP and Kerberos. When the command was linked to them, every verb's start time
// doubled (8 to 17 ms), and they cost 5 MB. So only a feeder loads the library.
//
// The types come from libpq-fe.h, so a wrong call does not compile. Threads: any.
#pragma once

#include <libpq-fe.h>

#include "bloomery/base/result.h"

namespace bloomery::postgres {

struct Libpq {
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQconnectdbParams) connectdb_params = nullptr;
  decltype(&::PQconsumeInput) consume_input = nullptr;
  decltype(&::PQdb) db = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQflush) flush = nullptr;
  decltype(&::PQfreemem) freemem = nullptr;
  decltype(&::PQgetCopyData) get_copy_data = nullptr;
  decltype(&::PQgetResult) get_result = nullptr;
  decltype(&::PQgetisnull) getisnull = nullptr;
  decltype(&::PQgetlength) getlength = nullptr;
  decltype(&::PQgetvalue) getvalue = nullptr;
  decltype(&::PQhost) host = nullptr;
  decltype(&::PQisBusy) is_busy = nullptr;
  decltype(&::PQnfields) nfields = nullptr;
  decltype(&::PQntuples) ntuples = nullptr;
  decltype(&::PQport) port = nullptr;
  decltype(&::PQputCopyData) put_copy_data = nullptr;
  decltype(&::PQresultErrorField) result_error_field = nullptr;
  decltype(&::PQresultErrorMessage) result_error_message = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQsendQuery) send_query = nullptr;
  decltype(&::PQsetNoticeProcessor) set_notice_processor = nullptr;
  decltype(&::PQsetnonblocking) setnonblocking = nullptr;
  decltype(&::PQsocket) socket = nullptr;
  decltype(&::PQstatus) status = nullptr;
};

// Loads the library, once. Errors: kNotFound if it is not installed or lacks a function; later calls fail the
// same way.
Result<const Libpq*> load_libpq();

// Precondition: load_libpq() has succeeded.
const Libpq& libpq();

}  // namespace bloomery::postgres
