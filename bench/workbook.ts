import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWorkbook } from '#server/features/imports/read/workbook/read-workbook.ts';

/**
 * Measures the conversion of a workbook to CSV: time, and memory of the process with its thread.
 * `npm run bench -- workbook [rows]`; by default the maximum of an import.
 */

const ROWS = Number(process.argv[2] ?? 200_000);
const MB = 1024 * 1024;

const folder = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
try {
  const path = join(folder, 'list.xlsx');
  // In a separate process, so that its memory is not measured.
  execFileSync(process.execPath, [join(import.meta.dirname, 'workbook-file.ts'), path, String(ROWS)]);
  const csvPath = join(folder, 'list.csv');
  const before = process.memoryUsage().rss;
  for (const headRows of [150, null]) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const read = await readWorkbook({ path, csvPath, sheet: null, headRows }, 1);
    if ('code' in read) throw new Error(read.message);
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const csvMb = Math.round((await stat(csvPath)).size / MB);
    const cpuSeconds = ((user + system) / 1e6).toFixed(1);
    process.stdout.write(
      `${headRows ?? ROWS} rows: ${seconds.toFixed(1)} s, ${cpuSeconds} s of CPU, CSV ${csvMb} MB\n`,
    );
  }
  const xlsxMb = Math.round((await stat(path)).size / MB);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(
    `xlsx ${xlsxMb} MB; memory of the process ${Math.round(before / MB)} MB, at most ${peakMb} MB\n`,
  );
} finally {
  await rm(folder, { recursive: true });
}
