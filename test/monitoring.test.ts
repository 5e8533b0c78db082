import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMetrics } from '#server/platform/metrics/metrics.ts';

const textOf = (file: string) => readFileSync(join(import.meta.dirname, '../docs/monitoring', file), 'utf8');

test.each(['kaitaku.rules.yml', 'grafana-dashboard.json'])('%s asks for metrics that the program has', async (file) => {
  const metrics = createMetrics();
  const noDatabase = () => Promise.reject(new Error('no database is needed for the names'));
  metrics.watchQueue(noDatabase);
  metrics.watchInbox(noDatabase);
  metrics.watchStorage(noDatabase);
  metrics.watchClock(noDatabase);
  metrics.watchTasks(noDatabase);
  const known = new Set((await metrics.registry.getMetricsAsJSON()).map(({ name }) => name));
  const asked = textOf(file).match(/\b(?:kaitaku|nodejs|process)_[a-z0-9_]+/g) ?? [];
  const names = asked.map((name) => (known.has(name) ? name : name.replace(/_(?:count|sum|bucket)$/, '')));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !known.has(name))).toStrictEqual([]);
});
