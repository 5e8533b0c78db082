import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';

export interface CaughtMail {
  readonly id: string;
  readonly subject: string;
  readonly date: string;
  readonly from: readonly { address: string; name: string }[];
  readonly to: readonly { address: string }[];
  readonly envelope: { readonly from: { address: string }; readonly to: readonly { address: string }[] };
}

export interface RunningKaitaku {
  readonly url: string;
  /** As it was started first. */
  readonly program: Program;
  /** What the mail catcher holds, as its REST interface tells. */
  mails(): Promise<CaughtMail[]>;
  /** The address of its database, which runs already. */
  databaseUrl(): Promise<string>;
  /** A mail as it came over the wire. */
  source(id: string): Promise<string>;
  /** Ends the program; its data stay. */
  goDown(): Promise<void>;
  /** Starts it again at the same address. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** The program as `npm start` runs it on a machine that never ran it: embedded database, mail catcher, demo account. */
export async function startFresh(): Promise<RunningKaitaku> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kaitaku-e2e-'));
  // As root the database runs as `nobody`, who must be able to reach its data here.
  await chmod(dataDir, 0o755);
  const [port, smtpPort, webPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    MAIL_CATCHER_SMTP_PORT: String(smtpPort),
    MAIL_CATCHER_WEB_PORT: String(webPort),
  };
  const start = async () => {
    const started = startProgram(['all'], env);
    await started.until('終了するには');
    return started;
  };
  const program = await start();
  let running = program;
  const goDown = async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  };
  const catcher = `http://127.0.0.1:${webPort}`;
  return {
    url: `http://127.0.0.1:${port}`,
    program,
    mails: async () => (await (await fetch(`${catcher}/email`)).json()) as CaughtMail[],
    databaseUrl: async () => (await startEmbeddedPostgres(dataDir)).url,
    source: async (id) => (await fetch(`${catcher}/email/${id}/source`)).text(),
    goDown,
    comeBack: async () => {
      running = await start();
    },
    stop: async () => {
      await goDown();
      await rm(dataDir, { recursive: true });
    },
  };
}
