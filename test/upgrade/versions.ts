import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newestVersion } from '#server/platform/database/migrate.ts';
import { type Program, startProgram } from '#test/program.ts';
import { kill } from '../faults/workers.ts';

const PACKAGES = join(import.meta.dirname, '../../node_modules');

export interface Version {
  /** Starts the program of this version; a remaining process is killed with the test. */
  readonly start: (args: string[], env: Record<string, string>) => Program;
  /** Runs a command until it ends. @throws with its output if it fails */
  readonly run: (args: string[], env: Record<string, string>) => Promise<string>;
}

/** Returns the version whose package is unpacked in a folder, with its dependencies. */
export function versionIn(root: string): Version {
  const start = (args: string[], env: Record<string, string>) => {
    const program = startProgram(args, env, { file: join(root, 'dist/server/main.js'), cwd: root });
    onTestFinished(() => kill(program));
    return program;
  };
  const run = async (args: string[], env: Record<string, string>) => {
    const program = start(args, env);
    if ((await program.ended) !== 0) throw new Error(program.output());
    return program.output();
  };
  return { start, run };
}

/** Unpacks the package into a folder. */
function unpack(root: string): void {
  const { PACKAGE_FILE: file } = process.env;
  if (file === undefined) throw new Error('npm run check:upgrade packs, and starts these tests');
  mkdirSync(root);
  execFileSync('tar', ['xzf', file, '--strip-components=1', '-C', root]);
}

/** Returns a new folder, which is removed with the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Unpacks the package. @returns it, with the number of its newest migration */
export async function unpackThis() {
  const root = join(newFolder(), 'this');
  unpack(root);
  symlinkSync(PACKAGES, join(root, 'node_modules'));
  return { after: versionIn(root), version: await newestVersion(join(root, 'migrations')) };
}

/**
 * Unpacks the package twice, once as the next version.
 * The next one has another migration and, as after any change of the client, other names of the files under assets/.
 * @param migration SQL
 */
export async function unpackVersions(migration: string) {
  const folder = newFolder();
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  unpack(before);
  cpSync(before, after, { recursive: true });
  const version = (await newestVersion(join(before, 'migrations'))) + 1;
  writeFileSync(join(after, 'migrations', `${String(version).padStart(4, '0')}_after.sql`), migration);
  renameAssets(join(after, 'dist/web'));
  for (const root of [before, after]) symlinkSync(PACKAGES, join(root, 'node_modules'));
  return { before: versionIn(before), after: versionIn(after), version };
}

/** Changes the hash in the name of each file under assets/, wherever the name is used. */
function renameAssets(web: string): void {
  const assets = join(web, 'assets');
  // Without compressed copies beside them the server sends the files unchanged.
  for (const folder of [web, assets])
    for (const name of readdirSync(folder)) if (/\.(?:br|gz)$/.test(name)) rmSync(join(folder, name));
  const renamed = (name: string) => name.replace(/-([\w-]{8})(?=\.\w+$)/, '-after$1');
  const names = readdirSync(assets);
  const anyName = new RegExp(names.map((name) => name.replaceAll('.', '\\.')).join('|'), 'g');
  const texts = [
    ...readdirSync(web).filter((name) => name.endsWith('.html')),
    ...names.filter((name) => /\.(?:js|css)$/.test(name)).map((name) => join('assets', name)),
  ];
  for (const path of texts) {
    const text = readFileSync(join(web, path), 'utf8');
    writeFileSync(join(web, path), text.replace(anyName, renamed));
  }
  for (const name of names) {
    cpSync(join(assets, name), join(assets, renamed(name)));
    rmSync(join(assets, name));
  }
}
