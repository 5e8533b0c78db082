import { beforeEach, expect, test, vi } from 'vitest';
import { type CurrentUser, releaseAll, startSession } from './session-store.ts';
import { openTabs } from './tab-channel.ts';

const ID = 'a'.repeat(32);
const TOKEN = 'T'.repeat(43);
const TANAKA: CurrentUser = {
  id: 7,
  member: { id: 1, role: 'admin' },
  email: 'tanaka@example.com',
  name: '田中 直樹',
  company: '株式会社架空商事',
  email_before_confirmation: null,
};

let posted: unknown[] = [];

/** The tab's channel, which collects what the tab posts. */
class FakeChannel {
  static last: FakeChannel;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  constructor() {
    FakeChannel.last = this;
  }
  postMessage(data: unknown): void {
    posted.push(data);
  }
}

beforeEach(() => {
  posted = [];
  vi.stubGlobal('BroadcastChannel', FakeChannel);
});

test('a tab that has not joined loads its part for the question of another tab, and answers it', async () => {
  openTabs();
  startSession(TOKEN, TANAKA);
  FakeChannel.last.onmessage?.({ data: { ask: ID } });
  FakeChannel.last.onmessage?.({ data: { ask: 'b'.repeat(32) } });
  await vi.waitFor(() => expect(posted).toMatchObject([{ answer: ID }, { answer: 'b'.repeat(32) }]));
});

test('a log-out is reported with its token, also before the tab has joined; an expired session is not', () => {
  openTabs();
  startSession(TOKEN, TANAKA);
  releaseAll('expired');
  expect(posted).toStrictEqual([]);
  startSession(TOKEN, TANAKA);
  releaseAll('logged-out');
  expect(posted).toContainEqual({ ended: TOKEN });
});

test('without BroadcastChannel there is nothing to join', async () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  expect(await openTabs()()).toBeNull();
});
