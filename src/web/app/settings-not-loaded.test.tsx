import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loaded here, not within a test that waits for them.
import '#web/app/workspace.tsx';

beforeEach(() => logInAs());

it.each([
  ['groups', '/sender_group/list'],
  ['legal', '/legal_profile/list'],
  ['domains', '/domain_health/list'],
  ['inbox', '/inbox'],
  ['notifications', '/notice_setting'],
  ['retention', '/mail_retention'],
])('settings of %s that cannot be loaded say so, and are asked for again on demand', async (page, path) => {
  const calls = () => requests.filter((request) => request.path === path).length;
  const requests = fakeApi({
    [`GET ${path}`]: () => refused(403, 'この操作はできません。'),
    // The screen of groups asks for their senders too.
    'GET /sender/list': () => ok([]),
  });
  await renderApp(`/settings/${page}`);
  await screen.findByText('読み込めませんでした');
  const before = calls();
  fireEvent.click(screen.getByRole('button', { name: '再読み込み' }));
  await waitFor(() => expect(calls()).toBe(before + 1));
  await screen.findByText('読み込めませんでした');
});
