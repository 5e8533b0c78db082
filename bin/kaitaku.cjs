#!/usr/bin/env node
// The command `kaitaku` of the installed package. Plain JavaScript that Node 12 parses: an old Node may start it.
'use strict';

const { existsSync } = require('fs');
const { join } = require('path');
const { findNode, noNode, runProgram } = require('./run-program.cjs');

const MAIN = join(__dirname, '..', 'dist', 'server', 'main.js');
function fail(message) {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

if (!existsSync(MAIN)) {
  fail('Kaitakuのファイルが足りません。パッケージのファイルを取得し直して、もう一度インストールしてください。');
}
const node = findNode(__dirname);
if (node === null) fail(noNode('--omit=optional を付けずにインストールし直す'));
const args = process.argv.slice(2);
runProgram(node, ['--enable-source-maps', MAIN].concat(args.length === 0 ? ['all'] : args));
