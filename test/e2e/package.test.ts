import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import { API_BASE } from '#contract/call.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { type Client, clientAt } from '#test/client.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { eventually } from '#test/sending.ts';
import { workbookOf } from '#test/workbook.ts';
import packageJson from '../../package.json' with { type: 'json' };
import packageLock from '../../package-lock.json' with { type: 'json' };
import { bundleServer, type Lock, pack, packedManifest, partsOf } from '../../scripts/pack.ts';
import { mailCatcherAt } from './mail-catcher.ts';

/**
 * Tests the installed package in a folder outside of the clone. `npm run check:package` installs it by npm with its
 * dependencies; here it is unpacked and uses those of the clone, which needs no network and saves a minute.
 */
const ROOT = join(import.meta.dirname, '../..');
let folder: string;
let env: Record<string, string>;
let running: Program;
let url: string;
let client: Client;
let token: string;

const installed = (path: string) => join(folder, 'node_modules', path);

function install(): void {
  const { PACKAGE_FILE: file } = process.env;
  if (file !== undefined) {
    execFileSync('npm', ['install', '--loglevel=error', '--no-audit', file], { cwd: folder, stdio: 'inherit' });
    return;
  }
  bundleServer();
  mkdirSync(installed('kaitaku'), { recursive: true });
  const packed = pack(folder, { withParts: false });
  execFileSync('tar', ['xzf', packed, '--strip-components=1', '-C', installed('kaitaku')]);
  symlinkSync(join(ROOT, 'node_modules'), installed('kaitaku/node_modules'));
}

/** The package's own version: `npm run release` makes pre-releases too. */
const version = () =>
  (JSON.parse(readFileSync(installed('kaitaku/package.json'), 'utf8')) as { version: string }).version;
const shrinkwrap = () =>
  JSON.parse(readFileSync(installed('kaitaku/npm-shrinkwrap.json'), 'utf8')) as Lock & { version: string };

/** Starts the package's command in the user's folder. */
const start = (...args: string[]) =>
  startProgram(args, env, { file: installed('kaitaku/bin/kaitaku.cjs'), cwd: folder });

/** Runs a command until it ends. @returns its output */
async function printed(...args: string[]): Promise<string> {
  const program = start(...args);
  expect(await program.ended, program.output()).toBe(0);
  return program.output();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kaitaku-package-'));
  chmodSync(folder, 0o755);
  install();
  const [port, smtpPort, webPort] = [await freePort(), await freePort(), await freePort()];
  env = { PORT: `${port}`, MAIL_CATCHER_SMTP_PORT: `${smtpPort}`, MAIL_CATCHER_WEB_PORT: `${webPort}` };
  url = `http://127.0.0.1:${port}`;
  running = start();
  await running.until('終了するには');
  const answer = await clientAt(url + API_BASE, '').post('/auth/login', DEMO_LOGIN);
  ({ token } = answer.body as { token: string });
  client = clientAt(url + API_BASE, `Bearer ${token}`);
});

afterAll(async () => {
  running?.child.kill('SIGTERM');
  await running?.ended;
  rmSync(folder, { recursive: true });
});

test('without a command it starts everything, and prints the folder of the new data', () => {
  expect(running.output()).toContain(`データ: ${join(folder, 'data/postgres')}（新しく作りました）`);
  expect(running.output()).toContain(`デモ用ログイン: ${DEMO_LOGIN.email}`);
});

test('it serves its pages, and the files beside its code', async () => {
  const page = async (path: string) => {
    const answer = await fetch(url + path);
    return { status: answer.status, text: await answer.text() };
  };
  const [, entry = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec((await page('/')).text) ?? [];
  expect(await page(entry)).toMatchObject({ status: 200 });
  const guide = (await page('/guide.html')).text;
  expect(guide).toContain('<h1');
  expect(guide.match(/<(?:nav|details) class="contents"/g)).toHaveLength(2);
  expect((await page('/law.html')).text).toContain('<h1');
  const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec((await page('/u/none')).text) ?? [];
  expect(await page(style)).toStrictEqual({
    status: 200,
    text: readFileSync(join(ROOT, 'src/server/features/opt-out/page.css'), 'utf8'),
  });
  for (const file of ['docs', 'docs.js', 'docs.css']) expect((await page(`${API_BASE}/${file}`)).status).toBe(200);
  const { info } = JSON.parse((await page(`${API_BASE}/openapi.json`)).text) as { info: { version: string } };
  expect(info.version).toBe(version());
});

test('a workbook is imported, exported as one, and a mail of its company is caught', async () => {
  const rows = [
    ['会社名', 'メールアドレス', '住所'],
    ['株式会社荷ほどき', 'info@unpacked.example', '東京都千代田区1-1'],
  ];
  writeFileSync(join(folder, 'list.xlsx'), workbookOf({ sheets: [{ rows }] }));
  expect(await printed('prospect', 'import', 'list.xlsx', '--account', DEMO_LOGIN.email)).toContain('1件を追加');

  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const found = `search=${encodeURIComponent('荷ほどき')}&sender_group_id=${group?.id}`;
  const view = (await client.get(`/prospect/view?${found}&pagenate_count=20`)).body as { rows: { id: number }[] };
  const [company] = view.rows;
  const [sender] = (await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`)).body as { id: number }[];
  const order = { test_send_mode: 0, attack_list: [{ prospect_id: company?.id }] };
  expect(await client.post(`/mail/send/${sender?.id}`, order)).toMatchObject({ status: 200 });
  const catcher = mailCatcherAt(`http://127.0.0.1:${env.MAIL_CATCHER_WEB_PORT}`);
  const [mail] = await eventually(catcher.mails, (mails) => mails.length === 1);
  expect(mail?.to).toMatchObject([{ address: 'info@unpacked.example' }]);

  const add_info = { what: 'prospects', format: 'xlsx', sender_group_id: group?.id, columns: ['company_name'] };
  const { id } = (await client.post('/export', { add_info })).body as { id: number };
  const job = await eventually(
    async () => (await client.get(`/job/${id}`)).body as Job,
    ({ finished_at }) => finished_at !== null,
  );
  expect(job).toMatchObject({ state: 'done' });
  const file = await fetch(`${url}${API_BASE}/export/${id}/file`, { headers: { authorization: `Bearer ${token}` } });
  expect(
    Buffer.from(await file.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
});

test('its commands work while it runs, and their messages name the command that started them', async () => {
  expect(await printed('--version')).toBe(`${version()}\n`);
  expect(await printed('migrate')).toMatch(/^データベースは版 \d+ です。\n$/);
  expect(await printed('--help')).toContain('使い方: npx kaitaku <コマンド>');
  const taking = start('inbox', 'take');
  taking.child.stdin?.end('From: a@a.example\r\nTo: b@b.example\r\nSubject: x\r\n\r\nx\r\n');
  expect(await taking.ended, taking.output()).toBe(0);
});

test('it ends with its launcher, even a killed one, and continues with its data', async () => {
  running.child.kill('SIGKILL');
  await eventually(
    () => fetch(url).catch(() => null),
    (answer) => answer === null,
  );
  const again = start();
  running = again;
  await again.until('終了するには');
  expect(again.output()).toContain('（前回の続きです）');
});

test('a missing file of the program is reported in one sentence', async () => {
  const main = installed('kaitaku/dist/server/main.js');
  expect(existsSync(main)).toBe(true);
  renameSync(main, `${main}.away`);
  const program = start('--version');
  expect(await program.ended).toBe(1);
  renameSync(`${main}.away`, main);
  expect(program.output().trim()).toMatch(/^Kaitakuのファイルが足りません。.*インストールしてください。$/);
});

test('its shrinkwrap equals the lock file for all platforms, without development tools', () => {
  const { '': own, ...parts } = shrinkwrap().packages;
  expect(own).toMatchObject({ version: version(), dependencies: packedManifest(packageJson).dependencies });
  const locked = packageLock.packages as Lock['packages'];
  for (const [path, part] of Object.entries(parts))
    expect([path, part.version, part.integrity]).toStrictEqual([path, locked[path]?.version, locked[path]?.integrity]);
  const paths = Object.keys(parts);
  for (const name of Object.keys(packageJson.optionalDependencies)) expect(paths).toContain(`node_modules/${name}`);
  for (const name of ['vite', 'react', 'vitest', '@biomejs/biome']) expect(paths).not.toContain(`node_modules/${name}`);
  expect(readFileSync(installed('kaitaku/npm-shrinkwrap.json'), 'utf8')).not.toMatch(
    /"(?:resolved|engines|dev)": ["t]/,
  );
});

test.runIf(process.env.PACKAGE_FILE)('the packages that npm installed match shrinkwrap and SBOM', () => {
  const here = readdirSync(installed(''), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|node_modules\/)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(installed(path), 'utf8')) as { name: string; version: string })
    .map((found) => `${found.name}@${found.version}`);
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const { '': _, ...parts } = shrinkwrap().packages;
  const isHere = (list: readonly string[] | undefined, own: string) => list === undefined || list.includes(own);
  const wanted = Object.entries(parts)
    .filter(([, { os, cpu }]) => isHere(os, process.platform) && isHere(cpu, process.arch))
    .map(([path, part]) => `${nameOf(path)}@${part.version}`);
  expect(here.toSorted()).toStrictEqual([`kaitaku@${version()}`, ...wanted].toSorted());

  const { components } = JSON.parse(partsOf(installed('kaitaku'))) as { components: { purl: string }[] };
  const named = components.map(({ purl }) => decodeURIComponent(purl.replace('pkg:npm/', '').replace(/[?#].*/, '')));
  const all = Object.entries(parts).map(([path, part]) => `${nameOf(path)}@${part.version}`);
  expect(new Set(named)).toStrictEqual(new Set(all));
});
