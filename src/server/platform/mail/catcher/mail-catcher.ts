import { fork } from 'node:child_process';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartupError } from '../../startup-error.ts';
import type { SmtpSettings } from '../smtp/settings.ts';

const HOST = '127.0.0.1';

export interface MailCatcher {
  readonly smtp: SmtpSettings;
  /** The web page that shows caught mails. */
  readonly webUrl: string;
  stop(): void;
}

interface Options {
  readonly smtpPort: number;
  readonly webPort: number;
  /** The folder that keeps caught mails across restarts. */
  readonly folder: string;
}

/**
 * Starts MailDev as a child process on loopback. It accepts every mail, relays none, and ends with this process.
 * @throws StartupError when it is not installed, a port is taken, or it does not start
 */
export async function startMailCatcher({ smtpPort, webPort, folder }: Options): Promise<MailCatcher> {
  refuseMissingMailDev();
  await refuseTakenPort(smtpPort, 'MAIL_CATCHER_SMTP_PORT');
  await refuseTakenPort(webPort, 'MAIL_CATCHER_WEB_PORT');
  await makePrivateFolder(folder);
  const child = fork(
    new URL('./mail-catcher.process.ts', import.meta.url),
    [JSON.stringify({ smtp: smtpPort, web: webPort, ip: HOST, mailDirectory: folder })],
    // Its own process group: Ctrl-C reaches only the parent, so that the worker can still send its open mails.
    { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  );
  await new Promise<void>((done, fail) => {
    child.once('message', () => done());
    child.once('exit', (code) =>
      fail(new StartupError(`メールキャッチャー（MailDev）が起動しませんでした（終了コード ${code}）。`)),
    );
  });
  return {
    smtp: { host: HOST, port: smtpPort, secure: false, requireTls: false, credentials: null },
    webUrl: `http://${HOST}:${webPort}`,
    stop: () => child.disconnect(),
  };
}

/**
 * Refuses to start without MailDev. A production install omits it, with all optional dependencies.
 * @throws StartupError with the remedy
 */
function refuseMissingMailDev(): void {
  try {
    createRequire(import.meta.url).resolve('maildev');
  } catch {
    throw new StartupError(
      'メールキャッチャー（MailDev）がありません。SMTP_URL か SENDGRID_API_KEY を設定するか、--omit=optional なしで npm install を実行してください。',
    );
  }
}

/** Makes a folder private to its owner, including files that an earlier version left readable for all. */
async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

/**
 * Refuses a port that another process uses.
 * @throws StartupError that names the setting to change
 */
export function refuseTakenPort(port: number, setting: string, host = HOST): Promise<void> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        new StartupError(
          error.code === 'EADDRINUSE'
            ? `ポート ${port} は使われています。使っているプログラムを終えるか、環境変数 ${setting} で別のポートを指定してください。`
            : `ポート ${port}（${setting}、${host}）を開けません（${error.code ?? error.message}）。`,
        ),
      ),
    );
    server.listen(port, host, () => server.close(() => done()));
  });
}
