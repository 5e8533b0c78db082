import { useEffect, useState } from 'react';
import { type AnswerOf, type ApiResult, call } from '../api/call.ts';

type Check = 'checkSetup' | 'checkInvitation';
export type LinkState<Name extends Check> = ApiResult<AnswerOf<Name>>;

const checkLink = <Name extends Check>(name: Name, key: string, signal?: AbortSignal): Promise<LinkState<Name>> =>
  call<Check>(name, { body: { key } }, { token: null, ...(signal && { signal }) }) as Promise<LinkState<Name>>;

/**
 * Checks the link of a visitor's page.
 * @returns its state (null: not checked yet), a setter, and a function that checks again
 */
export function useLinkState<Name extends Check>(name: Name, key: string) {
  const [state, setState] = useState<LinkState<Name> | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    // Only an abort throws: the page has been left.
    checkLink(name, key, gone.signal).then(setState, () => undefined);
    return () => gone.abort();
  }, [name, key]);
  async function check(): Promise<void> {
    setState(null);
    setState(await checkLink(name, key));
  }
  return { state, setState, check };
}
