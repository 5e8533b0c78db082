import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { type MailCatcher, mailCatcherAt } from './mail-catcher.ts';

export interface RunningKaitaku extends MailCatcher {
  readonly url: string;
  /** The address of the mail catcher's API. */
  readonly catcherUrl: string;
  /** The program after its first start. */
  readonly program: Program;
  /** Stops the program, and keeps its data. */
  goDown(): Promise<void>;
  /** Restarts it at the same address. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns three ports that a program may listen at, as its settings. */
async function freePorts() {
  const [port, smtpPort, webPort] = [await freePort(), await freePort(), await freePort()];
  return { PORT: `${port}`, MAIL_CATCHER_SMTP_PORT: `${smtpPort}`, MAIL_CATCHER_WEB_PORT: `${webPort}` };
}

/** What the program says when another program listens at its port. */
const TAKEN = 'は使われています';

/**
 * Starts the program like `npm start` on a new machine: embedded database, mail catcher, demo account.
 * @param more DATABASE_URL of a migrated database: ready at once, but without a demo account
 */
export async function startFresh(more: Record<string, string> = {}): Promise<RunningKaitaku> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kaitaku-e2e-'));
  // Started by root, the database runs as `nobody`, who must reach its data in this folder.
  await chmod(dataDir, 0o755);
  const start = async (env: Record<string, string>) => {
    const started = startProgram(['all'], { DATA_DIR: dataDir, ...env, ...more });
    await started.until('終了するには');
    return started;
  };
  const startAnywhere = async (tries = 3) => {
    const ports = await freePorts();
    try {
      return { ports, program: await start(ports) };
    } catch (error) {
      // A port may be taken between the look and the start.
      if (tries === 1 || !String(error).includes(TAKEN)) throw error;
      return startAnywhere(tries - 1);
    }
  };
  const { ports, program } = await startAnywhere();
  let running = program;
  const goDown = async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  };
  const catcherUrl = `http://127.0.0.1:${ports.MAIL_CATCHER_WEB_PORT}`;
  return {
    url: `http://127.0.0.1:${ports.PORT}`,
    catcherUrl,
    ...mailCatcherAt(catcherUrl),
    program,
    goDown,
    comeBack: async () => {
      running = await start(ports);
    },
    stop: async () => {
      await goDown();
      await rm(dataDir, { recursive: true });
    },
  };
}
