import { UsageError } from './commands/command.ts';
import { environmentFault } from './commands/database-fault.ts';
import { runProgram } from './commands/program.ts';
import { takeSettings } from './platform/settings.ts';
import { StartupError } from './platform/startup-error.ts';

// Deprecation warnings of packages concern developers. pg would show one to everybody with a password in .pgpass.
process.noDeprecation = true;

// A reader such as `| head` closes the output early. What is printed then is dropped, as pino drops lines of the log,
// and the command finishes its work: a stop here could leave half of it.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

try {
  await runProgram(process.argv.slice(2), () => takeSettings(process.env));
} catch (error) {
  const shown = environmentFault(error);
  if (!(shown instanceof StartupError || shown instanceof UsageError)) throw shown;
  process.stderr.write(`\n${shown.message}\n`);
  process.exitCode = shown instanceof UsageError ? 2 : 1;
}
