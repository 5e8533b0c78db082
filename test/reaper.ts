import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';

/**
 * A child by pid, or the PostgreSQL servers below a folder, which is then removed.
 * Their data folders: by default `postgres` in it.
 */
export type Reaped =
  | { readonly pid: number }
  | { readonly postgresFolder: string; readonly dataFolders?: readonly string[] };

export interface ReaperMessage {
  readonly action: 'add' | 'drop';
  readonly child: Reaped;
}

let reaper: ChildProcess | undefined;

function send(message: ReaperMessage): void {
  if (!reaper) {
    // Detached, so that a Ctrl-C in the terminal does not reach it.
    reaper = fork(join(import.meta.dirname, 'reaper.process.ts'), [], {
      detached: true,
      stdio: 'ignore',
      execArgv: [],
    });
    reaper.unref();
    reaper.channel?.unref();
  }
  reaper.send(message);
}

/**
 * Ends a child when this process ends, for any cause: Ctrl-C, kill -9, a failed set-up.
 * @returns a function to call once the child has ended by itself
 */
export function endWithUs(child: Reaped): () => void {
  send({ action: 'add', child });
  return () => send({ action: 'drop', child });
}

/**
 * Starts the bundled PostgreSQL in a temporary folder.
 * It ends with this process; then the folder is removed.
 */
export async function startTestPostgres(folder: string, settings: readonly string[] = []): Promise<EmbeddedPostgres> {
  const forget = endWithUs({ postgresFolder: folder });
  const postgres = await startEmbeddedPostgres(folder, settings);
  const stop = async () => {
    await postgres.stop();
    forget();
  };
  return { ...postgres, stop };
}
