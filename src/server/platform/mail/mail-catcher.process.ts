import { createRequire } from 'node:module';

/** Runs MailDev until the channel to the parent closes (also when the parent is killed). argv[2]: its options as JSON. */
interface MailDevInstance {
  listen(done: (error?: Error) => void): void;
}

const MailDev = createRequire(import.meta.url)('maildev') as new (options: object) => MailDevInstance;
const options = JSON.parse(process.argv[2] ?? '{}') as object;

const mailDev = new MailDev({ ...options, silent: true });
mailDev.listen((error) => {
  if (error) process.exit(1);
  process.send?.('listening');
});
process.once('disconnect', () => process.exit(0));
