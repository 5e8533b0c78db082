import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Reads a password: from a terminal without echo, else the first line of standard input. */
export async function readPassword(): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line;
    return '';
  }
  stderr.write('パスワード: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
