// npm run screenshots: takes pictures of every screen, from the client's current sources.
import { buildWeb, installPackages, run } from './prepare.mjs';

installPackages();
buildWeb();
process.exit(run(['scripts/screenshots.ts', ...process.argv.slice(2)]));
