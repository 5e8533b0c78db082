import type { Page } from 'playwright-core';
import { isWeekend } from '#domain/time/calendar.ts';
import { daysOf } from '#domain/time/report-period.ts';
import { intercept, letThrough } from './intercept.ts';
import { refuse, when } from './walk-steps.ts';

const VIEW = '/report/view';

const results = (sent: number, failed: number, unknown: number, replied: number, refused: number) => ({
  sent,
  failed,
  unknown,
  replied,
  refused,
});
const none = { ...results(0, 0, 0, 0, 0), complained: 0, dead: 0 };
const SPAN = { from: '2026-11-01', to: '2026-11-23', before_from: '2026-10-01', before_to: '2026-10-23' };
const EMPTY = {
  ...SPAN,
  total: none,
  judged: { ...none, is_enough: 0 },
  before: none,
  days: [],
  templates: [],
  hours: [],
  industries: [],
};

/** A month with mails on most days, three templates and all hours. */
const REPORT = {
  ...SPAN,
  total: { ...results(2310, 42, 3, 31, 6), complained: 1, dead: 30 },
  judged: { ...results(2010, 40, 2, 30, 6), complained: 1, dead: 30, is_enough: 1 },
  before: { ...results(2062, 30, 3, 35, 6), complained: 0, dead: 21 },
  days: [],
  templates: [
    { template_id: 1, name: '業務改善のご提案', ...results(1320, 21, 1, 24, 3) },
    { template_id: 2, name: 'セミナーのご案内（人手不足に備える業務の見直し）', ...results(790, 18, 2, 6, 3) },
    { template_id: null, name: null, ...results(200, 3, 0, 1, 0) },
  ],
  hours: [1, 2, 3, 4, 5].flatMap((weekday) =>
    Array.from({ length: 11 }, (_, n) => ({
      weekday,
      hour: 8 + n,
      ...results(20 + ((weekday * 13 + n * 7) % 40), n % 3, 0, (weekday * n) % 4, 0),
    })),
  ),
  industries: ['製造業', '卸売業', '情報通信・ソフトウェア', '建設業', '運輸業', '小売業', '医療・福祉', null].map(
    (name, n) => ({
      name,
      ...results(620 - n * 71, 12 - n, 0, 9 - n, n % 2),
    }),
  ),
};

/** Returns the mails of the working days of a period. */
const daysIn = (period: { readonly from: string; readonly to: string }) =>
  daysOf(period).flatMap((day, n) =>
    isWeekend(day)
      ? []
      : [{ day, ...results(60 + ((n * 37) % 90), n % 5, n % 11 === 0 ? 2 : 0, n % 3, n % 9 === 0 ? 1 : 0) }],
  );

const sumOf = (days: ReturnType<typeof daysIn>) =>
  days.reduce(
    (sum, day) =>
      results(
        sum.sent + day.sent,
        sum.failed + day.failed,
        sum.unknown + day.unknown,
        sum.replied + day.replied,
        sum.refused + day.refused,
      ),
    results(0, 0, 0, 0, 0),
  );

/** Answers with the month's report, on the days that the screen asks for. */
const answer = (page: Page, report: object) =>
  intercept(page, VIEW, (route) => {
    const query = new URL(route.url).searchParams;
    const period = { from: query.get('from') ?? '', to: query.get('to') ?? '' };
    const days = daysIn(period);
    return route.fulfill({ json: { ...report, ...period, days, total: { ...REPORT.total, ...sumOf(days) } } });
  });

/** Walks through the reports: a month with and without judged rates, a custom period, nothing sent, and not loaded. */
export async function* reports(page: Page, url: string): AsyncGenerator<string> {
  await answer(page, REPORT);
  await page.goto(`${url}/reports`);
  yield* when(page, '日ごとの送信', 'reports');
  for (const table of await page.getByRole('button', { name: '表', exact: true }).all()) await table.click();
  yield* when(page, '日ごとの送信', 'reports-tables');
  letThrough(page, VIEW);
  await answer(page, { ...REPORT, judged: EMPTY.judged });
  await page.reload();
  yield* when(page, '目安との比較は、', 'reports-first-days');
  await page.goto(`${url}/reports?period=custom&from=2026-11-20&to=2026-11-01`);
  yield* when(page, '終了日は、開始日以降の日にしてください', 'reports-wrong-period');
  letThrough(page, VIEW);
  await intercept(page, VIEW, (route) => route.fulfill({ json: EMPTY }));
  await page.goto(`${url}/reports?period=last_month`);
  yield* when(page, 'この期間の送信はありません', 'reports-empty');
  letThrough(page, VIEW);
  await intercept(page, VIEW, refuse);
  await page.reload();
  yield* when(page, '読み込めませんでした', 'reports-failed');
  letThrough(page, VIEW);
}
