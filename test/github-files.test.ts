import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Job {
  readonly needs?: string;
  readonly permissions?: unknown;
  readonly steps: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const WORKFLOWS = globSync('.github/workflows/*', { cwd: ROOT }).map((path) => {
  const text = textOf(path);
  return { file: basename(path), text, ...(parse(text) as Workflow) };
});
const release = WORKFLOWS.find(({ file }) => file === 'release.yml');

test('workflows run actions by the hash of a commit, with its version', () => {
  expect(WORKFLOWS.map(({ file }) => file).toSorted()).toStrictEqual(['release.yml', 'test.yml']);
  const used = WORKFLOWS.flatMap(({ text }) =>
    [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, action]) => action),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(
    used.filter((action) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? '')),
  ).toStrictEqual([]);
});

test('workflows may only read, but for the job that releases a tag after the tests have passed', () => {
  expect(WORKFLOWS.map(({ permissions }) => permissions)).toStrictEqual([{ contents: 'read' }, { contents: 'read' }]);
  const jobs = WORKFLOWS.flatMap(({ file, jobs }) =>
    Object.entries(jobs).map(([job, { needs, permissions }]) => ({ file, job, needs, permissions })),
  );
  expect(jobs.filter(({ permissions }) => permissions !== undefined)).toStrictEqual([
    {
      file: 'release.yml',
      job: 'release',
      needs: 'test',
      permissions: { contents: 'write', packages: 'write', 'id-token': 'write', attestations: 'write' },
    },
  ]);
  expect(release?.on).toStrictEqual({ push: { tags: ['v*'] } });
  expect(release?.jobs.test?.steps.at(-1)?.run).toBe('npm test');
});

test('no workflow puts what others write into a script: a name with quotes would run', () => {
  const scripts = WORKFLOWS.flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run)),
  );
  expect(scripts.join('\n')).toContain('gh release create');
  expect(scripts.filter((script) => script.includes('${{'))).toStrictEqual([]);
});

test('a tag is released if it is a commit of main and names the version of package.json', async () => {
  const script = release?.jobs.release?.steps.find(({ name }) => name?.startsWith('The tag is a commit of main'))?.run;
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-tag-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '--quiet');
  await writeFile(join(folder, 'package.json'), '{ "version": "1.2.3" }');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Release 1.2.3');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  const variables = join(folder, 'variables');
  const tried = (tag: string) => {
    const env = { ...process.env, GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: 'Some/Kaitaku', GITHUB_ENV: variables };
    const { status, stdout } = spawnSync('bash', ['-e', '-c', script ?? 'false'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return [status, stdout.trim()];
  };
  expect(tried('v1.2.4')).toStrictEqual([1, 'package.json has the version 1.2.3']);
  expect(tried('v1.2.3')).toStrictEqual([0, '']);
  expect(readFileSync(variables, 'utf8')).toBe('VERSION=1.2.3\nIMAGE=ghcr.io/some/kaitaku\n');
  git('commit', '--quiet', '--allow-empty', '-m', 'Of a branch');
  expect(tried('v1.2.3')).toStrictEqual([1, 'v1.2.3 is no commit of main']);
});

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly validations?: { readonly required: boolean };
  }[];
}

/** What GitHub asks of each part of a form; it shows none of a form with a fault. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  markdown: ['value'],
  textarea: ['label'],
  input: ['label'],
  dropdown: ['label', 'options'],
};

test.each(['fault', 'wish'])('the form %s is one that GitHub shows, in Japanese and English', (name) => {
  const form = parse(textOf(`.github/ISSUE_TEMPLATE/${name}.yml`)) as Form;
  expect(
    [form.name, form.description].filter((text) => !/^[^/]*[ぁ-んァ-ヶ一-龠][^/]* \/ \w/.test(text)),
  ).toStrictEqual([]);
  const faulty = form.body.filter(
    ({ type, attributes }) => !ASKED[type]?.every((key) => attributes[key] !== undefined),
  );
  expect(faulty).toStrictEqual([]);
  const fields = form.body.filter(({ type }) => type !== 'markdown');
  const ids = fields.map(({ id = '' }) => id);
  expect(ids.filter((id) => !/^[\w-]+$/.test(id))).toStrictEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const labels = fields.map(({ attributes }) => String(attributes.label));
  expect(labels.filter((label) => !/[ぁ-んァ-ヶ一-龠].* \/ [A-Z]/.test(label))).toStrictEqual([]);
  const named = [...textOf(`.github/ISSUE_TEMPLATE/${name}.yml`).matchAll(/blob\/main\/([\w.]+)/g)];
  expect(named.length).toBeGreaterThan(0);
  for (const [, path = ''] of named) expect(textOf(path)).toMatch(/^# /);
});
