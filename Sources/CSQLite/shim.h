#include <sqlite3.h>

// sqlite3_db_config takes any number of arguments, which Swift cannot call.
static inline int nj_sqlite_keep_log_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
