import { type AnswerOf, type ApiFailure, call } from '#web/lib/api/call.ts';
import { startSession } from '#web/lib/session/session-store.ts';
import { deviceOfBrowser } from './device.ts';

/** The answer to the question for a second step. */
export interface SecondStep {
  /** Of the authenticator app, or for recovery. */
  readonly code: string;
  /** 1: this browser needs no code for 30 days. */
  readonly trust: 0 | 1;
}

/** Whether a refusal is shown at the field of the code: code_needed, wrong_code, too_many_codes. */
export const isOfCode = ({ code }: ApiFailure): boolean => /_code|code_/.test(code);

/** Logs in and loads the account. The session starts once both have succeeded. @returns null on success */
export async function logIn(email: string, password: string, second?: SecondStep): Promise<ApiFailure | null> {
  const body = { email, password, device: deviceOfBrowser(), ...second };
  const answer = await call('login', { body }, { token: null });
  if (!answer.ok) return answer;
  return enter(answer.data);
}

/** Loads the account of a new session, and starts it. @returns null on success */
export async function enter({
  token,
  account_id,
}: Pick<AnswerOf<'login'>, 'token' | 'account_id'>): Promise<ApiFailure | null> {
  const account = await call('getAccount', { params: { id: String(account_id) } }, { token });
  if (!account.ok) return account;
  const { version: _version, ...user } = account.data;
  startSession(token, user);
  return null;
}
