import { type ApiFailure, call } from '#web/lib/api/call.ts';
import { startSession } from '#web/lib/session/session-store.ts';

/** Logs in and loads the account. The session starts once both have succeeded. @returns null on success */
export async function logIn(email: string, password: string): Promise<ApiFailure | null> {
  const answer = await call('login', { body: { email, password } }, { token: null });
  if (!answer.ok) return answer;
  const { token, account_id } = answer.data;
  const account = await call('getAccount', { params: { id: String(account_id) } }, { token });
  if (!account.ok) return account;
  const { version: _version, ...user } = account.data;
  startSession(token, user);
  return null;
}
