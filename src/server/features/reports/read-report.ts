import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { ReportFigures, ReportResults, viewReport } from '#contract/sending/reports.ts';
import {
  JUDGED_AFTER_DAYS,
  lengthOf,
  MAX_REPORT_DAYS,
  MIN_JUDGED_MAILS,
  type Period,
  periodBefore,
} from '#domain/time/report-period.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem } from '../../platform/problem.ts';
import { countRepliedByHand, dayOfNumber, readSums, type SumKind } from './report.queries.ts';

type Query = z.output<(typeof viewReport)['query']>;
type Answer = CallAnswer<typeof viewReport>;

/** Reads a report from the sums and the changes not yet folded into them. @param now epoch milliseconds */
export async function readReport(account: AccountDb, query: Query, now: number): Promise<Answer | Problem> {
  const periods = periodsOf(query);
  if (!periods) return invalidPeriod();
  const { period, before } = periods;
  const scope = { accountId: account.id, query, period, before, lastJudged: lastJudgedHour(now) };
  const { rows, replied_by_hand } = await account.snapshot(async (tx) => ({
    rows: await readSums(tx, scope),
    replied_by_hand: await countRepliedByHand(tx, scope),
  }));
  const ofKind = (kind: SumKind) => rows.filter((row) => row.kind === kind);
  const shown = (kind: SumKind) => ofKind(kind).filter(hasResults);
  return {
    ...period,
    before_from: before.from,
    before_to: before.to,
    total: { ...figuresOf(onlyRow(ofKind('total'))), replied_by_hand },
    judged: judgedOf(ofKind('judged')[0]),
    before: figuresOf(onlyRow(ofKind('before'))),
    days: shown('day')
      .map((row) => ({ day: dayOfNumber(row.day ?? 0), ...resultsOf(row) }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
    templates: shown('template')
      .map((row) => ({ template_id: row.templateId, name: row.name, ...resultsOf(row) }))
      .sort((one, other) => other.sent - one.sent || (one.template_id ?? 0) - (other.template_id ?? 0)),
    hours: shown('hour')
      .map((row) => ({ weekday: row.weekday ?? 0, hour: row.hour ?? 0, ...resultsOf(row) }))
      .sort((one, other) => one.weekday - other.weekday || one.hour - other.hour),
    industries: shown('industry')
      .sort((one, other) => other.sent - one.sent || (one.industryId ?? Infinity) - (other.industryId ?? Infinity))
      .map((row) => ({ name: row.name, ...resultsOf(row) })),
  };
}

/** The sums number hours from 1970-01-01 in Tokyo. */
const TOKYO_HOURS = 9;

/** The last hour whose mails are all old enough. */
const lastJudgedHour = (now: number): number => Math.floor(now / HOUR_MS) + TOKYO_HOURS - JUDGED_AFTER_DAYS * 24 - 1;

/** @param row undefined: no mail is old enough */
function judgedOf(row: ReportFigures | undefined): Answer['judged'] {
  const figures = figuresOf(row ?? NOTHING);
  const { sent, failed, unknown } = figures;
  return { ...figures, is_enough: asFlag(sent + failed + unknown >= MIN_JUDGED_MAILS) };
}

const NOTHING: ReportFigures = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0, complained: 0, dead: 0 };

function periodsOf({ from, to, before_from, before_to }: Query): { period: Period; before: Period } | null {
  const period = { from, to };
  if (!isAllowed(period)) return null;
  if (before_from === undefined && before_to === undefined) return { period, before: periodBefore(period) };
  if (before_from === undefined || before_to === undefined || before_to >= from) return null;
  const before = { from: before_from, to: before_to };
  return isAllowed(before) ? { period, before } : null;
}

const isAllowed = (period: Period): boolean => lengthOf(period) > 0 && lengthOf(period) <= MAX_REPORT_DAYS;

const invalidPeriod = () =>
  new Problem(
    'invalid_period',
    `期間を確認してください。${MAX_REPORT_DAYS}日までで、比べる期間はその前に終わるものです。`,
  );

/** A mail that was sent again may leave a sum of zero. */
const hasResults = ({ sent, failed, unknown }: ReportResults): boolean => sent + failed + unknown > 0;

const resultsOf = ({ sent, failed, unknown, replied, refused }: ReportResults) => ({
  sent,
  failed,
  unknown,
  replied,
  refused,
});
const figuresOf = (row: ReportFigures): ReportFigures => ({
  ...resultsOf(row),
  complained: row.complained,
  dead: row.dead,
});
