import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'packages');

/** Installs the compared packages into bench/peers/packages, because the product does not depend on them. */
export function installPeers(): void {
  if (existsSync(join(FOLDER, 'node_modules'))) return;
  process.stdout.write('Installing the compared packages into bench/peers/packages …\n');
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm could not install bench/peers/packages');
}
