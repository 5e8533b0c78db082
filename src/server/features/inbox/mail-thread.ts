import { parentPort } from 'node:worker_threads';
import type { TestFinding } from '#domain/dns/test-mail.ts';
import type { InboxEnvelope, InboxMail } from './inbox-mail.ts';
import { cutMail } from './parsed-mail.ts';
import { readInboxHeader, readInboxMail } from './read-mail.ts';

/*
 * The thread in which parse-beside.ts reads mails: it does not block the event loop, and has a memory limit.
 * It reports when it is loaded, then answers one task after the other.
 */

interface ReadTask {
  /** The whole mail, or only its header. */
  readonly kind: 'mail' | 'header';
  readonly source: Uint8Array;
  /** The setting RETURN_ADDRESS; null: not set. */
  readonly pattern: string | null;
  readonly envelope: InboxEnvelope;
}

/** Judges a test mail of a domain. */
interface TestTask {
  readonly kind: 'test';
  readonly source: Uint8Array;
  readonly domain: string;
  readonly dnsServers: readonly string[];
}

export type MailTask = ReadTask | TestTask;
export type AnswerTo<Task extends MailTask> = Task extends TestTask ? TestFinding[] : InboxMail;
/** An error concerns the mail: its parser threw it. */
export type ThreadMessage = 'ready' | { readonly answer: AnswerTo<MailTask> } | { readonly error: string };

const answerTo = async (task: MailTask): Promise<AnswerTo<MailTask>> => {
  if (task.kind !== 'test') {
    const read = task.kind === 'mail' ? readInboxMail : readInboxHeader;
    return read(task.source, task.pattern, task.envelope);
  }
  // mailauth is loaded with the first test mail.
  const { judgeTestMail } = await import('../domain-health/judge-test-mail.ts');
  return judgeTestMail({ source: cutMail(task.source), domain: task.domain }, task.dnsServers);
};

const say = (message: ThreadMessage) => parentPort?.postMessage(message);

parentPort?.on('message', (task: MailTask) => {
  answerTo(task).then(
    (answer) => say({ answer }),
    (error: unknown) => say({ error: String(error) }),
  );
});
say('ready');
