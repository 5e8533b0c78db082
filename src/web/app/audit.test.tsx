import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AUDIT_SUBJECTS, type AuditSubject } from '#contract/account/audit-names.ts';
import type { Role } from '#domain/account/role.ts';
import { type FakeRequest, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/audit.tsx';
import '#web/features/exports/export-dialog.tsx';

const NOW = new Date('2026-11-29T03:00:00Z');
const row = (id: number, more: object = {}) => ({
  id,
  at: '2026/11/29 11:00:00',
  member_id: 1,
  who: '鈴木 彩',
  text: '100社への送信を始めました',
  subject: { type: 'run', id: 12, name: '受発注のご提案', is_gone: 0 },
  ...more,
});

let page: object;
let requests: FakeRequest[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  page = { rows: [row(1)], total: 1, is_more: 0 };
});

const user = userEvent.setup();
const asked = () => requests.filter(({ path }) => path === '/audit/view').map(({ query }) => Object.fromEntries(query));
const lastAsked = (query: object) => waitFor(() => expect(asked().at(-1)).toMatchObject(query));
const choose = (label: string, option: string) => user.selectOptions(screen.getByLabelText(label), option);

async function open(query = '', role: Role = 'admin') {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 } });
  requests = fakeApi({
    'GET /member/list': () =>
      ok([
        { id: 1, name: '鈴木 彩', active: 1 },
        { id: 2, name: '佐藤 健', active: 0 },
      ]),
    'GET /audit/view': () => ok(page),
    'GET /export/list': () => ok([]),
    'POST /export': () => ok({ status: 'added', id: 4 }),
  });
  const app = await renderApp(`/settings/audit${query}`);
  await screen.findByRole('heading', { level: 1, name: '操作履歴' });
  return app;
}

describe('the audit', () => {
  it('shows time, person, act and subject, and that nobody changes it', async () => {
    await open();
    const [, first] = await screen.findAllByRole('row');
    expect(first?.textContent).toBe('11/29（日）11:00鈴木 彩100社への送信を始めました受発注のご提案');
    expect(
      screen.getByText('だれが、いつ、何をしたかの記録です。この記録は変更できません。5年間保存します。'),
    ).toBeDefined();
    await lastAsked({ from: '2026-10-31', to: '2026-11-29', pagenate_num: '1' });
  });

  const LINKS: Readonly<Record<AuditSubject, string | null>> = {
    run: '/sends/12',
    reservation: '/reservations/12',
    company: '/prospects/12',
    mail: null,
    reply: null,
    template: '/template/12',
    sender: '/settings/groups',
    person: '/settings/groups',
    group: '/settings/groups',
    member: '/settings/members',
    invitation: '/settings/members',
    import: '/imports/new?import=12',
    folder: '/templates?folder=12',
    condition: null,
    closing_day: '/settings/sending',
    suppression: null,
  };

  it('links to the screen of each subject that has one, and to nothing that is gone', async () => {
    const subjects = AUDIT_SUBJECTS.map((type, n) => row(n + 1, { subject: { type, id: 12, name: type, is_gone: 0 } }));
    const gone = row(100, { subject: { type: 'run', id: 13, name: '（削除済み）', is_gone: 1 } });
    page = { rows: [...subjects, gone, row(101, { subject: null })], total: 18, is_more: 0 };
    await open();
    await screen.findByText('（削除済み）');
    for (const [type, path] of Object.entries(LINKS)) {
      const link = screen.getByText(type).closest('a');
      expect([type, link === null ? null : link.getAttribute('href')]).toEqual([type, path]);
    }
    expect(screen.getByText('（削除済み）').closest('a')).toBeNull();
  });

  it('is narrowed by member, kind and period, which the address holds', async () => {
    const { router } = await open();
    await choose('人', '佐藤 健（利用停止）');
    await choose('種類', 'ログイン');
    await choose('期間', '先月');
    await lastAsked({ member: '2', kinds: 'log_in', from: '2026-10-01', to: '2026-10-31' });
    expect(router.state.location.search).toBe('?member=2&kind=log_in&period=last_month');
    await choose('期間', '過去1年');
    await lastAsked({ from: '2025-11-30', to: '2026-11-29' });
    await choose('期間', '今日');
    await lastAsked({ from: '2026-11-29', to: '2026-11-29' });
    await choose('期間', '今月');
    await lastAsked({ from: '2026-11-01', to: '2026-11-29' });
  });

  it.each([
    ['from=2026-11-30&to=2026-11-01', '終了日は、開始日以降の日にしてください'],
    ['from=2016-11-01&to=2026-11-01', '期間は366日以内にしてください'],
  ])('with the days %s asks nothing, and says so at the field', async (days, fault) => {
    await open(`?period=custom&${days}`);
    expect(await screen.findByText(fault)).toBeDefined();
    expect(screen.getByLabelText('終了日').getAttribute('aria-invalid')).toBe('true');
    expect(asked()).toEqual([]);
    expect(screen.queryByRole('button', { name: '書き出す' })).toBeNull();
  });

  it('without a known kind in the address shows all', async () => {
    await open('?kind=toString&member=x');
    await screen.findByText('受発注のご提案');
    expect(asked().at(-1)).not.toHaveProperty('kinds');
    expect(asked().at(-1)).not.toHaveProperty('member');
  });

  it('says that older events need a shorter period or the export', async () => {
    page = { rows: [row(1)], total: 10_000, is_more: 1 };
    await open('?period=year');
    expect(await screen.findByText(/^新しいものから10,000件を表示しています。/)).toBeDefined();
  });

  it('clears a filter that finds nothing', async () => {
    page = { rows: [], total: 0, is_more: 0 };
    const { router } = await open('?member=2&kind=log_in&period=custom&from=2026-11-01&to=2026-11-02');
    expect(await screen.findByText('条件に合う操作がありません')).toBeDefined();
    await user.click(screen.getByRole('button', { name: '条件をクリア' }));
    expect(await screen.findByText('この期間の操作はありません')).toBeDefined();
    expect(router.state.location.search).toBe('');
  });

  it('is exported with the filter of the screen', async () => {
    await open('?member=2&kind=log_in&period=last_month');
    await user.click(await screen.findByRole('button', { name: '書き出す' }));
    const dialog = within(await screen.findByRole('dialog', { name: '操作履歴の書き出し' }));
    await user.click(await dialog.findByRole('button', { name: '書き出す' }));
    const sent = () => requests.find(({ method, path }) => method === 'POST' && path === '/export')?.body;
    const filter = { member: 2, kinds: 'log_in', from: '2026-10-01', to: '2026-10-31' };
    await waitFor(() => expect(sent()).toEqual({ add_info: { what: 'audit', format: 'csv_utf8', ...filter } }));
  });

  it.each(['sales', 'viewer'] as const)(
    'is no entry of the settings for a %s, and its address says who sees it',
    async (role) => {
      await open('', role);
      expect(screen.getByText('操作履歴は、管理者だけが見られます')).toBeDefined();
      expect(screen.queryByRole('link', { name: '操作履歴' })).toBeNull();
      expect(screen.getByRole('link', { name: 'メンバーを見る' }).getAttribute('href')).toBe('/settings/members');
      expect(asked()).toEqual([]);
    },
  );
});
