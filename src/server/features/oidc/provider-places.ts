import { Problem } from '../../platform/problem.ts';

/**
 * The most log-ins of an account, and of a process, that wait for a provider at the same time: visitors cause them, and
 * a slow provider holds each for up to 10 seconds a request.
 */
const MAX_OF_ACCOUNT = 10;
const MAX_OF_PROCESS = 100;
const RETRY_SECONDS = 5;

/** Runs `work` of an account while there is a place. @returns 503 */
export type InPlace = <Result>(accountId: number, work: () => Promise<Result>) => Promise<Result | Problem>;

/** Makes the places of a process. */
export function providerPlaces(): InPlace {
  const ofAccounts = new Map<number, number>();
  let ofAll = 0;

  const add = (accountId: number, change: 1 | -1) => {
    const own = (ofAccounts.get(accountId) ?? 0) + change;
    if (own === 0) ofAccounts.delete(accountId);
    else ofAccounts.set(accountId, own);
    ofAll += change;
  };

  return async (accountId, work) => {
    if (ofAll >= MAX_OF_PROCESS || (ofAccounts.get(accountId) ?? 0) >= MAX_OF_ACCOUNT) return busy();
    add(accountId, 1);
    try {
      return await work();
    } finally {
      add(accountId, -1);
    }
  };
}

const busy = () =>
  new Problem(
    'busy',
    '会社のIDでのログインが混み合っています。少し待ってから、もう一度お試しください。',
    RETRY_SECONDS,
  );
