// npm start: installs what is missing, builds the web client when its sources changed, then runs everything.
import { spawn } from 'node:child_process';
import { buildWeb, installPackages, NODE, ROOT } from './prepare.mjs';

installPackages();
buildWeb();
const program = spawn(NODE, ['src/server/main.ts', 'all', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
// The program stops in its own time; we end when it has.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => program.kill(signal));
// npm starts us through a shell that passes no signal on: when it is gone, we were meant.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  program.kill('SIGTERM');
}, 500);
program.on('exit', (code) => process.exit(code ?? 1));
