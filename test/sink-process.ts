import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { endWithUs } from './reaper.ts';
import type { CaughtMail, SmtpSink } from './smtp-sink.ts';

/** A mail as sink.process.ts writes it. */
type WrittenMail = Pick<CaughtMail, 'messageId' | 'from' | 'to' | 'at'> & Pick<SmtpSink, 'mostConnections'>;

export interface SinkProcess {
  readonly port: number;
  readonly pid: number;
  /** Returns the mails accepted so far, in order. */
  mails(): WrittenMail[];
  count(): number;
  stop(): Promise<void>;
}

/**
 * Starts an SMTP sink in its own process (sink.process.ts).
 * @param latencyMs between the final dot and the 250
 * @param certificate for STARTTLS
 */
export async function startSinkProcess(latencyMs = 0, certificate?: Certificate): Promise<SinkProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-sink-'));
  const file = join(folder, 'mails.jsonl');
  const tls = certificate ? [JSON.stringify(certificate)] : [];
  const script = join(import.meta.dirname, 'sink.process.ts');
  const child = spawn(process.execPath, [script, file, String(latencyMs), ...tls], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const forget = endWithUs({ pid: child.pid ?? 0 });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const lines = () => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return {
    port: Number(port),
    pid: child.pid ?? 0,
    mails: () => lines().map((line) => JSON.parse(line) as WrittenMail),
    count: () => lines().length,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      forget();
      rmSync(folder, { recursive: true });
    },
  };
}
