// npm start: installs missing packages, builds the web client if its sources changed, then runs the program.
import { runProgram } from '../bin/run-program.cjs';
import { buildWeb, installPackages, ourNode, ROOT } from './prepare.mjs';

installPackages({ toStart: true });
buildWeb();
runProgram(ourNode(), ['src/server/main.ts', 'all', ...process.argv.slice(2)], { cwd: ROOT });
