import { z } from 'zod';

const ANSWER_WITHIN_MS = 20_000;
const ANSWER_BYTES_MAX = 1000;
const alive = z.object({ status: z.literal('ok'), account: z.int() });

/**
 * Asks an account's new home, at the account's host, whether the account lives there.
 * @param home its origin
 * @returns null: yes; otherwise the answer
 */
export async function askHome(home: string, accountId: number): Promise<string | null> {
  try {
    const answer = await fetch(`${home}/health/account/${accountId}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = new TextDecoder().decode(await firstBytes(answer));
    const isAlive = answer.status === 200 && isOf(accountId, text);
    return isAlive ? null : `HTTP ${answer.status}`;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** Limits what is read from another server that may answer there. */
async function firstBytes({ body }: Response): Promise<Uint8Array> {
  for await (const bytes of body ?? []) return bytes.subarray(0, ANSWER_BYTES_MAX);
  return new Uint8Array();
}

function isOf(accountId: number, text: string): boolean {
  try {
    return alive.parse(JSON.parse(text)).account === accountId;
  } catch {
    return false;
  }
}
