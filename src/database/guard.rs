//! The limits of every connection. A database may come from an untrusted source, so nothing that it defines is run,
//! values and statements have a maximum size, and SQLite takes a limited number of steps.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size in bytes of the largest value that an index may contain.
pub(crate) const LONGEST_VALUE: i32 = 64 * 1024 * 1024;

/// The number of steps that SQLite may take for one command, unless the caller specifies another number.
///
/// A step is an instruction of SQLite's virtual machine; a processor executes about 50 million of them per second. For
/// an index of 7,000 bundles, the size of the largest public indexes, a listing takes 4 million steps, a repair takes
/// 20 million, and a migration from schema version 8 takes 430 million.
pub(crate) const STEPS: u64 = 5_000_000_000;

/// The memory in bytes that all connections of this process may use together. Without this limit, sorting the content
/// of a small file can take an arbitrary amount of memory.
const MEMORY: i64 = 1 << 30;

/// The number of steps between two checks of the remaining steps.
const INTERVAL: u16 = 1000;

/// The number of remaining steps on one connection.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: Arc<AtomicU64>,
    steps: u64,
}

impl Budget {
    /// Resets the count, for another command on the same connection.
    pub(super) fn renew(&self) {
        self.grant(self.steps);
    }

    /// Sets the number of remaining steps.
    pub(super) fn grant(&self, steps: u64) {
        self.left.store(steps, Ordering::Relaxed);
    }
}

/// Prepares a connection for a database of any origin. A statement fails with `SQLITE_INTERRUPT` if it and the
/// preceding statements would take more than `steps` in total.
pub(super) fn guard(connection: &mut Connection, steps: u64) -> rusqlite::Result<Budget> {
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
        (Limit::SQLITE_LIMIT_COLUMN, 200),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 20),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 10),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 20),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        // Triggers are off because those of the schema delete APIs that other bundles still provide.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.query_row(&format!("PRAGMA hard_heap_limit = {MEMORY}"), [], |_| Ok(()))?;
    let budget = Budget {
        left: Arc::new(AtomicU64::new(steps)),
        steps,
    };
    let left = Arc::clone(&budget.left);
    let interval = u64::from(INTERVAL);
    let spend = move || {
        let spent = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(interval));
        spent.is_err()
    };
    connection.progress_handler(INTERVAL.into(), Some(spend))?;
    Ok(budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ErrorCode;

    const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(i) FROM n";

    #[test]
    fn an_endless_statement_is_interrupted() {
        let mut connection = Connection::open_in_memory().unwrap();
        let budget = guard(&mut connection, 100_000).unwrap();
        let run = || connection.query_row(ENDLESS, [], |_| Ok(())).unwrap_err();
        assert_eq!(run().sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
        budget.renew();
        let short = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            SELECT count(i) FROM n";
        connection.query_row(short, [], |_| Ok(())).unwrap();
        assert_eq!(run().sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
        assert!(connection.query_row(short, [], |_| Ok(())).is_err());
    }

    #[test]
    fn views_and_triggers_do_not_run() {
        let mut connection = Connection::open_in_memory().unwrap();
        guard(&mut connection, STEPS).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (x); CREATE VIEW v AS SELECT 1 AS x;
                CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END;
                INSERT INTO t VALUES (1)",
            )
            .unwrap();
        let count = |table: &str| {
            connection.query_row(&format!("SELECT count(x) FROM {table}"), [], |row| row.get::<_, i64>(0))
        };
        assert_eq!(count("t").unwrap(), 1);
        assert!(count("v").is_err());
        assert!(
            connection
                .execute_batch("PRAGMA writable_schema = 1; DELETE FROM sqlite_master")
                .is_err()
        );
    }
}
