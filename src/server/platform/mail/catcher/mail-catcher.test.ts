import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { mailCatcherAt } from '#test/e2e/mail-catcher.ts';
import { freePort } from '#test/program.ts';
import { exchange } from '#test/raw-http.ts';
import { startMailCatcher } from './mail-catcher.ts';

/** Starts a catcher that holds one mail, in a folder that an earlier version left readable for all. */
async function startWithMail() {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-catcher-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'old'));
  await writeFile(join(folder, 'old', 'attachment.txt'), 'secret');
  await chmod(folder, 0o755);
  const [smtpPort, webPort] = [await freePort(), await freePort()];
  const catcher = await startMailCatcher({ smtpPort, webPort, folder });
  onTestFinished(() => catcher.stop());
  const mailer = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  await mailer.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: '件名', text: '本文' });
  const caught = mailCatcherAt(catcher.webUrl);
  await expect.poll(() => caught.mails(), { timeout: 20_000 }).toHaveLength(1);
  return { folder, webPort, catcher, caught };
}

test('bad-inputs 221: pages of other origins and other host names read no caught mail', async () => {
  const { folder, webPort, catcher, caught } = await startWithMail();
  const ask = async (text: string, host: string, headers: readonly string[]) => {
    const lines = [text, `Host: ${host}`, ...headers, 'Connection: close'];
    return (await exchange(catcher.webUrl, [`${lines.join('\r\n')}\r\n\r\n`])).status;
  };
  const own = `127.0.0.1:${webPort}`;
  const refused: [request: string, host: string, ...headers: string[]][] = [
    ['GET /email HTTP/1.1', own, 'Origin: https://evil.example'],
    ['GET /email HTTP/1.1', own, 'Origin: null'],
    ['GET /email HTTP/1.1', own, `Origin: http://127.0.0.1:${webPort + 1}`],
    ['GET /email HTTP/1.1', `evil.example:${webPort}`],
    ['GET /email HTTP/1.1', own, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'],
    ['GET / HTTP/1.1', own, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'],
    ['DELETE /email/all HTTP/1.1', own, 'Origin: https://evil.example'],
    ['OPTIONS /email/all HTTP/1.1', own, 'Origin: https://evil.example', 'Access-Control-Request-Method: DELETE'],
    ['GET /socket.io/?EIO=4&transport=polling HTTP/1.1', own, 'Origin: https://evil.example'],
  ];
  for (const [request, host, ...headers] of refused) {
    expect(await ask(request, host, headers), [request, host, ...headers].join(' | ')).toBe(403);
  }
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const socket = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Origin: https://evil.example'];
  expect(await ask('GET /socket.io/?EIO=4&transport=websocket HTTP/1.1', own, [...upgrade, ...socket])).not.toBe(101);

  const allowed: [request: string, host: string, ...headers: string[]][] = [
    ['GET /email HTTP/1.1', own],
    ['GET /email HTTP/1.1', `localhost:${webPort}`, `Origin: http://localhost:${webPort}`],
    ['GET /email HTTP/1.1', own, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors'],
    ['GET / HTTP/1.1', own, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
  ];
  for (const [request, host, ...headers] of allowed) {
    expect(await ask(request, host, headers), [request, host, ...headers].join(' | ')).toBe(200);
  }
  const [mail] = await caught.mails();
  expect(await caught.source(mail?.id ?? '')).toContain('b@example.com');

  const entries = await readdir(folder, { recursive: true });
  expect(entries.length).toBeGreaterThanOrEqual(3);
  const modes = await Promise.all(['', ...entries].map(async (name) => (await stat(join(folder, name))).mode & 0o077));
  expect(modes.every((mode) => mode === 0)).toBe(true);
});
