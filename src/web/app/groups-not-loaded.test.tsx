import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';

/* Screens that go on without the groups say by a toast why they lack them. */

beforeEach(() => {
  logInAs();
  fakeApi({
    'GET /sender_group/list': () => refused(403, 'グループを読めません'),
    'GET /send_log/view': () => ok({ rows: [], total: 0 }),
    'GET /reservation/view': () => ok({ rows: [], total: 0 }),
    'GET /mail_template/list': () => ok([]),
    'GET /person/find': () => ok([]),
    'GET /account/7': () => refused(403, ''),
    'GET /report/view': () => refused(403, ''),
    'GET /prospect/9': () => refused(404, ''),
    'GET /prospect/9/timeline': () => refused(404, ''),
  });
});

it.each(['/sends', '/reports', '/reservations', '/prospects/9'])('%s', async (path) => {
  await renderApp(path);
  expect(await toastText('alert')).toContain('グループを読めません');
});

it('the palette, which does not go on searching', async () => {
  await renderApp('/account');
  await screen.findByRole('heading', { level: 1 });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  await userEvent.type(await screen.findByRole('combobox'), '商事');
  expect(await toastText('alert')).toContain('グループを読めません');
  expect(await screen.findByText('見つかりません')).toBeDefined();
});
