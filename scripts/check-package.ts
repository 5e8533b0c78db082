// npm run check:package: packs, installs the package by npm into an empty folder, and uses it from there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleServer, pack } from './pack.ts';

const ROOT = join(import.meta.dirname, '..');

/** Runs test/e2e/package.test.ts with the package at a path, installed by npm. @throws if it fails */
export function checkPackage(file: string): void {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'e2e', 'test/e2e/package.test.ts'];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PACKAGE_FILE: file } });
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-package-'));
  try {
    bundleServer();
    checkPackage(pack(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
