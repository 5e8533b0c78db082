import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import type { Notice } from '#web/features/notices/notice-query.ts';
import type { NoticeSettings } from '#web/features/notices/notice-settings-query.ts';
import { noteToldEnd, useToldEnds } from '#web/features/notices/told-ends-state.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { UNREAD_NOTICES } from '#web/lib/api/query-keys.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/notices.tsx';
import '#web/features/notices/notice-panel.tsx';
import '#web/features/notices/read-notices.ts';

const notice = (id: number, values: Partial<Notice> = {}): Notice => ({
  id,
  kind: 'reply',
  count: 1,
  percent: null,
  subjects: [{ id: 7, name: '株式会社みどり' }],
  first_at: '2026/11/23 09:00:00',
  last_at: '2026/11/23 09:05:00',
  is_read: 0,
  ...values,
});

const STORM = notice(5, { kind: 'refusal', count: 1000, subjects: [1, 2].map((id) => ({ id, name: `会社${id}` })) });
const ANSWERS = notice(6, { count: 2, subjects: [1, 2].map((id) => ({ id, name: `会社${id}` })) });
const FAILURES = notice(4, {
  kind: 'failures',
  percent: 10,
  subjects: [{ id: 55, name: '首都圏（120件）' }],
  is_read: 1,
});

const SETTINGS: NoticeSettings = {
  kinds: [
    { kind: 'reply', screen: 1, mail: 1 },
    { kind: 'run_ended', screen: 1, mail: 0 },
  ],
  failure_percent: 10,
  morning_summary: 1,
};

type Handlers = Record<string, (request: FakeRequest) => FakeAnswer>;

async function open(handlers: Handlers): Promise<FakeRequest[]> {
  const requests = fakeApi({ 'GET /notice_setting': () => ok(SETTINGS), ...handlers });
  await renderApp('/settings/notifications');
  return requests;
}
const bell = (name: string) => screen.findByRole('button', { name });
const asked = (requests: readonly FakeRequest[], method: string, path: string) =>
  requests.filter((request) => request.method === method && request.path === path);

beforeEach(() => {
  logInAs();
  useToldEnds.setState({ told: [] });
});

describe('the bell', () => {
  it('shows the number of unread notices, and updates from the stream', async () => {
    const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
    const stream = () =>
      new Response(new ReadableStream({ start: (opened) => void streams.push(opened) }), {
        headers: { 'content-type': 'text/event-stream' },
      });
    await open({ 'GET /notice/unread': () => ok({ unread: 2 }), 'GET /send_log/events': stream });
    await bell('通知（未読2件）');
    await waitFor(() => expect(streams).toHaveLength(1));
    await act(async () => streams[0]?.enqueue(new TextEncoder().encode('event: notices\ndata: {"unread":100}\n\n')));
    expect((await bell('通知（未読100件）')).textContent).toContain('99+');
  });

  it('opens the list by day: titles with counts and links, names, and which are unread', async () => {
    const days = [serverNow(), serverNow() - DAY_MS].map((at) => dayOf(at).replaceAll('-', '/'));
    const listed = [
      { ...STORM, last_at: `${days[0]} 09:05:00` },
      { ...FAILURES, last_at: `${days[1]} 23:59:59` },
      { ...ANSWERS, last_at: '2026/11/20 09:05:00' },
    ];
    await open({ 'GET /notice/list': () => ok(listed) });
    await userEvent.click(await bell('通知'));
    const rows = within(await screen.findByRole('dialog', { name: '通知' }));
    const [storm, failures, answers] = await rows.findAllByRole('listitem');
    expect(storm?.textContent).toBe('配信停止の希望がありました（1,000件）会社1、会社2、ほか998件09:05');
    const link = (within_: HTMLElement | undefined, name: string) =>
      within(within_ as HTMLElement)
        .getByRole('link', { name })
        .getAttribute('href');
    expect(link(storm, '配信停止の希望がありました（1,000件）')).toBe('/suppressions');
    expect(link(answers, '返信がありました（2件）')).toBe('/?status=replied');
    expect(within(storm as HTMLElement).getAllByRole('link')).toHaveLength(1);
    expect(rows.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['今日', '昨日', '11/20（金）']);
    expect(within(storm as HTMLElement).getByRole('img', { name: '未読' })).toBeDefined();
    expect(link(failures, '失敗が10%を超えました')).toBe('/sends/55');
    expect(within(failures as HTMLElement).queryByRole('img')).toBeNull();
  });

  it('marks a notice as read when it is opened, and on demand all up to the newest shown', async () => {
    let rows: readonly Notice[] = [notice(9), FAILURES];
    const requests = await open({
      'GET /notice/list': () => ok(rows),
      'GET /prospect/7': () => refused(404, 'なし', 'not_found'),
      'GET /prospect/7/timeline': () => refused(404, 'なし', 'not_found'),
      'PUT /notice/9': () => ok({ status: 'updated' }),
      'POST /notice/read': () => {
        rows = rows.map((row) => ({ ...row, is_read: 1 as const }));
        return ok({ status: 'updated' });
      },
    });
    await userEvent.click(await bell('通知'));
    const all = await screen.findByRole<HTMLButtonElement>('button', { name: 'すべて既読にする' });
    await waitFor(() => expect(all.disabled).toBe(false));
    await userEvent.click(all);
    await waitFor(() => expect(all.disabled).toBe(true));
    expect(asked(requests, 'POST', '/notice/read').map(({ body }) => body)).toStrictEqual([{ until_id: 9 }]);
    rows = [notice(9)];
    await userEvent.click(screen.getByRole('checkbox', { name: '未読のみ' }));
    await userEvent.click(await screen.findByRole('link', { name: '返信がありました' }));
    await waitFor(() => expect(asked(requests, 'PUT', '/notice/9')).toHaveLength(1));
    expect(screen.queryByRole('dialog', { name: '通知' })).toBeNull();
  });

  it('says that there are none, or that the list could not be loaded', async () => {
    let answer: FakeAnswer = ok([]);
    await open({ 'GET /notice/list': () => answer });
    await userEvent.click(await bell('通知'));
    await screen.findByText('通知はありません');
    answer = refused(409, '読めません');
    await userEvent.click(screen.getByRole('checkbox', { name: '未読のみ' }));
    await screen.findByText('読めません。');
  });
});

describe('the settings', () => {
  it('say that no mails come, as for whoever was invited, until one is turned on', async () => {
    const silent = {
      ...SETTINGS,
      kinds: SETTINGS.kinds.map((row) => ({ ...row, mail: 0 as const })),
      morning_summary: 0,
    };
    let settings = silent;
    await open({
      'GET /notice_setting': () => ok(settings),
      'PUT /notice_setting': () => {
        settings = { ...silent, morning_summary: 1 };
        return ok({ status: 'updated' });
      },
    });
    await screen.findByText('お知らせのメールはオフになっています。必要なものをオンにしてください。');
    await userEvent.click(screen.getByRole('switch', { name: '毎朝8時のまとめ' }));
    await waitFor(() => expect(screen.queryByText(/^お知らせのメールはオフ/)).toBeNull());
  });

  it('save each choice at once', async () => {
    let stored = SETTINGS;
    const requests = await open({
      'GET /notice_setting': () => ok(stored),
      'PUT /notice_setting': () => {
        stored = { ...SETTINGS, kinds: SETTINGS.kinds.map((row) => ({ ...row, mail: 0 as const })) };
        return ok({ status: 'updated' });
      },
    });
    const mail = await screen.findByRole<HTMLInputElement>('switch', { name: '返信（メール）' });
    expect(mail.checked).toBe(true);
    await userEvent.click(mail);
    await waitFor(() => expect(mail.checked).toBe(false));
    const marks = () =>
      screen
        .getAllByRole('status')
        .flatMap(({ textContent, parentElement }) => (textContent === '保存済み' ? parentElement?.textContent : []));
    await waitFor(() => expect(marks()).toEqual(['返信保存済み']));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: '失敗を知らせる割合' }), '20');
    await waitFor(() => expect(marks()).toEqual([expect.stringMatching(/^失敗を知らせる割合\s*保存済み$/)]));
    await userEvent.click(screen.getByRole('switch', { name: '毎朝8時のまとめ' }));
    await waitFor(() => expect(asked(requests, 'PUT', '/notice_setting')).toHaveLength(3));
    expect(asked(requests, 'PUT', '/notice_setting').map(({ body }) => body)).toStrictEqual([
      { update_info: { kinds: [{ kind: 'reply', mail: 0 }] } },
      { update_info: { failure_percent: 20 } },
      { update_info: { morning_summary: 0 } },
    ]);
  });

  it('show the old choice again if the save fails', async () => {
    await open({ 'PUT /notice_setting': () => refused(409, '保存できません') });
    const summary = await screen.findByRole<HTMLInputElement>('switch', { name: '毎朝8時のまとめ' });
    await userEvent.click(summary);
    expect(await toastText('alert')).toContain('保存できません');
    await waitFor(() => expect(summary.checked).toBe(true));
    expect(screen.queryByText('保存済み')).toBeNull();
  });
});

describe('the end that a toast of this tab has told', () => {
  const ended = (id: number, values: Partial<Notice> = {}) =>
    notice(id, { kind: 'run_ended', subjects: [{ id: 55, name: 'ご提案 7通送信' }], ...values });

  /** Serves the unread notices, and those that are read then. */
  async function tell(...unread: Notice[]) {
    const read: string[] = [];
    const requests = await open({
      'GET /notice/unread': () => ok({ unread: unread.length - read.length }),
      'GET /notice/list': () => ok(unread.filter(({ id }) => !read.includes(`${id}`))),
      ...Object.fromEntries(
        unread.map(({ id }) => [
          `PUT /notice/${id}`,
          () => {
            read.push(`${id}`);
            return ok({ status: 'updated' });
          },
        ]),
      ),
    });
    await bell(unread.length === 0 ? '通知' : `通知（未読${unread.length}件）`);
    return { requests, read };
  }

  it('is read in the bell, without a press', async () => {
    const { read } = await tell(ended(8), ANSWERS);
    act(() => noteToldEnd(55));
    await bell('通知（未読1件）');
    expect(read).toEqual(['8']);
    expect(useToldEnds.getState().told).toEqual([]);
  });

  it.each([
    ['of further runs too', ended(8, { count: 2, subjects: [{ id: 55, name: '' }] })],
    ['of another run', ended(8, { subjects: [{ id: 54, name: '' }] })],
    ['of its failures', ended(8, { kind: 'failures' })],
  ])('stays unread where the notice tells %s', async (_what, told) => {
    const { requests, read } = await tell(told);
    act(() => noteToldEnd(55));
    await waitFor(() => expect(asked(requests, 'GET', '/notice/list')).toHaveLength(1));
    await bell('通知（未読1件）');
    expect(read).toEqual([]);
  });

  it('is read when its notice comes after the toast', async () => {
    let isThere = false;
    const requests = await open({
      'GET /notice/unread': () => ok({ unread: isThere ? 1 : 0 }),
      'GET /notice/list': () => ok([ended(8)]),
      'PUT /notice/8': () => {
        isThere = false;
        return ok({ status: 'updated' });
      },
    });
    await bell('通知');
    act(() => noteToldEnd(55));
    isThere = true;
    await act(() => queryClient.invalidateQueries({ queryKey: [UNREAD_NOTICES] }));
    await waitFor(() => expect(asked(requests, 'PUT', '/notice/8')).toHaveLength(1));
    await bell('通知');
  });
});
