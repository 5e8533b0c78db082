import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, theirChanges, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/sending.tsx';

const DAY = {
  id: 3,
  sender_group_id: null,
  first_day: '2030-12-01',
  last_day: '2030-12-01',
  name: '創立記念日',
  working: 0,
  yearly: 1,
  active: 1,
  version: 2,
};

let rows: (typeof DAY)[];

/** Serves closing days that only the test changes. */
function serve(answers: Record<string, FakeAnswer> = {}) {
  return fakeApi({
    'GET /closing_day/list': () => ok(rows),
    'PUT /closing_day/3': () => answers.put ?? ok({ status: 'updated', version: 3, ...NOT_AFFECTED }),
    'POST /closing_day': () => answers.post ?? ok({ status: 'added', id: 4, ...NOT_AFFECTED }),
    'POST /closing_day/preset': () => answers.preset ?? ok({ status: 'added', added: 1, skipped: 0, ...NOT_AFFECTED }),
    'POST /closing_day/import': () => answers.import ?? ok({ status: 'added', added: 1, skipped: 0, ...NOT_AFFECTED }),
  });
}
const NOT_AFFECTED = { affected: [], affected_count: 0, unchecked: 0 };
const sent = (requests: ReturnType<typeof serve>) =>
  requests.flatMap(({ method, body }) => (method === 'GET' ? [] : [body]));
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const dialog = async () => within(await screen.findByRole('dialog'));
const details = (...found: { path: string; message: string }[]): FakeAnswer => ({
  status: 400,
  body: { code: 'invalid_input', message: '入力内容に誤りがあります。', details: found },
});

beforeEach(() => {
  logInAs();
  rows = [DAY];
});

it('a closing day is removed at once, and one press restores it', async () => {
  const requests = serve();
  await renderApp('/settings/sending');
  const list = await screen.findByRole('list', { name: '会社の休業日' });
  expect(list.textContent).toContain('2030/12/1（日）創立記念日 毎年くり返す');
  await press('創立記念日を削除');
  await press('元に戻す');
  await waitFor(() =>
    expect(sent(requests)).toEqual([
      { version: 2, update_info: { active: 0 } },
      { version: 3, update_info: { active: 1 } },
    ]),
  );
});

it('a new closing day needs a first day and a name; server errors are shown at their fields, and the typed text stays', async () => {
  const told = '最後の日は、最初の日以後で、最初の日から92日以内にしてください';
  const requests = serve({ post: details({ path: 'add_info.last_day', message: `${told}。` }) });
  await renderApp('/settings/sending');
  await screen.findByText('創立記念日');
  await press('休業日を追加');
  const form = await dialog();
  await userEvent.click(form.getByRole('button', { name: '追加' }));
  expect(form.getByText('最初の日を選んでください')).toBeDefined();
  expect(form.getByText('名称が入力されていません')).toBeDefined();
  await userEvent.type(form.getByLabelText('最初の日（必須）'), '2030-08-13');
  await userEvent.type(form.getByLabelText('最後の日'), '2030-08-12');
  await userEvent.type(form.getByLabelText('名称（必須）'), '夏休み');
  await userEvent.click(form.getByRole('button', { name: '追加' }));
  expect(await form.findByText(told)).toBeDefined();
  expect(form.getByLabelText<HTMLInputElement>('名称（必須）').value).toBe('夏休み');
  const first_day = '2030-08-13';
  expect(sent(requests)).toEqual([
    { add_info: { first_day, last_day: '2030-08-12', name: '夏休み', yearly: 0, working: 0, sender_group_id: null } },
  ]);
});

it('a save of a closing day that somebody else has changed shows the conflict', async () => {
  const told = '佐藤 花子さんが11/27（金）10:02に休業日を変更しました。内容を確かめてから、保存してください';
  serve({ put: refused(409, `${told}。`, 'closing_day_changed') });
  await renderApp('/settings/sending');
  await screen.findByText('創立記念日');
  await press('創立記念日を編集');
  const form = await dialog();
  await userEvent.type(form.getByLabelText('名称（必須）'), '（本社）');
  rows = [{ ...DAY, name: '創業の日', version: 3 }];
  await userEvent.click(form.getByRole('button', { name: '保存' }));
  const notice = within(await theirChanges());
  expect(notice.getByText(told)).toBeDefined();
  expect(await notice.findByText('創業の日')).toBeDefined();
  expect(form.getByLabelText<HTMLInputElement>('名称（必須）').value).toBe('創立記念日（本社）');
});

it('a save of a closing day that somebody else has deleted says so, and leaves no draft', async () => {
  serve({ put: refused(409, '佐藤 花子さんが休業日を削除しました。', 'closing_day_changed') });
  await renderApp('/settings/sending');
  await screen.findByText('創立記念日');
  await press('創立記念日を編集');
  const form = await dialog();
  await userEvent.type(form.getByLabelText('名称（必須）'), '（本社）');
  rows = [];
  await userEvent.click(form.getByRole('button', { name: '保存' }));
  expect(await toastText('alert')).toBe('「創立記念日」は削除されています');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(useSession.getState().drafts).toEqual({});
});

it('a CSV with an invalid row shows its line number, and nothing is added', async () => {
  const requests = serve({ import: details({ path: 'rows.1.name', message: '名称が長すぎます。' }) });
  await renderApp('/settings/sending');
  await screen.findByText('創立記念日');
  await press('CSVを取り込む');
  const form = await dialog();
  const file = new File(['日付,名称\r\n2030/12/1,創立記念日\r\n2030/2/28,棚卸し\r\n'], '休業日.csv');
  await userEvent.upload(form.getByLabelText('ファイル'), file);
  expect(await form.findByText('2日を追加します')).toBeDefined();
  await userEvent.click(form.getByRole('button', { name: '2日を追加' }));
  expect(await form.findByText('3行目：名称が長すぎます')).toBeDefined();
  expect(sent(requests)).toEqual([
    {
      rows: [
        { day: '2030/12/1', name: '創立記念日' },
        { day: '2030/2/28', name: '棚卸し' },
      ],
      sender_group_id: null,
    },
  ]);
});

it('a file with unreadable lines shows their numbers, and nothing can be added', async () => {
  const requests = serve();
  await renderApp('/settings/sending');
  await screen.findByText('創立記念日');
  await press('CSVを取り込む');
  const form = await dialog();
  const add = form.getByRole<HTMLButtonElement>('button', { name: '追加' });
  expect(form.getByText('ファイルを選ぶと、追加できます。')).toBeDefined();
  expect(add.disabled).toBe(true);
  const choose = (text: string) => userEvent.upload(form.getByLabelText('ファイル'), new File([text], '休業日.csv'));
  await choose('日付,名称\n2030/2/30,棚卸し\n2030/3/1,\n');
  expect(await form.findByText(/^2行を読めません/)).toBeDefined();
  const lines = within(form.getByRole('list', { name: '誤りのある行' })).getAllByRole('listitem');
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    '2行目：「2030/2/30」は日付ではありません',
    '3行目：名称がありません',
  ]);
  expect(add.disabled).toBe(true);
  await choose('2030/3/1,棚卸し\n');
  expect(await form.findByText('1日を追加します')).toBeDefined();
  await userEvent.click(add);
  // The toast names the day that was pressed.
  expect(await screen.findByText('休業日1日を追加しました')).toBeDefined();
  expect(sent(requests)).toEqual([{ rows: [{ day: '2030/3/1', name: '棚卸し' }], sender_group_id: null }]);
});

describe('the reservations that a change of closing days affects', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      reservation_id: 7 + n,
      send_at: `2030/08/13 0${n}:00:00`,
      reason: '棚卸し',
    }));
  const change = (count: number) => ({ affected: named(count), affected_count: count, unchecked: 0 });
  const title = (count: number) => screen.findByText(`予約${count}件が送信ルールの時間外です`);
  const links = (list: string) =>
    within(screen.getByRole('list', { name: list }))
      .getAllByRole<HTMLAnchorElement>('link')
      .map(({ href }) => new URL(href).pathname);

  it('of a new day are named, and each can be moved', async () => {
    serve({ post: ok({ status: 'added', id: 4, ...change(5) }) });
    await renderApp('/settings/sending');
    await screen.findByText('創立記念日');
    await press('休業日を追加');
    const form = await dialog();
    await userEvent.type(form.getByLabelText('最初の日（必須）'), '2030-08-13');
    await userEvent.type(form.getByLabelText('名称（必須）'), '棚卸し');
    await userEvent.click(form.getByRole('button', { name: '追加' }));
    expect(await title(5)).toBeDefined();
    expect(links('時間外の予約')).toEqual([7, 8, 9].map((id) => `/reservations/${id}`));
    await userEvent.click(screen.getByText('ほか2件を表示'));
    expect(links('ほかの時間外の予約')).toEqual([10, 11].map((id) => `/reservations/${id}`));
    expect(screen.getByRole('link', { name: '2030/8/13（火）1:00の予約の日時を変える' })).toBeDefined();
  });

  it('of a preset, a CSV, a changed and a removed day are named; the next change shows its own', async () => {
    serve({
      preset: ok({ status: 'added', added: 1, skipped: 0, ...change(1) }),
      import: ok({ status: 'added', added: 1, skipped: 0, ...change(2) }),
      put: ok({ status: 'updated', version: 3, ...change(3) }),
    });
    await renderApp('/settings/sending');
    await screen.findByText('創立記念日');
    await press('お盆を追加');
    expect(await title(1)).toBeDefined();
    await press('CSVを取り込む');
    const csv = await dialog();
    await userEvent.upload(csv.getByLabelText('ファイル'), new File(['2030/8/13,棚卸し\r\n'], '休業日.csv'));
    await userEvent.click(await csv.findByRole('button', { name: '1日を追加' }));
    expect(await title(2)).toBeDefined();
    expect(screen.queryByText('予約1件が送信ルールの時間外です')).toBeNull();
    await press('創立記念日を編集');
    const form = await dialog();
    await userEvent.type(form.getByLabelText('最後の日'), '2030-12-03');
    await userEvent.click(form.getByRole('button', { name: '保存' }));
    expect(await title(3)).toBeDefined();
    await press('お盆を追加');
    expect(await title(1)).toBeDefined();
    await press('創立記念日を削除');
    expect(await title(3)).toBeDefined();
  });

  it('are only counted if none of the checked ones is affected', async () => {
    serve({ preset: ok({ status: 'added', added: 1, skipped: 0, affected: [], affected_count: 0, unchecked: 40 }) });
    await renderApp('/settings/sending');
    await screen.findByText('創立記念日');
    await press('お盆を追加');
    expect(await screen.findByText('予約40件が送信ルールの時間外かどうかを確認できていません')).toBeDefined();
    expect(screen.queryByText(/^ほか40件/)).toBeNull();
  });

  it('are not shown if a server of version 1.0.0 answers', async () => {
    serve({ preset: ok({ status: 'added', added: 1, skipped: 0 }) });
    await renderApp('/settings/sending');
    await screen.findByText('創立記念日');
    await press('お盆を追加');
    expect(await screen.findByText(/「お盆」を追加しました/)).toBeDefined();
    expect(screen.queryByText(/送信ルールの時間外です/)).toBeNull();
  });
});

describe('the three months', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-27T12:00:00+09:00') });
    rows = [
      { ...DAY, first_day: '2026-12-01', last_day: '2026-12-01' },
      { ...DAY, id: 5, first_day: '2026-12-29', last_day: '2027-01-03', name: '年末年始', yearly: 0 },
      { ...DAY, id: 6, first_day: '2027-01-11', last_day: '2027-01-11', name: '初売り', yearly: 0, working: 1 },
    ];
  });
  const month = (name: string) => screen.findByRole('region', { name });
  const day = (name: string) => screen.getByRole('button', { name });

  it('show holidays, closing days and working days, also as text', async () => {
    serve();
    await renderApp('/settings/sending');
    const [november, december, january] = await Promise.all(['2026年11月', '2026年12月', '2027年1月'].map(month));
    const named = (region: HTMLElement | undefined) =>
      within(region as HTMLElement)
        .queryAllByRole('listitem')
        .map(({ textContent }) => textContent);
    await waitFor(() => expect(named(november)).toEqual(['3日文化の日', '23日勤労感謝の日']));
    expect(named(december)).toEqual(['1日創立記念日', '29〜31日年末年始']);
    expect(named(january)).toEqual(['1〜3日年末年始', '11日初売り（送信する日）']);
    const lookOf = (name: string) => [
      day(name).querySelector('[aria-hidden]')?.textContent,
      day(name).closest('td')?.dataset.closed,
    ];
    expect(lookOf('12月1日（火） 創立記念日')).toEqual(['1休', 'true']);
    expect(lookOf('1月11日（月） 初売り')).toEqual(['11出', undefined]);
    // The group sends on holidays.
    expect(lookOf('11月23日（月） 勤労感謝の日')).toEqual(['23祝', undefined]);
  });

  it('a press on a day adds one that begins on it, and one on a closing day edits it', async () => {
    serve();
    await renderApp('/settings/sending');
    await month('2026年12月');
    await press('12月10日（木）');
    const form = await dialog();
    expect(form.getByLabelText<HTMLInputElement>('最初の日（必須）').value).toBe('2026-12-10');
    await userEvent.click(form.getByRole('button', { name: 'キャンセル' }));
    await press('12月30日（水） 年末年始');
    expect((await dialog()).getByLabelText<HTMLInputElement>('最後の日').value).toBe('2027-01-03');
  });

  it('are one Tab stop; arrow keys move from month to month, and load the next ones', async () => {
    serve();
    await renderApp('/settings/sending');
    await month('2026年12月');
    act(() => day('11月27日（金）').focus());
    const focused = () => document.activeElement?.firstChild?.textContent;
    await userEvent.keyboard('{ArrowDown}');
    expect(focused()).toBe('12月4日（金）');
    await userEvent.keyboard('{PageDown}{PageDown}');
    await waitFor(() => expect(focused()).toBe('2月4日（木）'));
    // An equinox of the next year is certain.
    await userEvent.keyboard('{PageDown}');
    expect(await screen.findByRole('button', { name: '3月21日（日） 春分の日' })).toBeDefined();
    expect(screen.getAllByRole('gridcell').filter((cell) => cell.querySelector('[tabindex="0"]'))).toHaveLength(1);
  });
});
