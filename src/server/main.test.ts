import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { startProgram } from '#test/program.ts';

/** Runs a command whose standard output is closed, as by `| head`. @returns its exit code, and standard error */
async function runClosed(args: string[], env: Record<string, string> = {}) {
  const { child, ended, output } = startProgram(args, env);
  child.stdout?.destroy();
  return [await ended, output()];
}

test('a command whose reader has closed its output drops the rest quietly, and ends with its own code', async () => {
  expect(await runClosed(['account', '--help'])).toStrictEqual([0, '']);
  const { url } = await emptyDatabase();
  expect(await runClosed(['tasks'], { DATABASE_URL: url })).toStrictEqual([0, '']);
});

test('a refusal keeps its exit code though standard error is closed too', async () => {
  const { child, ended } = startProgram(['fly'], {});
  child.stdout?.destroy();
  child.stderr?.destroy();
  expect(await ended).toBe(2);
});
