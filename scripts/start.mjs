// npm start: installs what is missing, builds the web client when its sources changed, then runs the program.
import { runProgram } from '../bin/run-program.cjs';
import { buildWeb, installPackages, ourNode, ROOT } from './prepare.mjs';

installPackages({ toStart: true });
buildWeb();
runProgram(ourNode(), ['src/server/main.ts', 'all', ...process.argv.slice(2)], { cwd: ROOT });
