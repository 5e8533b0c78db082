import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';

beforeEach(() => logInAs());

it.each([
  ['groups', '/sender_group/list'],
  ['legal', '/legal_profile/list'],
  ['sending', '/account_rule'],
  ['domains', '/domain_health/list'],
  ['notifications', '/notice_setting'],
  ['personal-data', '/mail_retention'],
])('settings of %s that cannot be loaded say so, and are asked for again on demand', async (page, path) => {
  const calls = () => requests.filter((request) => request.path === path).length;
  const requests = fakeApi({
    // The screen of groups also loads the persons and senders.
    'GET /sender_profile/list': () => ok([]),
    'GET /sender/list': () => ok([]),
    // The screen begins with the state of sending.
    'GET /legal_profile/list': () => ok([]),
    'GET /domain_health/list': () => ok([]),
    // The other half of the screen.
    'GET /inbox': () => ok({ state: 'off', last_read_at: null, fault: null, mails: 0, unmatched: 0, skipped: 0 }),
    [`GET ${path}`]: () => refused(403, 'この操作はできません。'),
  });
  await renderApp(`/settings/${page}`);
  await screen.findByText(/読み込めませんでした$/);
  const before = calls();
  fireEvent.click(screen.getByRole('button', { name: '再読み込み' }));
  await waitFor(() => expect(calls()).toBe(before + 1));
  await screen.findByText(/読み込めませんでした$/);
});

it('a refusal says its cause once, in the card', async () => {
  fakeApi({ 'GET /mail_retention': () => refused(403, 'この操作はできません。') });
  await renderApp('/settings/personal-data');
  await screen.findByText(/読み込めませんでした$/);
  expect(screen.getAllByText(/この操作はできません/)).toHaveLength(1);
});
