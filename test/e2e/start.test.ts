import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { eventually } from '#test/sending.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { demoClient } from './demo.ts';
import { mailCatcherAt } from './mail-catcher.ts';

/** Tests starting and stopping: obstacles are reported, and no data are lost. The whole file uses one data folder. */
let dataDir: string;
let env: Record<string, string>;
let running: Program;

const ports = async () => ({
  PORT: String(await freePort()),
  MAIL_CATCHER_SMTP_PORT: String(await freePort()),
  MAIL_CATCHER_WEB_PORT: String(await freePort()),
});

const start = async (more: Record<string, string> = {}) => {
  running = startProgram(['all'], { ...env, ...more });
  await running.until('終了するには');
};

/** Starts it again with the same data. */
async function startAgain(): Promise<void> {
  await start();
  expect((await logIn()).status).toBe(200);
  expect(running.output()).toContain('demo@example.com');
}

async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  running.child.kill(signal);
  return running.ended;
}

const logIn = () =>
  fetch(`http://127.0.0.1:${env.PORT}${API_BASE}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'demo@example.com', password: 'tegami-ga-todoku' }),
  });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kaitaku-start-'));
  await chmod(dataDir, 0o755);
  env = { DATA_DIR: dataDir, ...(await ports()) };
  await start();
});

afterAll(async () => {
  if (running) await stop();
  await rm(dataDir, { recursive: true });
});

test('the first start prints the address and the login', () => {
  // The output must not contain JSON log lines.
  expect(running.output()).not.toMatch(/^\{/m);
  const output = running.output();
  expect(output).toContain(`http://127.0.0.1:${env.PORT}`);
  expect(output).toContain('demo@example.com / tegami-ga-todoku');
  expect(output).toContain(`メールキャッチャー: http://127.0.0.1:${env.MAIL_CATCHER_WEB_PORT}`);
});

test('a mail is sent with the bundled database', async () => {
  const client = await demoClient(`http://127.0.0.1:${env.PORT}`);
  const get = async <Body>(path: string) => (await client.get(path)).body as Body;
  const [group] = await get<{ id: number }[]>('/sender_group/list');
  const [sender] = await get<{ id: number }[]>(`/sender/list?where_info[sender_group_id]=${group?.id}`);
  const list = `/prospect/view?sender_group_id=${group?.id}&pagenate_count=20&pagenate_num=1`;
  const { rows } = await get<{ rows: { id: number; company_email: string | null }[] }>(list);
  const company = rows.find(({ company_email }) => company_email !== null);
  const order = { test_send_mode: 0, attack_list: [{ prospect_id: company?.id }] };
  expect((await client.post(`/mail/send/${sender?.id}`, order)).status).toBe(200);
  const [mail] = await eventually(
    mailCatcherAt(`http://127.0.0.1:${env.MAIL_CATCHER_WEB_PORT}`).mails,
    (mails) => mails.length === 1,
  );
  expect(mail?.to).toMatchObject([{ address: company?.company_email }]);
});

describe('while one Kaitaku runs', () => {
  test('bad-inputs 146: a second one on the same data is refused', async () => {
    const second = startProgram(['all'], { ...env, ...(await ports()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain('すでに動いています');
    expect((await logIn()).status).toBe(200);
  });

  test('an account is made from the command line, with the password from standard input', async () => {
    const args = ['account', 'create', '--email', 'hanako@example.com', '--name', '花子', '--company', '株式会社花'];
    const create = startProgram(args, env);
    create.child.stdin?.end('とても長いパスワード2026\n');
    expect(await create.ended).toBe(0);
    expect(create.output()).toContain('hanako@example.com のアカウントを作成しました');
    expect((await logIn()).status).toBe(200);
    const list = startProgram(['account', 'list'], env);
    expect(await list.ended).toBe(0);
    expect(list.output()).toMatch(/^\d+\thanako@example\.com\t[^\t\n]+\t[^\t\n]+\t\d{4}\/\d\d\/\d\d /m);
  });

  test('a password that is too short is refused', async () => {
    const change = startProgram(['account', 'set-password', '--email', 'hanako@example.com'], env);
    change.child.stdin?.end('short\n');
    expect(await change.ended).toBe(1);
    expect(change.output()).toContain('12〜128文字');
  });
});

describe('stopping', () => {
  test('SIGTERM ends everything with exit code 0, and the data stay', async () => {
    expect(await stop('SIGTERM')).toBe(0);
    await startAgain();
  });

  test('after kill -9 the next start takes over the database and the ports', async () => {
    expect(await stop('SIGKILL')).toBeNull();
    await startAgain();
  });

  test('SIGINT ends everything with exit code 0', async () => {
    expect(await stop('SIGINT')).toBe(0);
    expect(running.output().split('終了するには')[1]?.trim().split('\n').length).toBeLessThanOrEqual(1);
  });
});

describe('obstacles to a start', () => {
  describe('of one that does not run', () => {
    beforeAll(async () => void (await stop()));
    afterAll(startAgain);

    test.each(['PORT', 'MAIL_CATCHER_SMTP_PORT', 'MAIL_CATCHER_WEB_PORT'])(
      'bad-inputs 145: a port in use is told with %s',
      async (name) => {
        const other = createServer().listen(Number(env[name]), '127.0.0.1');
        try {
          const refused = startProgram(['all'], env);
          expect(await refused.ended).toBe(1);
          expect(refused.output()).toContain(`${env[name]} は使われています`);
          expect(refused.output()).toContain(name);
          expect(refused.output()).not.toMatch(/\n\s+at /);
        } finally {
          other.close();
        }
      },
    );

    test.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://kaitaku.example.co.jp' }])(
      'the demo login is not opened to other machines: %j',
      async (open) => {
        const refused = startProgram(['all'], { ...env, ...open });
        expect(await refused.ended).toBe(1);
        expect(refused.output()).toContain('account set-password --email demo@example.com');
      },
    );
  });

  test.each([
    [['web'], 'DATABASE_URL が必要です', 1],
    [['worker'], 'DATABASE_URL が必要です', 1],
    [['--version'], `${packageJson.version}\n`, 0],
    [['fly'], '「fly」というコマンドはありません', 2],
  ])('%j', async (args, message, code) => {
    const refused = startProgram(args, env);
    expect(await refused.ended).toBe(code);
    expect(refused.output()).toContain(message);
    expect(refused.output()).not.toMatch(/\n\s+at /);
  });

  describe('a start warns of', () => {
    const BY_SERVER = { SMTP_URL: 'smtp://127.0.0.1' };
    const startWith = async (query: string, more: Record<string, string> = BY_SERVER): Promise<string> => {
      const DATABASE_URL = `postgres://me:secret@127.0.0.1:${await freePort()}/kaitaku${query}`;
      const refused = startProgram(['worker'], { ...env, DATABASE_URL, ...more });
      expect(await refused.ended).toBe(1);
      return refused.output();
    };

    test('sslmode=require, which does not check whom it talks to', async () => {
      expect(await startWith('?sslmode=require')).toContain('sslmode=verify-full checks it');
      expect(await startWith('?sslmode=verify-full')).not.toContain('sslmode=verify-full checks it');
    });

    test('a missing mail server: mails leave by mailboxes alone', async () => {
      const warning = 'mails leave by mailboxes alone';
      expect(await startWith('', {})).toContain(warning);
      expect(await startWith('')).not.toContain(warning);
    });

    test('system mails without a sender, by the name of the setting', async () => {
      expect(await startWith('')).toContain('MAIL_FROM is not set');
      expect(await startWith('', { ...BY_SERVER, MAIL_FROM: 'no-reply@example.co.jp' })).not.toContain(
        'MAIL_FROM is not set',
      );
    });
  });

  test('a database that does not answer is reported', async () => {
    const url = `postgres://me:secret@127.0.0.1:${await freePort()}/kaitaku`;
    for (const command of ['web', 'migrate']) {
      const refused = startProgram([command], { ...env, DATABASE_URL: url, SMTP_URL: 'smtp://127.0.0.1' });
      expect(await refused.ended).toBe(1);
      expect(refused.output()).toContain('DATABASE_URL を確認してください');
      expect(refused.output()).not.toMatch(/secret|\n\s+at /);
    }
  });
});
