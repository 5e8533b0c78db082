import { type InputOf, openStream, type StreamName } from './call.ts';

/** The server sends a heartbeat every 15 s, so a longer silence means a lost connection. */
const MAX_SILENCE_MS = 40_000;

interface Listener {
  /** Called when data arrived: an event, a part of one, or a heartbeat. */
  readonly onData: () => void;
  /** @param data JSON */
  readonly onEvent: (name: string, data: string) => void;
}

/**
 * Reads server-sent events until the stream ends, is silent for too long, or `left` aborts.
 * It uses fetch, because EventSource sends no token.
 *
 * @returns whether any data arrived
 */
export async function readEvents<Name extends StreamName>(
  name: Name,
  input: InputOf<Name>,
  left: AbortSignal,
  listener: Listener,
): Promise<boolean> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  let heard = false;
  try {
    const over = AbortSignal.any([left, silence.signal]);
    const body = await openStream(name, input, over);
    if (body === null) return false;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    over.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return heard;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
      heard = true;
      listener.onData();
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        if (kind !== undefined && data !== undefined) listener.onEvent(kind, data);
      }
    }
  } catch {
    return heard;
  } finally {
    clearTimeout(timer);
  }
}
