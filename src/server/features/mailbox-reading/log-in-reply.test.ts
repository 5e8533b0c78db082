import { expect, test } from 'vitest';
import { InboxError } from '../inbox/imap-dialog.ts';
import { refusedLogIn } from './log-in-reply.ts';

const refusedBy = (response: string, serverResponseCode?: string) =>
  refusedLogIn(new InboxError('login', Object.assign(new Error('no'), { response, serverResponseCode })));

test.each([
  ['3 NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)', 'AUTHENTICATIONFAILED'],
  ['A1 NO AUTHENTICATE failed.', undefined],
  ['2 NO LOGIN failed', undefined],
  ['2 NO [EXPIRED] Password expired', 'EXPIRED'],
])('%s refuses the log-in', (reply, code) => expect(refusedBy(reply, code)).toBe(reply));

test.each([
  ['2 NO [UNAVAILABLE] User data is not available', 'UNAVAILABLE'],
  ['2 NO [ALERT] Too many simultaneous connections. (Failure)', 'ALERT'],
  ['2 NO [LIMIT] Maximum number of connections from user+IP exceeded', 'LIMIT'],
  ['2 NO Server Busy', undefined],
  ['2 NO Temporary authentication failure. Try again later', undefined],
])('%s does not: the server cannot log in now', (reply, code) => expect(refusedBy(reply, code)).toBeNull());

test('a refusal without words has some', () => {
  expect(refusedBy('')).toBe('the server refuses the log-in');
});
