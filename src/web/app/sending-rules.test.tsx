import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { UndoTick } from '#web/features/sending-rules/undo-tick.tsx';
// Loaded here, not within a test that waits for them.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings-sending.tsx';

beforeEach(() => logInAs());

/** Serves the rule, which a change replaces. */
function serve(undo_seconds: number) {
  const stored = { undo_seconds };
  return fakeApi({
    'GET /account_rule': () => ok(stored),
    'PUT /account_rule': ({ body }) => {
      Object.assign(stored, (body as { update_info: object }).update_info);
      return ok({ status: 'updated' });
    },
  });
}
const changes = (requests: ReturnType<typeof serve>) =>
  requests.flatMap(({ method, body }) => (method === 'PUT' ? (body as { update_info: object }).update_info : []));

it('the time in which a send can be taken back is chosen in the settings, and stored at once', async () => {
  const requests = serve(0);
  await renderApp('/settings/sending');
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: '送信の取り消し' });
  const choices = [...select.options].map(({ text }) => text);
  expect([choices, select.value]).toEqual([['しない', '10秒', '30秒', '60秒'], '0']);
  await userEvent.selectOptions(select, '30秒');
  await waitFor(() => expect(changes(requests)).toEqual([{ undo_seconds: 30 }]));
  expect(select.value).toBe('30');
});

it('a choice that was refused is not shown', async () => {
  fakeApi({
    'GET /account_rule': () => ok({ undo_seconds: 0 }),
    'PUT /account_rule': () => refused(403, 'この操作はできません。'),
  });
  await renderApp('/settings/sending');
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: '送信の取り消し' });
  await userEvent.selectOptions(select, '60秒');
  await screen.findByText('この操作はできません');
  await waitFor(() => expect(select.value).toBe('0'));
});

it.each([
  [0, '送信後30秒は取り消せるようにする', 30],
  [60, '送信後60秒は取り消せるようにする', 0],
])('the tick before the first mail, of %i seconds', async (before, label, after) => {
  const requests = serve(before);
  renderPart(<UndoTick />);
  const tick = await screen.findByRole<HTMLInputElement>('checkbox', { name: label });
  expect(tick.checked).toBe(before > 0);
  await userEvent.click(tick);
  await waitFor(() => expect(changes(requests)).toEqual([{ undo_seconds: after }]));
  expect(tick.checked).toBe(before === 0);
});
