#include "connect/postgres/table_watch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/message.h"
#include "base/temporary_name.h"

namespace bloomery::postgres {
namespace {

constexpr int kOldestServer = 140000;

std::string text_of_field(const Field& field) {
  return field.value_or("");
}

bool is_true(const Field& field) {
  return field == "t";
}

template <typename Number>
Number number_of(const Field& field) {
  Number value = 0;
  if (field) {
    (void)std::from_chars(field->data(), field->data() + field->size(), value);
  }
  return value;
}

// Returns the only row of a query's result. Errors: kNotFound with the text `expected` if there is none.
Result<std::vector<Field>> one_row(Connection& connection, const std::string& sql,
                                   const std::string& expected) {
  BLOOMERY_ASSIGN_OR_RETURN(Rows rows, connection.query(sql));
  if (rows.empty()) {
    return Error(ErrorCode::kNotFound, connection.name(), expected);
  }
  return std::move(rows.front());
}

Status see_server(Connection& connection, const WatchedTable& watched, Observation& seen) {
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<Field> row,
      one_row(
          connection,
          "SELECT pg_is_in_recovery(), current_setting('wal_level'), current_setting('server_version_num'), "
          "CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_insert_lsn() END, "
          "CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_flush_lsn() END, "
          "CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_walfile_name(pg_current_wal_lsn()) END, "
          "(SELECT system_identifier FROM pg_control_system()), pg_postmaster_start_time(), "
          "coalesce(current_setting('max_slot_wal_keep_size', true), ''), "
          "(SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user), current_user, "
          "(SELECT string_agg(sync_state, ',') FROM pg_stat_replication WHERE application_name = " +
              quoted_text(watched.application) + ")",
          "expected an answer of one row, found none"));
  if (number_of<int>(row[2]) < kOldestServer) {
    return Error(ErrorCode::kUnsupported, connection.name(),
                 "expected PostgreSQL 14 or later, found version " + text_of_field(row[2]));
  }
  if (is_true(row[0])) {
    return Error(
        ErrorCode::kIo, connection.name(),
        "expected the primary, found a standby: name both hosts and target_session_attrs=read-write");
  }
  if (row[1] != "logical") {
    return Error::invalid_argument(connection.name(),
                                   "expected wal_level = logical, found " + text_of_field(row[1]) +
                                       ": ALTER SYSTEM SET wal_level = logical; and restart the server");
  }
  if (!is_true(row[9])) {
    return Error::invalid_argument(connection.name(),
                                   "expected a role that may replicate, found " + text_of_field(row[10]) +
                                       " without it: ALTER ROLE " + quoted_name(text_of_field(row[10])) +
                                       " REPLICATION;");
  }
  seen.end = parse_lsn(text_of_field(row[3])).value_or(Lsn{});
  seen.flushed = parse_lsn(text_of_field(row[4])).value_or(Lsn{});
  const std::string file = text_of_field(row[5]);
  if (file.size() >= 8) {
    (void)std::from_chars(file.data(), file.data() + 8, seen.timeline, 16);
  }
  seen.system = number_of<std::uint64_t>(row[6]);
  seen.started = text_of_field(row[7]);
  seen.keeps_at_most = text_of_field(row[8]);
  seen.sync_state = text_of_field(row[11]);
  return {};
}

Status see_table(Connection& connection, const WatchedTable& watched, Observation& seen) {
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<Field> row,
      one_row(connection,
              "WITH RECURSIVE family(oid) AS (SELECT to_regclass(" + quoted_text(watched.table) +
                  ")::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.oid) "
                  "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, c.relreplident, "
                  "EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary), "
                  "EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhparent = c.oid), "
                  "(SELECT bool_or(k.relpersistence <> 'p' OR k.relkind NOT IN ('r', 'p')) "
                  "FROM pg_class k JOIN family f ON k.oid = f.oid) "
                  "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(" +
                  quoted_text(watched.table) + ")",
              "expected a table " + watched.table +
                  ", found none that this role can see: was it dropped or renamed?"));
  const std::string name = quoted_name(text_of_field(row[1])) + "." + quoted_name(text_of_field(row[2]));
  const bool is_partitioned = row[3] == "p";
  if (row[3] != "r" && !is_partitioned) {
    return Error::invalid_argument(
        name, "expected a table, found a view or something else that has no log of its rows");
  }
  if (is_true(row[8])) {
    return Error::invalid_argument(
        name,
        "expected that every change is in the log, found an unlogged, temporary or foreign table "
        "or partition: ALTER TABLE " +
            name + " SET LOGGED;");
  }
  if (!is_partitioned && is_true(row[7])) {
    return Error::invalid_argument(
        name,
        "expected a table without children by INHERITS, found some: use partitions, or "
        "feed a filter from each child");
  }
  const bool has_identity = row[5] == "f" || row[5] == "i" || (row[5] == "d" && is_true(row[6]));
  if (!has_identity && !watched.insert_only) {
    return Error::invalid_argument(name,
                                   "expected a primary key or another replica identity, without which "
                                   "PostgreSQL refuses updates of a published "
                                   "table: ALTER TABLE " +
                                       name +
                                       " REPLICA IDENTITY FULL; or publish inserts alone, and say "
                                       "--insert-only if its keys are never updated");
  }
  seen.oid = number_of<std::uint32_t>(row[0]);
  seen.name = name;
  seen.shape += message(text_of_field(row[0]), " ", name, " ", text_of_field(row[5]));
  return {};
}

// Appends the row versions of the table, its partitions and its parents to the shape. Parents count because a
// publication may publish the rows under a parent's name (publish_via_partition_root).
Status see_versions(Connection& connection, const WatchedTable& watched, Observation& seen) {
  std::string names;
  for (const std::string& column : watched.columns) {
    names += (names.empty() ? "" : ", ") + quoted_text(column);
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<Field> row,
      one_row(
          connection,
          message(
              "WITH RECURSIVE below(oid) AS (SELECT ", seen.oid,
              "::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN below b ON i.inhparent = b.oid), "
              "above(oid) AS (SELECT ",
              seen.oid,
              "::oid UNION SELECT i.inhparent FROM pg_inherits i JOIN above a ON i.inhrelid = a.oid), "
              "family(oid) AS (SELECT oid FROM below UNION SELECT oid FROM above) "
              "SELECT (SELECT string_agg(k.oid || ':' || k.xmin || ':' || k.relfilenode || ':' || "
              "k.relpersistence::text || ':' || k.relkind::text, ' ' ORDER BY k.oid) "
              "FROM pg_class k JOIN family f ON k.oid = f.oid), "
              "(SELECT string_agg(i.inhrelid || ':' || i.inhparent || ':' || i.xmin, ' ' "
              "ORDER BY i.inhrelid, i.inhparent) FROM pg_inherits i JOIN family f ON i.inhrelid = f.oid), "
              "(SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin, ' ' "
              "ORDER BY a.attrelid, a.attnum) FROM pg_attribute a JOIN family f ON a.attrelid = f.oid "
              "WHERE a.attname IN (",
              names, "))"),
          "expected an answer of one row, found none"));
  seen.shape += message(" versions ", text_of_field(row[0]), " of ", text_of_field(row[1]), " with ",
                        text_of_field(row[2]));
  return {};
}

// The types in which equal values have equal texts. In other types a filter of texts would deny a key that
// the table finds in another spelling, such as 1.0 for 1 in numeric, or -0 for 0 in float8.
constexpr std::array<std::string_view, 18> kTypes{
    "int2", "int4", "int8", "oid",       "uuid",        "text", "varchar", "name",    "bytea",
    "bool", "date", "time", "timestamp", "timestamptz", "inet", "cidr",    "macaddr", "xid8"};

// Returns SQL for the name of a type, with its schema unless it is PostgreSQL's own. The schema matters
// because a user's enum may be called uuid, and ALTER TYPE ... RENAME VALUE changes its texts without a
// message in the log.
std::string sql_type_name(const std::string& type) {
  return message("CASE WHEN ", type, ".typnamespace = 'pg_catalog'::regnamespace THEN ", type,
                 ".typname::text ELSE ", type, ".typnamespace::regnamespace::text || '.' || ", type,
                 ".typname END");
}

Status check_column(const std::vector<Field>& row, const WatchedTable& watched, const std::string& subject) {
  const std::string type = row[4] ? *row[4] : text_of_field(row[3]);  // for a domain, its base type
  if (is_true(row[6])) {
    return Error::invalid_argument(
        subject, "expected a column of the log, found a generated one, which is not published");
  }
  if (!is_true(row[5])) {
    return Error::invalid_argument(subject,
                                   "expected a collation under which only equal bytes are equal, found a "
                                   "nondeterministic one: a filter would "
                                   "deny spellings that the table finds");
  }
  if (type == "bpchar" && watched.trims) {
    return {};
  }
  if (type == "bpchar") {
    return Error::invalid_argument(subject,
                                   "expected varchar or text, found char(n), which is padded: say --trim");
  }
  if (watched.brings_to_utc && type != "timestamptz") {
    return Error::invalid_argument(subject, "expected timestamptz for --key-form timestamptz, found " + type);
  }
  if (type == "timestamptz" && !watched.asks_in_utc && !watched.brings_to_utc) {
    return Error::invalid_argument(
        subject,
        "expected a type whose equal values have one text, found timestamptz, whose text depends on the time "
        "zone of the session: say --key-form timestamptz, and ask with any offset, or say --utc, and ask in "
        "UTC, as in "
        "2026-02-03 04:05:06+00");
  }
  const bool has_scale = type == "numeric" && row[2] != "-1";
  if (std::ranges::find(kTypes, type) == kTypes.end() && !has_scale) {
    return Error::invalid_argument(
        subject,
        "expected a type whose equal values have one text (integers, uuid, text, varchar, bytea, dates, "
        "numeric(p,s) ...), found " +
            type);
  }
  return {};
}

Spelling spelling_of(std::string_view type) {
  return type == "bool" ? Spelling::kBool : type == "inet" ? Spelling::kInet : Spelling::kOne;
}

Status see_columns(Connection& connection, const WatchedTable& watched, Observation& seen) {
  for (const std::string& column : watched.columns) {
    const std::string subject = seen.name + "." + quoted_name(column);
    BLOOMERY_ASSIGN_OR_RETURN(
        const std::vector<Field> row,
        one_row(connection,
                message("SELECT a.attnum, a.atttypid, a.atttypmod, ", sql_type_name("t"), ", ",
                        sql_type_name("b"),
                        ", coalesce(c.collisdeterministic, true), a.attgenerated <> '', a.attcollation "
                        "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
                        "LEFT JOIN pg_type b ON b.oid = t.typbasetype LEFT JOIN pg_collation c ON c.oid = "
                        "a.attcollation "
                        "WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = ",
                        seen.oid, " AND a.attname = ", quoted_text(column)),
                message("expected a column ", column, " in ", seen.name,
                        ", found none: was it dropped or renamed?")));
    BLOOMERY_RETURN_IF_ERROR(check_column(row, watched, subject));
    seen.spellings.push_back(spelling_of(row[4] ? *row[4] : text_of_field(row[3])));
    seen.shape += message(" ", quoted_name(column), ":", text_of_field(row[0]), ":", text_of_field(row[1]),
                          ":", text_of_field(row[2]), ":", text_of_field(row[7]));
  }
  const auto ones = static_cast<std::size_t>(std::ranges::count(seen.spellings, Spelling::kOne));
  if (seen.spellings.size() - ones > kMostSpelled) {
    return Error::invalid_argument(seen.name, message("expected at most ", kMostSpelled,
                                                      " key columns of the types bool and inet, found more"));
  }
  return {};
}

Status check_publication(const std::vector<Field>& row, const WatchedTable& watched,
                         const Observation& seen) {
  const std::string subject = "publication " + quoted_name(watched.publication);
  if (!is_true(row[4])) {
    return Error::invalid_argument(subject,
                                   message("expected the table ", seen.name,
                                           " in it, found it without: ALTER "
                                           "PUBLICATION ",
                                           quoted_name(watched.publication), " ADD TABLE ", seen.name,
                                           "; a partitioned table needs publish_via_partition_root"));
  }
  if (!is_true(row[2]) || (!is_true(row[3]) && !watched.insert_only)) {
    return Error::invalid_argument(
        subject,
        "expected that inserts and updates are published, found only a part of them: ALTER PUBLICATION " +
            quoted_name(watched.publication) +
            " SET (publish = 'insert, update, delete, truncate'); or say --insert-only if keys are never "
            "updated");
  }
  if (row[5]) {
    return Error::invalid_argument(subject, "expected all rows, found a row filter: " + *row[5]);
  }
  if (!is_true(row[6])) {
    return Error::invalid_argument(subject,
                                   "expected the key columns in it, found a list of columns without them");
  }
  return {};
}

Status see_publication(Connection& connection, const WatchedTable& watched, Observation& seen, int version) {
  std::string names;
  for (const std::string& column : watched.columns) {
    names += (names.empty() ? "" : ", ") + quoted_text(column);
  }
  const std::string of_table = message(
      "FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname "
      "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename WHERE "
      "t.pubname = p.pubname AND c.oid = ",
      seen.oid);
  const bool has_lists = version >= 150000;
  const std::string filter = has_lists ? "(SELECT t.rowfilter " + of_table + ")" : "NULL";
  const std::string lists =
      has_lists ? "(SELECT t.attnames @> ARRAY[" + names + "]::name[] " + of_table + ")" : "true";
  const std::string schemas =
      has_lists
          ? "(SELECT string_agg(s.oid || ':' || s.xmin, ' ' ORDER BY s.oid) FROM pg_publication_namespace s "
            "WHERE s.pnpubid = p.oid)"
          : "NULL";
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<Field> row,
      one_row(
          connection,
          message(
              "SELECT p.oid, p.xmin, p.pubinsert, p.pubupdate, EXISTS (SELECT 1 ", of_table, "), ", filter,
              ", ", lists,
              ", (SELECT string_agg(r.oid || ':' || r.xmin, ' ' ORDER BY r.oid) FROM pg_publication_rel r "
              "WHERE r.prpubid = p.oid), ",
              schemas, " FROM pg_publication p WHERE p.pubname = ", quoted_text(watched.publication)),
          message("expected a publication ", watched.publication, ", found none: CREATE PUBLICATION ",
                  quoted_name(watched.publication), " FOR TABLE ", seen.name, ";")));
  BLOOMERY_RETURN_IF_ERROR(check_publication(row, watched, seen));
  seen.shape += message(" publication ", text_of_field(row[0]), ":", text_of_field(row[1]), " ",
                        text_of_field(row[7]), " ", text_of_field(row[8]));
  return {};
}

}  // namespace

Result<std::optional<SlotState>> find_slot(Connection& connection, const std::string& name) {
  BLOOMERY_ASSIGN_OR_RETURN(const Rows rows,
                            connection.query("SELECT coalesce(wal_status, 'lost'), confirmed_flush_lsn, "
                                             "active, plugin, database = current_database(), restart_lsn, "
                                             "CASE WHEN NOT pg_is_in_recovery() THEN "
                                             "pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) END "
                                             "FROM pg_replication_slots WHERE slot_name = " +
                                             quoted_text(name)));
  if (rows.empty()) {
    return std::optional<SlotState>();
  }
  const std::vector<Field>& row = rows.front();
  if (row[3] != "pgoutput" || !is_true(row[4])) {
    return Error::invalid_argument("slot " + name,
                                   "expected a slot of pgoutput in this database, found one that "
                                   "belongs to something else: name another one (--slot)");
  }
  return std::optional(SlotState{.wal_status = text_of_field(row[0]),
                                 .confirmed = parse_lsn(text_of_field(row[1])).value_or(Lsn{}),
                                 .restart = parse_lsn(text_of_field(row[5])).value_or(Lsn{}),
                                 .held = number_of<std::uint64_t>(row[6]),  // a negative number becomes 0
                                 .is_active = is_true(row[2])});
}

Result<Observation> observe(Connection& connection, const WatchedTable& table) {
  Observation seen;
  BLOOMERY_RETURN_IF_ERROR(see_server(connection, table, seen));
  BLOOMERY_RETURN_IF_ERROR(see_table(connection, table, seen));
  BLOOMERY_RETURN_IF_ERROR(see_columns(connection, table, seen));
  BLOOMERY_RETURN_IF_ERROR(see_versions(connection, table, seen));
  BLOOMERY_ASSIGN_OR_RETURN(const Rows version, connection.query("SHOW server_version_num"));
  BLOOMERY_RETURN_IF_ERROR(see_publication(connection, table, seen, number_of<int>(version.at(0).at(0))));
  BLOOMERY_ASSIGN_OR_RETURN(seen.slot, find_slot(connection, table.slot));
  return seen;
}

Status create_slot(Connection& replication, const std::string& name) {
  const Result<Rows> made = replication.query("CREATE_REPLICATION_SLOT " + quoted_name(name) +
                                              " LOGICAL pgoutput NOEXPORT_SNAPSHOT");
  return made ? Status() : Status(made.error());
}

Status drop_slot(Connection& connection, const std::string& name) {
  const Result<Rows> dropped = connection.query("SELECT pg_drop_replication_slot(" + quoted_text(name) + ")");
  return dropped ? Status() : Status(dropped.error());
}

Result<Lsn> forget_log(Connection& connection, const std::string& name) {
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<Field> row,
      one_row(connection,
              "SELECT end_lsn FROM pg_replication_slots s, pg_replication_slot_advance(s.slot_name, "
              "greatest(s.confirmed_flush_lsn, pg_current_wal_flush_lsn())) WHERE s.slot_name = " +
                  quoted_text(name),
              "expected the slot " + name + ", found none"));
  return parse_lsn(text_of_field(row[0])).value_or(Lsn{});
}

Result<Lsn> scan_at_one_moment(const ConnectOptions& options, const std::string& name,
                               const std::vector<std::string>& columns,
                               const std::function<Status(std::string_view)>& row) {
  ConnectOptions replicating = options;
  replicating.is_replication = true;
  BLOOMERY_ASSIGN_OR_RETURN(Connection slot, Connection::open(replicating));
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<Field> made,
      one_row(slot,
              "CREATE_REPLICATION_SLOT " + quoted_name(temporary_name("bloomery_scan_")) +
                  " TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT",
              "expected a slot, found none"));
  BLOOMERY_ASSIGN_OR_RETURN(Connection scan, Connection::open(options));
  BLOOMERY_RETURN_IF_ERROR(scan.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  BLOOMERY_RETURN_IF_ERROR(
      scan.query("SET TRANSACTION SNAPSHOT " + quoted_text(made.size() > 2 ? text_of_field(made[2]) : "")));
  std::string list;
  for (const std::string& column : columns) {
    list += (list.empty() ? "" : ", ") + quoted_name(column);
  }
  BLOOMERY_RETURN_IF_ERROR(scan.copy_out("COPY (SELECT " + list + " FROM " + name + ") TO STDOUT", row));
  return parse_lsn(text_of_field(made[1])).value_or(Lsn{});
}

Result<std::uint64_t> count_rows(Connection& connection, const std::string& name) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<Field> row, one_row(connection, "SELECT count(*) FROM " + name,
                                                                  "expected a count, found none"));
  return number_of<std::uint64_t>(row[0]);
}

}  // namespace bloomery::postgres
