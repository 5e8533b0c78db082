import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { guardMailCatcher } from './mail-catcher-guard.ts';

/**
 * Runs MailDev until the channel to the parent closes, also when the parent is killed. argv[2]: its options as JSON.
 */
interface MailDevInstance {
  listen(done: (error?: Error) => void): void;
}

// Only the user who runs the program may read caught mails.
process.umask(0o077);

const require = createRequire(import.meta.url);
const MailDev = require('maildev') as new (options: object) => MailDevInstance;
const web = require('maildev/lib/web') as { server: Server };
const options = JSON.parse(process.argv[2] ?? '{}') as { web: number };

const mailDev = new MailDev({ ...options, silent: true });
guardMailCatcher(web.server, options.web);
mailDev.listen((error) => {
  if (error) process.exit(1);
  process.send?.('listening');
});
process.once('disconnect', () => process.exit(0));
