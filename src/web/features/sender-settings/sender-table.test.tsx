import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/query-client.ts';
import { FIRST_STEPS } from '#web/lib/query-keys.ts';
import { SenderTable } from './sender-table.tsx';
import type { SenderRow } from './settings-query.ts';

const SENDER = {
  id: 7,
  person_in_charge: '田中 直樹',
  email: 'tanaka@example.co.jp',
  bcc: null,
  is_confirmed: 0,
  active: 1,
  template_name: 'ご挨拶',
  mails_per_minute: null,
} as SenderRow;

it('after a confirmation mail the first steps are asked anew: its reader completes one in another window', async () => {
  logInAs();
  fakeApi({ 'POST /sender/7/confirmation': () => ok({ status: 'sent' }) });
  queryClient.setQueryData([FIRST_STEPS], {});
  renderPart(<SenderTable label="送信者" senders={[SENDER]} markOf={() => null} onEdit={() => undefined} />);
  await userEvent.click(screen.getByRole('button', { name: '確認メールを送る' }));
  await waitFor(() => expect(queryClient.getQueryState([FIRST_STEPS])?.isInvalidated).toBe(true));
});
