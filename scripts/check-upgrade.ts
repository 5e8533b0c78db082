// npm run check:upgrade: packs, runs test/upgrade with the package and a version after it, and prints a table of the
// rolling upgrades (docs/reliability.md).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleServer, pack } from './pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'kaitaku-upgrade-'));
const report = join(folder, 'upgrades.jsonl');
try {
  writeFileSync(report, '');
  bundleServer();
  const env = { ...process.env, PACKAGE_FILE: pack(folder, { withParts: false }), UPGRADE_REPORT: report };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/upgrade/vitest.config.ts'];
  const { status } = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], { env, stdio: 'inherit' });
  const rows = readFileSync(report, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => Object.entries(JSON.parse(line) as Record<string, unknown>));
  const [head] = rows;
  const lines = head && [
    head.map(([name]) => name),
    head.map(() => '---'),
    ...rows.map((row) => row.map(([, value]) => value)),
  ];
  for (const cells of lines ?? []) process.stdout.write(`| ${cells.join(' | ')} |\n`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
