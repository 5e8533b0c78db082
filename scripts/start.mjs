// npm start: installs what is missing, builds the web client when its sources changed, then runs the program.
import { spawn } from 'node:child_process';
import { buildWeb, installPackages, NODE, ROOT } from './prepare.mjs';

installPackages();
buildWeb();
const program = spawn(NODE, ['src/server/main.ts', 'all', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
// The program stops at its own pace; this process ends after it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => program.kill(signal));
// npm starts this process through a shell that passes no signal on: when the parent ends, we stop too.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  program.kill('SIGTERM');
}, 500);
program.on('exit', (code) => process.exit(code ?? 1));
