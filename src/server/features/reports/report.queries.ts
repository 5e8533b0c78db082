import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { REPORTED_INDUSTRIES, type ReportFigures, type ReportResults, type viewReport } from '#contract/report.ts';
import { lengthOf, MAX_REPORT_DAYS, type Period, periodBefore } from '#domain/report-period.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { onlyRow } from '../../platform/only-row.ts';
import { Refusal } from '../../platform/refusal.ts';

type Query = z.output<(typeof viewReport)['query']>;
type Answer = CallAnswer<typeof viewReport>;

/** Reads a report from the sums and from what they do not contain yet, in one snapshot. */
export async function readReport(account: AccountDb, query: Query): Promise<Answer | Refusal> {
  const periods = periodsOf(query);
  if (!periods) return invalidPeriod();
  const { period, before } = periods;
  return account.snapshot(async (tx) => {
    const scope = { accountId: account.id, query };
    return {
      ...period,
      before_from: before.from,
      before_to: before.to,
      before: await readTotal(tx, { ...scope, period: before }),
      ...(await readGroups(tx, { ...scope, period })),
      industries: await readIndustries(tx, { ...scope, period }),
    };
  });
}

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
  new Refusal(
    400,
    'invalid_period',
    `期間を確認してください。${MAX_REPORT_DAYS}日までで、比べる期間はその前に終わるものです。`,
  );

interface Scope {
  readonly accountId: number;
  readonly query: Pick<Query, 'sender_group_id' | 'template_id'>;
  readonly period: Period;
}

/** The number of a day in the sums: days in Tokyo since 1970-01-01. */
const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayOfNumber = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);

const hoursOf = ({ from, to }: Period) => ({ first: numberOf(from) * 24, last: numberOf(to) * 24 + 23 });

/** The condition of the filters on a table with `sender_group_id` and `template_id`. */
const isChosen = ({ sender_group_id, template_id }: Scope['query'], table: string): RawBuilder<boolean> => sql<boolean>`
  ${sender_group_id === undefined ? sql`true` : sql`${sql.ref(`${table}.sender_group_id`)} = ${sender_group_id}`}
  AND ${template_id === undefined ? sql`true` : sql`${sql.ref(`${table}.template_id`)} = ${template_id}`}`;

/** What the sums do not contain yet, of the period. */
const unfolded = ({ accountId, query, period }: Scope) => {
  const { first, last } = hoursOf(period);
  return sql`report_change AS change
    JOIN send_log AS run ON run.account_id = ${accountId} AND run.id = change.send_log_id
    WHERE change.account_id = ${accountId} AND change.hour BETWEEN ${first} AND ${last} AND ${isChosen(query, 'run')}`;
};

const FIGURES = sql`sent, failed, unknown, replied, refused, complained, dead`;
const RESULTS = sql`sent, failed, unknown, replied, refused`;

/** Rows of an hour, a group and a template each, some of them negative. */
const hourRows = (scope: Scope) => {
  const { first, last } = hoursOf(scope.period);
  return sql`(
    SELECT hour, template_id, ${FIGURES} FROM report_hour
    WHERE account_id = ${scope.accountId} AND hour BETWEEN ${first} AND ${last}
      AND ${isChosen(scope.query, 'report_hour')}
    UNION ALL SELECT change.hour, run.template_id, ${FIGURES} FROM ${unfolded(scope)}
  ) AS part`;
};

const sumOf = (name: string) => sql`coalesce(sum(${sql.ref(name)}), 0)::bigint AS ${sql.ref(name)}`;
const SUMMED_RESULTS = sql.join(['sent', 'failed', 'unknown', 'replied', 'refused'].map(sumOf));
const SUMMED = sql`${SUMMED_RESULTS}, ${sql.join(['complained', 'dead'].map(sumOf))}`;

/** Reads the figures of a period from the sums and from what they do not contain yet. */
export async function readTotal(tx: Tx, scope: Scope): Promise<ReportFigures> {
  const { rows } = await sql<ReportFigures>`SELECT ${SUMMED} FROM ${hourRows(scope)}`.execute(tx);
  return onlyRow(rows);
}

interface GroupRow extends ReportFigures {
  /** Which columns the row is a sum over, as GROUPING gives it. */
  readonly kind: number;
  readonly day: number | null;
  readonly templateId: number | null;
  readonly name: string | null;
  readonly weekday: number | null;
  readonly hour: number | null;
}

/** GROUPING of the columns day, template_id, weekday, clock: a bit is 0 where the row is of one value. */
const KINDS = { total: 0b1111, day: 0b0111, template: 0b1011, hour: 0b1100 };

/** Reads the sums of the period by day, template and hour in one pass. Day 0, 1970-01-01, was a Thursday. */
async function readGroups(tx: Tx, scope: Scope): Promise<Pick<Answer, 'total' | 'days' | 'templates' | 'hours'>> {
  const { rows } = await sql<GroupRow>`
    SELECT summed.*, template.name FROM (
      SELECT GROUPING(day, template_id, weekday, clock) AS kind, day, template_id AS "templateId", weekday,
        clock AS hour, ${SUMMED}
      FROM (
        SELECT hour / 24 AS day, template_id, (hour / 24 + 4) % 7 AS weekday, hour % 24 AS clock, ${FIGURES}
        FROM ${hourRows(scope)}
      ) AS hourly
      GROUP BY GROUPING SETS ((), (day), (template_id), (weekday, clock))
    ) AS summed
    LEFT JOIN mail_template AS template
      ON template.account_id = ${scope.accountId} AND template.id = summed."templateId"`.execute(tx);
  const ofKind = (kind: number) => rows.filter((row) => row.kind === kind);
  const total = onlyRow(ofKind(KINDS.total));
  return {
    total: { ...resultsOf(total), complained: total.complained, dead: total.dead },
    days: ofKind(KINDS.day)
      .filter(hasResults)
      .map((row) => ({ day: dayOfNumber(row.day ?? 0), ...resultsOf(row) }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
    templates: ofKind(KINDS.template)
      .filter(hasResults)
      .map((row) => ({ template_id: row.templateId, name: row.name, ...resultsOf(row) }))
      .sort((one, other) => other.sent - one.sent || (one.template_id ?? 0) - (other.template_id ?? 0)),
    hours: ofKind(KINDS.hour)
      .filter(hasResults)
      .map((row) => ({ weekday: row.weekday ?? 0, hour: row.hour ?? 0, ...resultsOf(row) }))
      .sort((one, other) => one.weekday - other.weekday || one.hour - other.hour),
  };
}

/** A mail that was sent again may have left a sum of nothing. */
const hasResults = ({ sent, failed, unknown }: ReportResults): boolean => sent + failed + unknown > 0;

const resultsOf = ({ sent, failed, unknown, replied, refused }: ReportResults) => ({
  sent,
  failed,
  unknown,
  replied,
  refused,
});

async function readIndustries(tx: Tx, scope: Scope): Promise<Answer['industries']> {
  const { from, to } = scope.period;
  const { rows } = await sql<Answer['industries'][number]>`
    SELECT coalesce(industry.name, industry.name_search) AS name, ${RESULTS} FROM (
      SELECT industry_id, ${SUMMED_RESULTS} FROM (
        SELECT industry_id, ${RESULTS} FROM report_industry
        WHERE account_id = ${scope.accountId} AND day BETWEEN ${numberOf(from)} AND ${numberOf(to)}
          AND ${isChosen(scope.query, 'report_industry')}
        UNION ALL SELECT change.industry_id, ${RESULTS} FROM ${unfolded(scope)}
      ) AS part
      GROUP BY industry_id HAVING sum(sent) + sum(failed) + sum(unknown) > 0
      ORDER BY sum(sent) DESC, industry_id LIMIT ${REPORTED_INDUSTRIES}
    ) AS top
    LEFT JOIN industry ON industry.account_id = ${scope.accountId} AND industry.id = top.industry_id
    ORDER BY sent DESC, top.industry_id`.execute(tx);
  return rows;
}
