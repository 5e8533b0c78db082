import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, showsTheirChanges, theirChanges } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/personal-data.tsx';
import { queryClient } from '#web/lib/api/query-client.ts';
import { useSession } from '#web/lib/session/session-store.ts';

const TOLD = '佐藤 花子さんが11/27（金）10:02に保存期間を変更しました。内容を確かめてから、保存してください';
let stored: { months: number | null; archived: number; version: string };
let saved: unknown[];

beforeEach(() => {
  logInAs();
  stored = { months: null, archived: 0, version: 'v1' };
  saved = [];
});

async function open() {
  fakeApi({
    'GET /mail_retention': () => ok(stored),
    'PUT /mail_retention': ({ body }) => {
      saved.push(body);
      const isSeen = (body as { version: string }).version === stored.version;
      return isSeen ? ok({ status: 'updated', version: 'v3' }) : refused(409, `${TOLD}。`, 'mail_retention_changed');
    },
  });
  await renderApp('/settings/personal-data');
  return (await screen.findByLabelText('宛先を消す時期')) as HTMLSelectElement;
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const saveAndConfirm = () => {
  press('保存');
  press('保存して消す');
};
const choose = (months: HTMLSelectElement, value: string) => fireEvent.change(months, { target: { value } });

describe('the setting of how long mails are kept', () => {
  it('saves that mails keep their addressees without a confirmation', async () => {
    stored = { months: 24, archived: 0, version: 'v1' };
    const months = await open();
    choose(months, '');
    press('保存');
    await waitFor(() => expect(saved).toEqual([{ version: 'v1', update_info: { months: null } }]));
    const told = await screen.findByText('保存期間を変更しました');
    expect(told.closest('[role="status"]')?.parentElement?.querySelector('[type="submit"]')).not.toBeNull();
  });

  it('shows the period that another member has saved meanwhile, before it overwrites it', async () => {
    const months = await open();
    choose(months, '24');
    stored = { months: 36, archived: 0, version: 'v2' };
    saveAndConfirm();
    const notice = within(await theirChanges());
    expect(notice.getByText(TOLD)).toBeTruthy();
    expect(await notice.findByText('送信が終わってから3年')).toBeTruthy();
    expect(months.value).toBe('24');
    saveAndConfirm();
    await waitFor(() => expect(saved).toHaveLength(2));
    expect(saved).toMatchObject([{ version: 'v1' }, { version: 'v2', update_info: { months: 24 } }]);
  });

  it('uses the period of another member on demand', async () => {
    const months = await open();
    choose(months, '24');
    stored = { months: 36, archived: 0, version: 'v2' };
    saveAndConfirm();
    await screen.findByText('送信が終わってから3年', { selector: 'bdi' });
    press('相手の内容を読み込む');
    expect([months.value, showsTheirChanges()]).toEqual(['36', false]);
  });

  it('keeps the chosen period over a reload, with the version that it is based on', async () => {
    choose(await open(), '24');
    cleanup();
    stored = { months: 36, archived: 0, version: 'v2' };
    queryClient.clear();
    const months = await open();
    expect(months.value).toBe('24');
    const notice = within(await theirChanges());
    expect(notice.getByText('送信が終わってから3年')).toBeTruthy();
    press('相手の内容を読み込む');
    await waitFor(() => expect(useSession.getState().drafts).toEqual({}));
  });

  it('asks before addressees are removed, which cannot be undone', async () => {
    const months = await open();
    expect(months.value).toBe('');
    choose(months, '12');
    press('保存');
    await screen.findByText(/送信が終わってから1年のメールから/);
    expect(saved).toEqual([]);
    press('保存して消す');
    await waitFor(() => expect(saved).toEqual([{ version: 'v1', update_info: { months: 12 } }]));
  });

  it('shows a stored period that the client does not offer, and how many mails are blanked', async () => {
    stored = { months: 18, archived: 12_345, version: 'v1' };
    const months = await open();
    expect(months.selectedOptions[0]?.textContent).toBe('送信が終わってから18か月');
    expect(screen.getByText('宛先を消したメールは12,345通です。')).toBeTruthy();
  });
});
