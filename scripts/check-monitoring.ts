// npm run check:monitoring: checks the metrics, the alert rules and their tests with promtool (Debian's package
// `prometheus`).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createMetrics } from '../src/server/platform/metrics/metrics.ts';

const MONITORING = join(import.meta.dirname, '../docs/monitoring');

function promtool(args: readonly string[], input = ''): void {
  const { status, error } = spawnSync('promtool', args, {
    cwd: MONITORING,
    input,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  if (error) throw new Error('promtool is missing: apt-get install prometheus', { cause: error });
  if (status !== 0) process.exit(1);
}

const metrics = createMetrics();
metrics.watchQueue(async () => ({
  due: 1,
  deferred: 0,
  paused: 0,
  inProgress: 0,
  oldestDueSeconds: 1,
  unknown: 0,
  reservationsDue: 0,
  reservationsMissed: 0,
  oldestReservationSeconds: 0,
  transportPaused: 0,
  transportFaults: 0,
  databaseRewound: 0,
  frozenAccounts: 0,
  heldArrivals: 0,
  mailboxesWithoutKey: 0,
}));
metrics.watchTasks(async () => [{ name: 'blank old mails', seconds: 1, everySeconds: 60 }]);
promtool(['check', 'metrics'], await metrics.registry.metrics());
promtool(['check', 'rules', 'kaitaku.rules.yml']);
promtool(['test', 'rules', 'kaitaku.rules.test.yml']);
process.stdout.write('metrics, rules and their tests: ok\n');
