/*
 * Reads mails beside the event loop. A mail may be made to take a parser's time and memory, or to end its process:
 *
 * 1. parsed-mail  bounds what the parser gets.
 * 2. mail-thread  parses one mail at a time, within limits of time and memory. What passed them is not tried again.
 * 3. parse-tries  stores that a parse begins, and removes it at its end. So one that ended its process is known at the
 *                 next start, and tried three times.
 *
 * Of a mail that is passed over, its header alone is read in the same way.
 */
import type { Worker } from 'node:worker_threads';
import { type TestFinding, unjudgedFinding } from '#domain/dns/test-mail.ts';
import type { Db } from '../../platform/database/db.ts';
import { nextMessage, startThread, ThreadLimit } from '../../platform/limited-thread.ts';
import { type InboxEnvelope, type InboxMail, UNREADABLE } from './inbox-mail.ts';
import type { AnswerTo, MailTask, ThreadMessage } from './mail-thread.ts';
import { beginParse, endParse, leaveParse, type Parse } from './parse-tries.queries.ts';

/** A mail within the limits takes some 50 ms and 50 MB; a test mail waits for the DNS, five seconds at most. */
const LIMITS = { heapMb: 128, ms: 15_000 };
/** The time limit of loading, on a machine that is busy starting. */
const START_MS_MAX = 60_000;
const TRIES_MAX = 3;

/** The thread that reads mails. */
export interface MailThread {
  /** Starts the thread if it is not running. @throws if it cannot start, which is no fault of a mail */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Sends the thread a task after earlier answers. @throws ThreadLimit, or any error with which the thread ended */
  readonly ask: <Task extends MailTask>(task: Task, signal: AbortSignal) => Promise<ThreadAnswer<Task>>;
  readonly close: () => Promise<void>;
}
type ThreadAnswer<Task extends MailTask> = { readonly answer: AnswerTo<Task> } | { readonly error: string };

/** Opens a thread for mails. It starts with the first mail, and is kept: starting takes longer than reading a mail. */
export function openMailThread(limits: Partial<typeof LIMITS> = {}): MailThread {
  const { heapMb, ms } = { ...LIMITS, ...limits };
  let thread: Worker | null = null;
  let lastTurn: Promise<unknown> = Promise.resolve();

  async function next(worker: Worker, within: number, signal: AbortSignal): Promise<ThreadMessage> {
    worker.ref();
    try {
      const message = await nextMessage<ThreadMessage>(worker, { ms: within, signal });
      // An idle thread does not keep the process alive.
      worker.unref();
      return message;
    } catch (error) {
      if (thread === worker) thread = null;
      await worker.terminate();
      throw error;
    }
  }
  async function started(signal: AbortSignal): Promise<Worker> {
    if (thread) return thread;
    const worker = startThread(new URL('./mail-thread.ts', import.meta.url), { heapMb });
    await next(worker, START_MS_MAX, signal);
    worker.once('exit', () => {
      if (thread === worker) thread = null;
    });
    thread = worker;
    return worker;
  }
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  };
  return {
    ready: (signal) => inTurn(async () => void (await started(signal))),
    ask: (task, signal) =>
      inTurn(async () => {
        const worker = await started(signal);
        worker.postMessage(task);
        return (await next(worker, ms, signal)) as ThreadAnswer<typeof task>;
      }),
    close: async () => void (await thread?.terminate()),
  };
}

/** The reader of a mail, and the signal that stops its process. */
export interface ParseParts {
  readonly db: Db;
  readonly thread: MailThread;
  readonly parse: Parse;
  /** Aborted by an orderly stop. */
  readonly stopping: AbortSignal;
}

/** Why a mail was given up: a thread limit, a parser error, or a crash of its process. */
interface PassedOver {
  readonly why: string;
}

/** Sends the thread a task about a mail. Until the answer the parse counts as an attempt. */
async function askCounted<Task extends MailTask>(
  { db, thread, parse, stopping }: ParseParts,
  task: Task,
): Promise<{ readonly answer: AnswerTo<Task> } | PassedOver> {
  await thread.ready(stopping);
  const counted = { ...parse, mail: task.kind === 'mail' ? parse.mail : `${parse.mail} ${task.kind}` };
  if ((await beginParse(db, counted)) > TRIES_MAX) return { why: `its parse did not end ${TRIES_MAX} times` };
  let message: ThreadAnswer<Task>;
  try {
    message = await thread.ask(task, stopping);
  } catch (error) {
    if (!(error instanceof ThreadLimit)) {
      await leaveParse(db, counted, !stopping.aborted);
      throw error;
    }
    message = { error: error.limit };
  }
  await endParse(db, counted);
  return 'answer' in message ? message : { why: message.error };
}

interface UnreadMail {
  readonly source: Uint8Array;
  /** The setting RETURN_ADDRESS; null: not set. */
  readonly pattern: string | null;
  readonly envelope: InboxEnvelope;
}

/** The type of a mail. With `why` the mail was given up, and only its header was read. */
export type ParsedBeside = { readonly mail: InboxMail; readonly why: string | null };

/** Reads a mail in the thread. @throws if the stop, the database or the thread's end interrupted it */
export async function readBeside(parts: ParseParts, mail: UnreadMail): Promise<ParsedBeside> {
  const whole = await askCounted(parts, { kind: 'mail', ...mail });
  if ('answer' in whole) return { mail: withHash(whole.answer), why: null };
  const header = await askCounted(parts, { kind: 'header', ...mail });
  return { mail: 'answer' in header ? withHash(header.answer) : UNREADABLE, why: whole.why };
}

/** Judges a domain's test mail in the thread. @returns a result without a judgement if the mail was given up */
export async function judgeBeside(
  parts: ParseParts,
  test: { readonly source: Uint8Array; readonly domain: string; readonly dnsServers: readonly string[] },
): Promise<TestFinding[]> {
  const judged = await askCounted(parts, { kind: 'test', ...test });
  return 'answer' in judged ? judged.answer : [unjudgedFinding()];
}

/** A Buffer crosses threads as a plain Uint8Array. */
function withHash(mail: InboxMail): InboxMail {
  if ('hash' in mail) return { ...mail, hash: Buffer.from(mail.hash) };
  return 'answer' in mail ? { ...mail, answer: { ...mail.answer, hash: Buffer.from(mail.answer.hash) } } : mail;
}
