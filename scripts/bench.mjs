// npm run bench -- NAME …: runs a script of bench/. Each performance claim needs one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb, fail, installPackages, ROOT, run } from './prepare.mjs';

const [name, ...args] = process.argv.slice(2);
const script = `bench/${name}.ts`;
if (name === undefined || !existsSync(join(ROOT, script))) {
  fail('使い方: npm run bench -- <名前>（bench/ の中のスクリプトの名前）');
}
installPackages();
if (['web', 'lcp', 'first-day'].includes(name)) buildWeb();
process.exit(run([script, ...args]));
