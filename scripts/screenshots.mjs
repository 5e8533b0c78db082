// npm run screenshots: takes pictures of every screen, from the current sources of the client.
import { buildWeb, installPackages, NODE, run } from './prepare.mjs';

installPackages();
buildWeb();
process.exit(run(NODE, ['scripts/screenshots.ts', ...process.argv.slice(2)]));
