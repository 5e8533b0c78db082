// Runs the program in a Node of its own until it ends. Plain JavaScript that Node 12 parses: it also serves scripts/.
'use strict';

const { spawn } = require('child_process');

/**
 * Starts the program, passes signals on to it and ends with its exit code.
 * @param {string} node the Node to run it with
 * @param {string[]} args the file of the program, and its arguments
 * @param {{ cwd?: string }} options
 */
exports.runProgram = (node, args, options = {}) => {
  const program = spawn(node, args, { ...options, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  const stop = (signal) => {
    // Windows knows no signals: there kill() would end the program at once.
    if (process.platform !== 'win32') program.kill(signal);
    else if (program.connected) program.send('stop');
  };
  // The program stops at its own pace; this process ends after it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal));
  program.on('error', (error) => {
    process.stderr.write(`\n${node} を実行できませんでした（${error.message}）。\n`);
    process.exit(1);
  });
  program.on('exit', (code) => process.exit(code === null ? 1 : code));
  // npm starts this process through a shell that passes no signal on: when the parent ends, we stop too.
  if (process.env.npm_execpath === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop('SIGTERM');
  }, 500);
};
