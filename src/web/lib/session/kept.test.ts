import { beforeEach, expect, it, vi } from 'vitest';
import { keep, readKept } from './kept.ts';
import { startSession } from './session-store.ts';

const logIn = (memberId?: number) => {
  const member = memberId === undefined ? {} : { member: { id: memberId, role: 'admin' as const } };
  startSession('token', { id: 7, email: 'a@example.com', name: '田中', company: '会社', ...member });
};

beforeEach(() => {
  localStorage.clear();
  logIn(1);
});

it('shares nothing of a member with a colleague on the same browser', () => {
  keep('columns', 'of 1');
  logIn(2);
  expect(readKept('columns')).toBeNull();
  keep('columns', 'of 2');
  logIn(1);
  expect(readKept('columns')).toBe('of 1');
});

it.each(['kaitaku-columns-7', 'kaitaku-columns'])(
  'gives the value of the older key %s to the first member alone',
  (old) => {
    localStorage.setItem(old, 'older');
    expect(readKept('columns')).toBe('older');
    logIn(2);
    expect(readKept('columns')).toBeNull();
    logIn(1);
    expect(readKept('columns')).toBe('older');
  },
);

it('does not use an older value if the member has one', () => {
  keep('columns', 'own');
  localStorage.setItem('kaitaku-columns-7', 'older');
  expect(readKept('columns')).toBe('own');
});

it('is stored for the account if an older server names no member', () => {
  logIn();
  keep('columns', 'of all');
  expect(localStorage.getItem('kaitaku-columns-7')).toBe('of all');
  expect(readKept('columns')).toBe('of all');
});

it('has nothing in a browser without storage', () => {
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('off', 'SecurityError');
  });
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('off', 'SecurityError');
  });
  keep('columns', 'lost');
  expect(readKept('columns')).toBeNull();
});
