// npm run dev: restarts the server when its sources change; Vite reloads the web client and proxies /api.
import { spawn } from 'node:child_process';
import { installPackages, ourNode, ROOT } from './prepare.mjs';

installPackages();
const start = (...args) => spawn(ourNode(), args, { cwd: ROOT, stdio: 'inherit' });
const children = [
  start('--watch-path=src', '--watch-preserve-output', 'src/server/main.ts', 'all'),
  start('node_modules/vite/bin/vite.js', '--host', '127.0.0.1'),
];
const stop = (signal) => {
  for (const child of children) child.kill(signal);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal));
for (const child of children) child.on('exit', () => stop('SIGTERM'));
