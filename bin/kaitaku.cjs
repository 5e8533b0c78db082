#!/usr/bin/env node
// The command `kaitaku` of the installed package. Plain JavaScript that Node 12 parses: an old Node may start it.
'use strict';

const { existsSync } = require('fs');
const { dirname, join } = require('path');
const { runProgram } = require('./run-program.cjs');

const MAIN = join(__dirname, '..', 'dist', 'server', 'main.js');
/** argon2 is in Node since then. */
const OLDEST = [24, 7];

function fail(message) {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

/** Returns the Node of the package `node`, whose install script makes it; null where npm ran no scripts. */
function installedNode() {
  try {
    const folder = dirname(require.resolve('node/package.json'));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

function isNewEnough([major, minor]) {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function findNode() {
  const installed = installedNode();
  if (installed !== null) return installed;
  if (isNewEnough(process.versions.node.split('.').map(Number))) return process.execPath;
  // The folder that npm installed into: this package stands in its node_modules.
  const folder = dirname(dirname(dirname(__dirname)));
  return fail(
    `Node.js ${OLDEST.join('.')}以上が必要です（今は ${process.version}）。` +
      `${folder} で npm rebuild node --ignore-scripts=false を実行するか、https://nodejs.org/ からNode.js 24を入れてください。`,
  );
}

if (!existsSync(MAIN)) {
  fail('Kaitakuのファイルが足りません。パッケージのファイルを取得し直して、もう一度インストールしてください。');
}
const args = process.argv.slice(2);
runProgram(findNode(), ['--enable-source-maps', MAIN].concat(args.length === 0 ? ['all'] : args));
