import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { UsageError } from '#server/commands/command.ts';
import { runProgram } from '#server/commands/program.ts';
import { readSettings } from '#server/platform/settings.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder that is not there: the clone's own may have a key and receipts, once somebody has started it. */
const NO_DATA = join(tmpdir(), `kaitaku-no-data-${process.pid}`);

/**
 * Runs a command in this process and captures its output: starting the program takes a second of CPU time.
 * Wrong usage ends with 2, as in main.ts, and prints the message to `err`.
 */
export async function runCommand(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    }),
  );
  const ended = (code: number) => ({ code, out: printed.stdout, err: printed.stderr });
  try {
    await runProgram(args, () => readSettings({ DATA_DIR: NO_DATA, ...env }));
    return ended(Number(process.exitCode ?? 0));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printed.stderr += `\n${error.message}\n`;
    return ended(2);
  } finally {
    process.exitCode = undefined;
    // stopSignal() treats vitest's channel as the launcher's, and would let this process end between two files.
    process.channel?.ref();
    for (const spy of spies) spy.mockRestore();
  }
}
