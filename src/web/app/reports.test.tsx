import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { summaryOf } from '#web/features/reports/by-day.tsx';
import type { Report } from '#web/features/reports/report-query.ts';
import { reportCsv, sentenceOf } from '#web/features/reports/report-screen.tsx';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/reports.tsx';

const none = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0 };
const SPAN = { from: '2026-11-01', to: '2026-11-23', before_from: '2026-10-01', before_to: '2026-10-23' };
const totals = { complained: 0, dead: 0 };
const EMPTY: Report = {
  name: 'this_month',
  ...SPAN,
  total: { ...none, ...totals, replied_by_hand: 0 },
  judged: { ...none, ...totals, is_enough: 0 },
  before: { ...none, ...totals },
  days: [],
  templates: [],
  hours: [],
  industries: [],
};
const TOTAL = { sent: 1200, failed: 60, unknown: 0, replied: 24, refused: 1, complained: 2, dead: 40 };
const REPORT: Report = {
  ...EMPTY,
  total: { ...TOTAL, replied_by_hand: 3 },
  judged: { ...TOTAL, is_enough: 1 },
  before: { sent: 1000, failed: 60, unknown: 0, replied: 0, refused: 2, ...totals },
  days: [{ day: '2026-11-20', ...none, sent: 1200, failed: 60, replied: 24, refused: 1 }],
  templates: [{ template_id: 1, name: '=ご提案', ...none, sent: 1200, replied: 24 }],
  hours: [{ weekday: 5, hour: 9, ...none, sent: 1200, replied: 24 }],
  industries: [{ name: '製造, 卸売', ...none, sent: 1200 }],
};

async function open(path: string, report: Report) {
  const requests = fakeApi({
    'GET /report/view': () => ok(report),
    'GET /sender_group/list': () => ok([{ id: 7, group_name: '首都圏営業部' }]),
    'GET /mail_template/list': () => ok([]),
  });
  await renderApp(path);
  return () =>
    requests.filter(({ path: asked }) => asked === '/report/view').map(({ query }) => Object.fromEntries(query));
}

beforeEach(() => {
  logInAs();
  vi.setSystemTime(new Date('2026-11-23T12:00:00+09:00'));
  return () => vi.useRealTimers();
});

it('marks a change for the worse that is one of the rate too', async () => {
  const before = { ...REPORT.before, failed: 20, unknown: 5, replied: 60, refused: 10 };
  await open('/reports', { ...REPORT, total: { ...REPORT.total, refused: 11 }, before });
  const figures = within(await screen.findByLabelText('この期間の結果'));
  const stateOf = (text: RegExp) => figures.getAllByText(text).map(({ dataset }) => dataset.state);
  expect(stateOf(/前の期間より200.0%増/)).toEqual(['look']);
  expect(stateOf(/前の期間より60.0%減/)).toEqual(['look']);
  expect(stateOf(/前の期間より100.0%減/)).toEqual([undefined]);
  // Refused: more, of more that were sent.
  expect(stateOf(/前の期間より10.0%増/)).toEqual([undefined]);
});

it('shows each figure with its share, its change and whether it meets its target', async () => {
  await open('/reports', REPORT);
  const figures = within(await screen.findByLabelText('この期間の結果'));
  const text = (name: string) => figures.getByText(name).closest('div')?.textContent;
  expect(text('送信済み')).toBe('送信済み1,200前の期間より20.0%増');
  expect(text('届かなかった')).toBe('届かなかった604.8%前の期間と同じ要確認（目安 2%以内）');
  expect(text('返信')).toBe('返信242.0%手動 3前の期間 0通良好（目安 1%以上）');
  expect(text('配信停止')).toBe('配信停止10.1%前の期間より50.0%減良好（目安 0.5%以内）');
});

it.each([
  [
    { sent: 1200, replied: 24 },
    { sent: 600, replied: 6 },
    '11月は1,200通を送信し、24通の返信がありました（2.0%、前の期間は1.0%）。',
  ],
  [{ sent: 1200, replied: 24 }, { sent: 0, replied: 0 }, '11月は1,200通を送信し、24通の返信がありました（2.0%）。'],
  [{ sent: 3, replied: 0 }, { sent: 600, replied: 6 }, '11月は3通を送信し、返信はまだありません。'],
  [{ sent: 0, replied: 0, failed: 2 }, {}, '11月は2通を送信しましたが、1通も届きませんでした。'],
  [
    { sent: 0, replied: 0, unknown: 1, failed: 2 },
    {},
    '11月は3通を送信しましたが、届いたことを確認できたメールはありません（不明 1通）。',
  ],
])('%# begins with one sentence about the period', (total, before, words) => {
  const report = { total: { ...EMPTY.total, ...total }, before: { ...EMPTY.before, ...before } };
  expect(sentenceOf(report, '11月は')).toBe(words);
});

it('compares the rates with their targets only for mails at least three days old', async () => {
  const judged = { ...TOTAL, sent: 400, failed: 4, replied: 2, complained: 1, dead: 4, is_enough: 1 as const };
  await open('/reports', { ...REPORT, judged });
  const figures = within(await screen.findByLabelText('この期間の結果'));
  const text = (name: string) => figures.getByText(name).closest('div')?.textContent;
  // Each shows one rate: that of the judged mails where it meets the target and that of all mails does not, or so.
  expect(text('届かなかった')).toBe('届かなかった60前の期間と同じ良好 1.0%（目安 2%以内）');
  expect(text('返信')).toBe('返信24手動 3前の期間 0通要確認 0.5%（目安 1%以上）');
  expect(text('配信停止')).toBe('配信停止10.1%前の期間より50.0%減良好（目安 0.5%以内）');
  // Said once, not under each figure.
  expect(screen.getAllByText(/3日以上たったメール/)).toHaveLength(1);
  expect(screen.getByText('苦情率：0.3%（目安 0.1%以内）')).toBeDefined();
  expect(screen.getByText('宛先不明率：1.0%（目安 2%以内）')).toBeDefined();
});

it.each([
  ['of the last three days alone', { ...TOTAL, sent: 0, failed: 0 }, '目安との比較は、送信から3日後に表示します'],
  ['that are fewer than 20', TOTAL, '目安との比較は、送信が20通になると表示します'],
])('does not judge mails %s', async (_, judged, words) => {
  await open('/reports', { ...REPORT, judged: { ...judged, is_enough: 0 } });
  const figures = within(await screen.findByLabelText('この期間の結果'));
  expect(screen.getByText(words)).toBeDefined();
  expect(figures.queryByText(/要確認/)).toBeNull();
  expect(screen.getByText(`苦情率：${words}`)).toBeDefined();
});

it('describes each chart in words, and shows the same figures as a table', async () => {
  await open('/reports', REPORT);
  const chart = await screen.findByRole('img', { name: '日ごとの送信' });
  const description = document.getElementById(chart.getAttribute('aria-describedby') ?? '');
  expect(description?.textContent).toBe('11/20（金）に1,260通を送信しました。土日と祝日は灰色です。');
  const views = within(screen.getByRole('group', { name: '日ごとの送信の表示' }));
  await userEvent.click(views.getByRole('button', { name: '表' }));
  const table = within(screen.getByRole('region', { name: '日ごとの送信の表' }));
  const row = table.getByRole('rowheader', { name: '11/20（金）' }).closest('tr');
  expect(row?.textContent).toBe('11/20（金）1,200602410');
});

it('says in words on how many days mails went out, and when most did', () => {
  const days = [
    { day: '2026-11-24', ...none, sent: 20, failed: 1 },
    { day: '2026-11-25', ...none },
    { day: '2026-11-26', ...none, sent: 150, unknown: 1 },
    { day: '2026-11-29', ...none, sent: 59, failed: 1 },
  ];
  expect(summaryOf(days)).toBe('11/24〜11/29に3日、合わせて232通を送信しました。最も多いのは11/26（木）の151通です。');
  expect(summaryOf(days.slice(3))).toBe('11/29（日）に60通を送信しました。');
  expect(summaryOf(days.slice(1, 2))).toBe('');
});

it('shows no rates of fewer mails than are judged', async () => {
  const [template] = REPORT.templates;
  if (!template) return expect.unreachable();
  const few = { sent: 19, failed: 0, replied: 1 };
  const total = { ...EMPTY.total, ...few };
  await open('/reports', {
    ...REPORT,
    total,
    templates: [{ ...template, ...few }],
    industries: [],
    judged: EMPTY.judged,
  });
  const figures = within(await screen.findByLabelText('この期間の結果'));
  expect(figures.getByText('返信').closest('div')?.textContent).toContain('返信1');
  expect(figures.queryByText(/^[\d.]+%$/)).toBeNull();
  expect(screen.getByText('1件のテンプレートで送りました。')).toBeDefined();
  expect(screen.queryByText('返信率')).toBeNull();
  expect(screen.queryByRole('heading', { name: '時間帯と曜日' })).toBeNull();
});

it('a template of few mails has no rate beside one of many', async () => {
  const [template] = REPORT.templates;
  if (!template) return expect.unreachable();
  const few = { ...template, template_id: 2, sent: 19, replied: 19 };
  await open('/reports', { ...REPORT, templates: [template, few] });
  const chart = await screen.findByRole('img', { name: 'テンプレート別' });
  expect(chart.textContent).toBe('送信返信率停止率=ご提案1,2002.0%0.0%=ご提案19––');
  expect(screen.getByText(/送信が20通以上で返信率が最も高いのは「=ご提案」の2.0%です/)).toBeDefined();
});

it('marks weekends and holidays, and names holidays', async () => {
  await open('/reports', REPORT);
  const chart = await screen.findByRole('img', { name: '日ごとの送信' });
  const column = (day: string) => chart.querySelector(`[title^="${day}"]`);
  await waitFor(() => expect(column('11/3（火） 文化の日')?.getAttribute('data-off')).toBe('true'));
  expect(column('11/1（日）')?.getAttribute('data-off')).toBe('true');
  expect(column('11/20（金）')?.getAttribute('data-off')).toBeNull();
});

it('shows a long period by week', async () => {
  const days = ['2026-01-01', '2026-01-04', '2026-01-05'].map((day) => ({ day, ...none, sent: 10 }));
  await open('/reports?period=this_year', { ...REPORT, from: '2026-01-01', days });
  await screen.findByRole('img', { name: '週ごとの送信' });
  const views = within(screen.getByRole('group', { name: '週ごとの送信の表示' }));
  await userEvent.click(views.getByRole('button', { name: '表' }));
  const table = within(screen.getByRole('region', { name: '週ごとの送信の表' }));
  const [first, second] = table.getAllByRole('rowheader').map((header) => header.closest('tr')?.textContent);
  expect([first, second]).toStrictEqual(['2025/12/29（月）200000', '1/5（月）100000']);
});

it('names no best template or hour if nobody replied, or if the mails are too few', async () => {
  const [template, slot] = [REPORT.templates[0], REPORT.hours[0]];
  if (!template || !slot) return expect.unreachable();
  const few = { sent: 3, replied: 2 };
  await open('/reports', {
    ...REPORT,
    templates: [
      { ...template, replied: 0 },
      { ...template, ...few, template_id: 2 },
    ],
    hours: [
      { ...slot, replied: 0 },
      { ...slot, ...few, hour: 10 },
    ],
  });
  await screen.findByText('2件のテンプレートで送りました。');
  await screen.findByText('送信した時間帯ごとの返信率（%）です。');
});

it('requests the period and the filters of the address, and writes changes there', async () => {
  const asked = await open('/reports?period=last_month&group=7&template=3', REPORT);
  await screen.findByLabelText('この期間の結果');
  const [period, before] = [
    { from: '2026-10-01', to: '2026-10-31' },
    { before_from: '2026-09-01', before_to: '2026-09-30' },
  ];
  expect(asked()).toStrictEqual([{ ...period, ...before, sender_group_id: '7', template_id: '3' }]);
  await userEvent.selectOptions(screen.getByLabelText('期間'), '今月');
  await waitFor(() => expect(asked()).toHaveLength(2));
  expect(asked()[1]).toMatchObject({ ...SPAN, sender_group_id: '7' });
});

it('reports a custom period whose end is before its start, and keeps the typed days', async () => {
  await open('/reports?period=custom&from=2026-11-20&to=2026-11-01', REPORT);
  await screen.findByText('終了日は、開始日以降の日にしてください');
  expect(screen.queryByRole('button', { name: '書き出す' })).toBeNull();
  expect(screen.queryByText(/との比較$/)).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>('終了日').value).toBe('2026-11-01');
});

it('says when nothing was sent, and offers a longer period', async () => {
  const asked = await open('/reports', EMPTY);
  await userEvent.click(await screen.findByRole('button', { name: '期間を変更' }));
  await waitFor(() => expect(asked().at(-1)).toMatchObject({ from: '2026-01-01', to: '2026-11-23' }));
});

it('writes all figures into one CSV, in which no name can act as a formula', () => {
  expect(reportCsv(REPORT).split('\r\n')).toStrictEqual([
    '\ufeff区分,項目,送信済み,届かなかった,返信,配信停止,不明',
    '合計,2026-11-01〜2026-11-23,1200,60,24,1,0',
    '前の期間,2026-10-01〜2026-10-23,1000,60,0,2,0',
    '日ごとの送信,2026-11-20,1200,60,24,1,0',
    "テンプレート別,'=ご提案,1200,0,24,0,0",
    '時間帯と曜日,金曜9時台,1200,0,24,0,0',
    '業種別,"製造, 卸売",1200,0,0,0,0',
    '',
  ]);
});
