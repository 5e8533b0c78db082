// The Dockerfile without Docker: its steps done in plain folders, one a stage.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';

interface Step {
  readonly word: string;
  readonly rest: string;
}

/** What an image is besides its files. Paths are those inside of it. */
export interface Stage {
  /** Stands for `/`. */
  readonly root: string;
  workdir: string;
  readonly env: Record<string, string>;
  user: string;
  readonly commands: Partial<Record<'HEALTHCHECK' | 'ENTRYPOINT' | 'CMD', readonly string[]>>;
}

export function readSteps(dockerfile: string): Step[] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [word = ''] = line.split(' ');
      return { word, rest: line.slice(word.length).trim() };
    });
}

/** Which of these files Docker would be given: the last line that matches a file or a folder above it decides. */
export function buildContext(files: readonly string[], dockerignore: string): string[] {
  const rules = dockerignore
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ kept: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  const withParents = (file: string) => file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  return files.filter(
    (file) =>
      rules.findLast(({ pattern }) => withParents(file).some((path) => matchesGlob(path, pattern)))?.kept ?? true,
  );
}

/** @throws when a COPY names what is not there, a RUN fails, or a step is one we do not know how to do */
export function buildStages(steps: readonly Step[], context: string, folder: string, path: string): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { word, rest } of steps) {
    if (word === 'FROM') {
      const [image = '', , name = String(stages.size)] = rest.split(' ');
      stage = from(stages.get(image), join(folder, name));
      stages.set(name, stage);
    } else if (stage) apply(stage, { word, rest }, { context, stages, path });
  }
  if (!stage) throw new Error('the Dockerfile has no FROM');
  return stage;
}

function from(base: Stage | undefined, root: string): Stage {
  mkdirSync(root);
  if (base) cpSync(base.root, root, { recursive: true, verbatimSymlinks: true });
  return { workdir: '/', user: 'root', commands: {}, ...base, env: { ...base?.env }, root };
}

interface Surroundings {
  readonly context: string;
  readonly stages: ReadonlyMap<string, Stage>;
  /** PATH of the commands. */
  readonly path: string;
}

function apply(stage: Stage, { word, rest }: Step, { context, stages, path }: Surroundings): void {
  const inside = (file: string) => join(stage.root, file.startsWith('/') ? '' : stage.workdir, file);
  if (word === 'WORKDIR') {
    stage.workdir = rest;
    mkdirSync(inside('.'), { recursive: true });
  } else if (word === 'ENV') {
    for (const pair of rest.split(' ')) Object.assign(stage.env, Object.fromEntries([pair.split('=')]));
  } else if (word === 'USER') {
    stage.user = rest;
  } else if (word === 'COPY') {
    const [, origin, files = ''] = /^(?:--from=(\S+) )?([^-].*)$/.exec(rest) ?? [];
    const root = origin === undefined ? context : stages.get(origin)?.root;
    if (root === undefined) throw new Error(`COPY from an unknown stage: ${rest}`);
    copy(root, files.split(' '), inside);
  } else if (word === 'RUN') {
    process.stdout.write(`RUN ${rest}\n`);
    // Ours below its own, for it holds how this machine reaches the package registry; but nothing of the npm that runs us.
    const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
    const env = { ...Object.fromEntries(ours), ...stage.env, PATH: path };
    const { status } = spawnSync('sh', ['-c', rest], { cwd: inside('.'), env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`RUN ${rest}: exit code ${status}`);
  } else if (word === 'HEALTHCHECK' || word === 'ENTRYPOINT' || word === 'CMD') {
    stage.commands[word] = JSON.parse(rest.slice(rest.indexOf('['))) as string[];
  } else if (word !== 'EXPOSE') throw new Error(`no check knows the step ${word}`);
}

/** As Docker does it: a folder's content goes into the target, a file into it by its name where the target ends with a slash. */
function copy(root: string, files: readonly string[], inside: (file: string) => string): void {
  const target = files.at(-1) ?? '';
  for (const file of files.slice(0, -1)) {
    const source = join(root, file);
    if (!existsSync(source)) throw new Error(`COPY ${file}: there is no such file (is it left out by .dockerignore?)`);
    const into =
      !statSync(source).isDirectory() && target.endsWith('/') ? join(inside(target), basename(file)) : inside(target);
    mkdirSync(dirname(into), { recursive: true });
    cpSync(source, into, { recursive: true, verbatimSymlinks: true });
  }
}
