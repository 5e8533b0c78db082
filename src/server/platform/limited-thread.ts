import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A thread exceeded a limit of time or memory. */
export class ThreadLimit extends Error {
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory') {
    super(`the thread passed its limit of ${limit}`);
    this.limit = limit;
  }
}

/**
 * Starts a thread that blocks no event loop, and has a heap limit.
 * Memory outside of the heap (buffers, blobs) is not limited: the thread must bound its input.
 */
export function startThread(
  module: URL,
  { heapMb, data }: { readonly heapMb: number; readonly data?: unknown },
): Worker {
  const limits = { maxOldGenerationSizeMb: heapMb };
  // No setting: what a thread reads comes from outside.
  const thread = new Worker(module, { workerData: data, resourceLimits: limits, env: {} });
  // `once` removes its listener when aborted; a later error of the thread would end the process.
  thread.on('error', () => {});
  return thread;
}

interface Wait {
  readonly ms: number;
  /** The CPU milliseconds of the thread since its start: a busy machine needs more time for the same work. */
  readonly cpuMs?: number;
  /** Aborts the wait; the promise then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the next message of a thread. After an error the caller must end the thread, which may still be running.
 * @throws ThreadLimit, or the error with which the thread ended
 */
export async function nextMessage<Message>(thread: Worker, { ms, cpuMs, signal }: Wait): Promise<Message> {
  signal?.throwIfAborted();
  const computed = new AbortController();
  const tooLate = AbortSignal.any([AbortSignal.timeout(ms), computed.signal]);
  const watch = cpuMs === undefined ? undefined : watchCpu(thread, cpuMs, () => computed.abort());
  const exited = new AbortController();
  const onExit = () => exited.abort(new Error('the thread ended without an answer'));
  thread.once('exit', onExit);
  try {
    const ended = AbortSignal.any([tooLate, exited.signal, ...(signal ? [signal] : [])]);
    const [message] = (await once(thread, 'message', { signal: ended })) as [Message];
    return message;
  } catch (error) {
    signal?.throwIfAborted();
    if (tooLate.aborted) throw new ThreadLimit('time');
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw new ThreadLimit('memory');
    }
    throw exited.signal.aborted ? exited.signal.reason : error;
  } finally {
    clearInterval(watch);
    thread.off('exit', onExit);
  }
}

/** How often a thread's CPU time is measured. */
const CPU_CHECK_MS = 200;

const watchCpu = (thread: Worker, cpuMs: number, onLimit: () => void): NodeJS.Timeout =>
  setInterval(() => {
    thread.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > cpuMs && onLimit(),
      // The thread has ended: its answer or error is about to arrive.
      () => {},
    );
  }, CPU_CHECK_MS);
