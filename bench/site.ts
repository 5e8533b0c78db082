import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_BASE } from '#contract/call.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { clientAt } from '#test/client.ts';
import { freePort } from '#test/program.ts';

/** A checkout's program with its demo account. */
export interface Site {
  readonly name: string;
  readonly url: string;
  /** The content of sessionStorage after a login, and later after the list was shown. */
  readonly session: string;
  stop(): Promise<void>;
}

/** Starts a checkout's program with its demo account, and logs in. */
export async function startSite(name: string, folder: string): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
  // Started by root, the database runs as `nobody`, who must reach its data in this folder.
  await chmod(dataDir, 0o755);
  const [port, smtpPort, webPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: String(port),
    MAIL_CATCHER_SMTP_PORT: String(smtpPort),
    MAIL_CATCHER_WEB_PORT: String(webPort),
  };
  const program = spawn(process.execPath, ['src/server/main.ts', 'all'], { cwd: folder, env, stdio: 'pipe' });
  await untilPrinted(program, '終了するには');
  const url = `http://127.0.0.1:${port}`;
  return {
    name,
    url,
    session: await logIn(url),
    stop: async () => {
      const ended = new Promise((done) => program.once('close', done));
      program.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true });
    },
  };
}

const untilPrinted = (program: ChildProcess, text: string) =>
  new Promise<void>((done, fail) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(text)) done();
    };
    program.stdout?.on('data', read);
    program.stderr?.on('data', read);
    program.once('close', () => fail(new Error(printed)));
  });

async function logIn(url: string): Promise<string> {
  const answer = await clientAt(url + API_BASE, '').post('/auth/login', DEMO_LOGIN);
  const { token, account_id } = answer.body as { token: string; account_id: number };
  const account = await clientAt(url + API_BASE, `Bearer ${token}`).get(`/account/${account_id}`);
  return JSON.stringify({ version: 1, state: { token, current_user: account.body } });
}
