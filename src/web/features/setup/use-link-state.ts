import { useEffect, useState } from 'react';
import type { CallAnswer } from '#contract/call.ts';
import type { checkSetup } from '#contract/setup.ts';
import { type ApiResult, callApi } from '#web/lib/api-client.ts';

export type LinkState = ApiResult<CallAnswer<typeof checkSetup>>;

const checkLink = (key: string, signal?: AbortSignal): Promise<LinkState> =>
  callApi<typeof checkSetup>('POST', '/setup/check', { body: { key } }, { token: null, ...(signal && { signal }) });

/** Checks a printed link. @returns its state (null: not known yet), a setter, and a function that checks again */
export function useLinkState(key: string) {
  const [state, setState] = useState<LinkState | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    // Only an abort throws: the page is gone.
    checkLink(key, gone.signal).then(setState, () => undefined);
    return () => gone.abort();
  }, [key]);
  async function check(): Promise<void> {
    setState(null);
    setState(await checkLink(key));
  }
  return { state, setState, check };
}
