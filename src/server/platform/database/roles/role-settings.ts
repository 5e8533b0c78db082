/**
 * Settings stored with each role (`ALTER ROLE … SET`), so that they hold behind a pooler too.
 * jit: compiling costs up to half of a wide sort's time, and gains nothing here.
 * TimeZone: UTC, so that no default of the server shifts an instant.
 * random_page_cost: the default fits a spinning disk, and makes the planner scan where a few look-ups would do.
 * work_mem: large enough to hash the companies that were mailed.
 * Parallel costs: a scan of 100,000 companies in memory gains from a second core.
 * idle_in_transaction_session_timeout: a process that is cut off in a transaction holds its locks, such as that of a
 * sender's row, no longer than a lease (an import, which reads a file meanwhile: 5 minutes). Without it they stay until
 * the server's kernel detects the dead peer, which can take hours.
 * tcp_keepalives: 25 s for locks held outside a transaction (a reservation being rendered).
 */
export const ROLE_SETTINGS: Readonly<Record<string, string>> = {
  jit: 'off',
  timezone: 'UTC',
  random_page_cost: '1.1',
  work_mem: '16MB',
  parallel_setup_cost: '100',
  parallel_tuple_cost: '0.01',
  idle_in_transaction_session_timeout: '10s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
};
