import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loaded here, not within a test that waits for them.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings-retention.tsx';

let stored: { months: number | null; blanks: 0 | 1; archived: number };
let saved: unknown[];

beforeEach(() => {
  logInAs();
  stored = { months: null, blanks: 0, archived: 0 };
  saved = [];
});

async function open() {
  fakeApi({
    'GET /mail_retention': () => ok(stored),
    'PUT /mail_retention': ({ body }) => {
      saved.push(body);
      return ok({ status: 'updated' });
    },
  });
  await renderApp('/settings/retention');
  return (await screen.findByLabelText('保管に移す時期')) as HTMLSelectElement;
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const choose = (months: HTMLSelectElement, value: string) => fireEvent.change(months, { target: { value } });

describe('the setting of how long mails are kept', () => {
  it('saves a period without a question', async () => {
    const months = await open();
    expect(months.value).toBe('');
    expect(screen.queryByRole('checkbox')).toBeNull();
    choose(months, '24');
    press('保存する');
    await waitFor(() => expect(saved).toEqual([{ update_info: { months: 24, blanks: 0 } }]));
  });

  it('asks before addressees are taken out, which cannot be undone', async () => {
    const months = await open();
    choose(months, '12');
    fireEvent.click(screen.getByRole('checkbox'));
    press('保存する');
    await screen.findByText(/送信が終わってから1年のメールから/);
    expect(saved).toEqual([]);
    press('保存して消す');
    await waitFor(() => expect(saved).toEqual([{ update_info: { months: 12, blanks: 1 } }]));
  });

  it('shows a period that is no choice of ours, and how many mails are archived', async () => {
    stored = { months: 18, blanks: 0, archived: 12_345 };
    const months = await open();
    expect(months.selectedOptions[0]?.textContent).toBe('送信が終わってから18か月');
    expect(screen.getByText('保管しているメールは12,345件です。')).toBeTruthy();
  });
});
