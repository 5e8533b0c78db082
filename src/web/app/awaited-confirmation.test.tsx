import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type FakeRequest, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, prospect, target } from '#test/web/samples.ts';
import { updateAttackListSettings } from '#web/features/attack-list/attack-list-state.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import './workspace.tsx';
import './routes/attack-list.tsx';
import './routes/settings/groups.tsx';

/** Tests that 確認待ち disappears although the owner opened the link on another machine: no event reaches this screen. */

const SENT_AT = '2026/11/27 18:03:20';
const MAILED_MS = 5000;
const UNMAILED_MS = 60_000;

let sender: { is_confirmed: 0 | 1; confirmation_sent_at: string | null };
let requests: FakeRequest[];

beforeEach(() => {
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'],
  });
  onTestFinished(() => void vi.useRealTimers());
  logInAs();
  sender = { is_confirmed: 0, confirmation_sent_at: null };
});

const user = () => userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const asked = (path: string) => requests.filter((request) => request.path === path).length;

/** Confirms the address on another machine: no event reaches this tab. */
function confirmElsewhere(): void {
  sender = { is_confirmed: 1, confirmation_sent_at: null };
}

async function open(address: string): Promise<void> {
  const row = () => ({
    id: 5,
    sender_group_id: 1,
    subject: 'ご提案',
    person_in_charge: '田中',
    email: 't@example.com',
    bcc: null,
    template_id: 15,
    template_name: 'ひな形',
    sendgrid_template_id: null,
    active: 1,
    group: '営業部',
    mails_per_minute: null,
    reply_to: null,
    own_subject: null,
    profile_id: 3,
    ...sender,
  });
  const profile = () => {
    const { person_in_charge, email, sender_group_id, active } = row();
    const unset = { mailbox_id: null, reply_to: null, bcc: null, signature: '' };
    const person = { person_in_charge, email, sender_group_id, active, ...unset };
    return { id: 3, ...person, mails_per_minute: null, sender_id: 5, template_ids: [15], version: 'v1', ...sender };
  };
  const steps = { legal_profile_ready: 0, companies_imported: 0, template_edited: 0, test_sent: 0, mail_sent: 0 };
  requests = fakeApi({
    'GET /sender_group/list': () =>
      ok([{ id: 1, group_name: '営業部', active: 1, senders: 1, sent_this_month: 0, reservations: 0 }]),
    'GET /sender/list': () => ok([row()]),
    'GET /sender_profile/list': () => ok([profile()]),
    'GET /domain_health/list': () => ok([]),
    'GET /prospect/view': () => ok({ rows: [prospect(1)], total: 1 }),
    'GET /reservation/list': () => ok([]),
    'GET /attack_list/preview': () => ok({ rows: [target(1)], matched: 1, eligible: 1, left_out: {} }),
    'POST /mail/check/5': () =>
      ok({ total: 1, checked: 1, warnings: [], skipped: [], legal_faults: [], without_source: 0 }),
    'GET /first_steps': () =>
      ok({
        dismissed: 0,
        sample_companies: 0,
        steps: { ...steps, sender_confirmed: sender.is_confirmed },
        companies: 0,
        sender: { id: 5, email: '', template_id: 15, is_asked: sender.confirmation_sent_at === null ? 0 : 1 },
      }),
    'POST /sender/5/confirmation': () => {
      sender = { ...sender, confirmation_sent_at: SENT_AT };
      return ok({ status: 'sent' });
    },
  });
  await renderApp(address);
}

const settingsCard = async () => (await screen.findByRole('heading', { name: '田中' })).closest('li') as HTMLElement;

it('the card of a person shows when the confirmation mail was sent, and later that the address is confirmed', async () => {
  await open('/settings/groups');
  const card = await settingsCard();
  expect(within(card).getByText('未確認')).toBeDefined();
  expect(card.textContent).not.toContain('送りました');
  await user().click(within(card).getByRole('button', { name: '確認メールを送る' }));
  expect(await within(card).findByText(`${sentenceTime(SENT_AT)}に確認メールを送りました`)).toBeDefined();
  confirmElsewhere();
  await pass(MAILED_MS);
  await waitFor(() => expect(within(card).queryByText('確認待ち')).toBeNull());
  expect(within(card).getByText('確認済み')).toBeDefined();
  expect(card.textContent).not.toContain('送りました');
  const before = asked('/sender_profile/list');
  await pass(2 * UNMAILED_MS);
  expect(asked('/sender_profile/list')).toBe(before);
});

it('the confirmation mail that another tab has requested is detected by a poll once a minute', async () => {
  await open('/settings/groups');
  const card = await settingsCard();
  const before = asked('/sender_profile/list');
  await pass(UNMAILED_MS - MAILED_MS);
  expect(asked('/sender_profile/list')).toBe(before);
  sender = { ...sender, confirmation_sent_at: SENT_AT };
  await pass(MAILED_MS);
  expect(await within(card).findByText(/に確認メールを送りました$/)).toBeDefined();
});

it('a hidden tab sends no polls, and one at once when it becomes visible', async () => {
  sender = { ...sender, confirmation_sent_at: SENT_AT };
  await open('/settings/groups');
  const card = await settingsCard();
  const sight = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  const before = asked('/sender_profile/list');
  confirmElsewhere();
  await pass(10 * MAILED_MS);
  expect(asked('/sender_profile/list')).toBe(before);
  sight.mockReturnValue('visible');
  window.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(within(card).queryByText('確認待ち')).toBeNull());
});

it('the choice of senders and the bar of the first steps also show that the address is confirmed', async () => {
  sender = { ...sender, confirmation_sent_at: SENT_AT };
  await open('/');
  expect(await screen.findByRole('option', { name: 'ひな形 — ご提案（田中・確認待ち）' })).toBeDefined();
  const card = await screen.findByRole('region', { name: 'はじめかた' });
  expect(within(card).getByText('0 / 6', { exact: false })).toBeDefined();
  confirmElsewhere();
  await pass(2 * MAILED_MS);
  expect(await screen.findByRole('option', { name: 'ひな形 — ご提案（田中）' })).toBeDefined();
  await waitFor(() => expect(within(card).getByText('1 / 6', { exact: false })).toBeDefined());
});

it('the open send dialog removes its warning once the address is confirmed', async () => {
  sender = { ...sender, confirmation_sent_at: SENT_AT };
  updateAttackListSettings({ is_test_mode: false, is_reservation_mode: false });
  await open('/?tab=attack-list');
  await user().click(await screen.findByRole('button', { name: /社に送信$/ }));
  const dialog = await screen.findByRole('dialog');
  expect(await within(dialog).findByText(/差出人のアドレスの確認が済んでいないため/)).toBeDefined();
  confirmElsewhere();
  await pass(MAILED_MS);
  await waitFor(() => expect(within(dialog).queryByText(/差出人のアドレスの確認が済んでいないため/)).toBeNull());
  // The answer of the earlier check is still used.
  expect(asked('/mail/check/5')).toBe(1);
});
