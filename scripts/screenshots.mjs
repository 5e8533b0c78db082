// npm run screenshots: pictures of every screen, of the client as its sources are now.
import { buildWeb, installPackages, NODE, run } from './prepare.mjs';

installPackages();
buildWeb();
process.exit(run(NODE, ['scripts/screenshots.ts']));
