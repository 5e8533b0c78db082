import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import type { InboxState } from '#web/features/inbox/inbox-query.ts';
import { INBOX_MESSAGES } from '#web/features/inbox/words.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/domains.tsx';

const AT = '2026/11/23 12:00:00';
const READING: InboxState = {
  state: 'reading',
  last_read_at: AT,
  fault: null,
  mails: 1234,
  unmatched: 12,
  skipped: 1,
};

async function open(state: Partial<InboxState>) {
  fakeApi({ 'GET /inbox': () => ok({ ...READING, ...state }) });
  await renderApp('/settings/domains');
  return within(await screen.findByRole('region', { name: '受信' }));
}

beforeEach(() => logInAs());

describe('the page of the inbox', () => {
  it('shows the time of the last read, and what arrived', async () => {
    const inbox = await open({});
    expect(inbox.getByRole('status').textContent).toBe('正常');
    expect(inbox.getByText(`最終確認 ${sentenceTime(AT)}`)).toBeTruthy();
    const counts = inbox.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(counts).toEqual(['1,234通', '12通', '1通']);
    expect(inbox.getByText(/メールボックスに残しています/)).toBeTruthy();
    expect(inbox.queryByText(INBOX_MESSAGES.meanwhileHelp)).toBeNull();
  });

  it.each(Object.entries(INBOX_MESSAGES.faultHelp))(
    'shows the error of the %s, and that sending continues',
    async (fault, text) => {
      const inbox = await open({ state: 'failing', fault: fault as keyof typeof INBOX_MESSAGES.faultHelp });
      expect(inbox.getByRole('status').textContent).toBe('読めていません');
      expect(inbox.getByText(text)).toBeTruthy();
      expect(inbox.getByText(INBOX_MESSAGES.meanwhileHelp)).toBeTruthy();
      expect(inbox.getByText(`最終確認 ${sentenceTime(AT)}`)).toBeTruthy();
    },
  );

  it('shows that the inbox is no longer read', async () => {
    const inbox = await open({ state: 'failing' });
    expect(inbox.getByText(/10分以上/)).toBeTruthy();
  });

  it('shows an inbox that was never read, without counts of unread mails', async () => {
    const inbox = await open({ last_read_at: null, mails: 0, unmatched: 0, skipped: 0 });
    expect(inbox.getByRole('status').textContent).toBe('確認中');
    expect(inbox.getByText('まだ一度も読み終えていません。')).toBeTruthy();
    expect(inbox.queryByText(/メールボックスに残しています/)).toBeNull();
  });

  it('shows which settings are missing if none is set', async () => {
    fakeApi({ 'GET /inbox': () => ok({ ...READING, state: 'off', last_read_at: null }) });
    await renderApp('/settings/domains');
    expect(await screen.findByText('受信の設定がありません')).toBeTruthy();
    expect(screen.getByText('このサーバーの設定が必要です')).toBeTruthy();
    const setting = screen.getByText(/INBOX_URL、INBOX_PASSWORD、RETURN_ADDRESS を設定します/);
    expect(setting.hidden).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: '設定のしかた' }));
    expect(setting.hidden).toBe(false);
  });
});
