import { useEffect, useState } from 'react';
import { type AnswerOf, type ApiResult, call } from '#web/lib/api/call.ts';

export type LinkState = ApiResult<AnswerOf<'checkSetup'>>;

const checkLink = (key: string, signal?: AbortSignal): Promise<LinkState> =>
  call('checkSetup', { body: { key } }, { token: null, ...(signal && { signal }) });

/** Checks a printed link. @returns its state (null: not checked yet), a setter, and a function that checks again */
export function useLinkState(key: string) {
  const [state, setState] = useState<LinkState | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    // Only an abort throws: the page has been left.
    checkLink(key, gone.signal).then(setState, () => undefined);
    return () => gone.abort();
  }, [key]);
  async function check(): Promise<void> {
    setState(null);
    setState(await checkLink(key));
  }
  return { state, setState, check };
}
