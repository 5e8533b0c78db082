import { sql } from 'kysely';
import type { z } from 'zod';
import { REPORTED_INDUSTRIES, type ReportFigures, type viewReport } from '#contract/sending/reports.ts';
import type { Period } from '#domain/time/report-period.ts';
import { instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { isRepliedByHand } from '../replies/by-hand.queries.ts';
import { isCounted } from './report-sums.ts';

type Query = z.output<(typeof viewReport)['query']>;

interface Chosen {
  readonly accountId: number;
  readonly query: Pick<Query, 'sender_group_id' | 'template_id'>;
}
interface Scope extends Chosen {
  readonly period: Period;
  readonly before: Period;
  /** The last hour whose mails are old enough to be judged, numbered as in the sums. */
  readonly lastJudged: number;
}

/** The number of a day in the sums: days in Tokyo since 1970-01-01. */
const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
/** The day of such a number as YYYY-MM-DD. */
export const dayOfNumber = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);

const hoursOf = ({ from, to }: Period) => ({ first: numberOf(from) * 24, last: numberOf(to) * 24 + 23 });

/** The condition of the filters on a table with `sender_group_id` and `template_id`. */
const isChosen = ({ sender_group_id, template_id }: Chosen['query'], table: string) => sql<boolean>`
  ${sender_group_id === undefined ? sql`true` : sql`${sql.ref(`${table}.sender_group_id`)} = ${sender_group_id}`}
  AND ${template_id === undefined ? sql`true` : sql`${sql.ref(`${table}.template_id`)} = ${template_id}`}`;

const RESULTS = ['sent', 'failed', 'unknown', 'replied', 'refused'];
const FIGURES = [...RESULTS, 'complained', 'dead'];
const listed = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
const sumsOf = (names: readonly string[]) =>
  sql.join(names.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0) AS ${sql.ref(name)}`));
/** Sums of small changes fit into integers, which add up faster than bigints. */
const CHANGED = sql.join(FIGURES.map((name) => sql`sum(${sql.ref(`part.${name}`)})::integer AS ${sql.ref(name)}`));

/** Makes the body of `WITH change AS (…)`: the unfolded changes of the hours from `first` to `last`. */
const unfolded = ({ accountId, query }: Chosen, first: number, last: number) => sql`
  SELECT part.hour, run.template_id, part.industry_id, ${CHANGED}
  FROM report_change AS part
  JOIN send_log AS run ON run.account_id = part.account_id AND run.id = part.send_log_id
  WHERE part.account_id = ${accountId} AND part.hour BETWEEN ${first} AND ${last} AND ${isChosen(query, 'run')}
  GROUP BY 1, 2, 3`;

/** Selects rows by hour, group and template, some with negative figures. */
const hourRows = ({ accountId, query }: Chosen, period: Period) => {
  const { first, last } = hoursOf(period);
  return sql`(
    SELECT hour, template_id, ${listed(FIGURES)} FROM report_hour
    WHERE account_id = ${accountId} AND hour BETWEEN ${first} AND ${last} AND ${isChosen(query, 'report_hour')}
    UNION ALL SELECT hour, template_id, ${listed(FIGURES)} FROM change WHERE hour BETWEEN ${first} AND ${last}
  ) AS part`;
};

/** Selects rows by day, group, template and industry. */
const industryRows = ({ accountId, query, period }: Scope) => {
  const { first, last } = hoursOf(period);
  return sql`(
    SELECT industry_id, ${listed(RESULTS)} FROM report_industry
    WHERE account_id = ${accountId} AND day BETWEEN ${numberOf(period.from)} AND ${numberOf(period.to)}
      AND ${isChosen(query, 'report_industry')}
    UNION ALL SELECT industry_id, ${listed(RESULTS)} FROM change WHERE hour BETWEEN ${first} AND ${last}
  ) AS part`;
};

/** Reads a period's figures from the sums and the unfolded changes. */
export async function readTotal(
  tx: Tx,
  { period, ...chosen }: Chosen & { readonly period: Period },
): Promise<ReportFigures> {
  const { first, last } = hoursOf(period);
  const { rows } = await sql<ReportFigures>`
    WITH change AS (${unfolded(chosen, first, last)})
    SELECT ${sumsOf(FIGURES)} FROM ${hourRows(chosen, period)}`.execute(tx);
  return onlyRow(rows);
}

export type SumKind = 'before' | 'total' | 'judged' | 'recent' | 'day' | 'template' | 'hour' | 'industry';

/** A sum over all rows of a period, or over those with one value of its kind. */
interface SumRow extends ReportFigures {
  readonly kind: SumKind;
  readonly day: number | null;
  readonly templateId: number | null;
  readonly weekday: number | null;
  readonly hour: number | null;
  readonly industryId: number | null;
  /** The name of the template or the industry. */
  readonly name: string | null;
}

/**
 * Reads all sums of a report in one statement, so that they show one moment.
 * Unfolded changes are summed once for both periods. Day 0, 1970-01-01, was a Thursday.
 */
export async function readSums(tx: Tx, scope: Scope): Promise<SumRow[]> {
  const { accountId, period, before, lastJudged } = scope;
  const { rows } = await sql<SumRow>`
    WITH change AS MATERIALIZED (${unfolded(scope, hoursOf(before).first, hoursOf(period).last)}), summed AS (
      SELECT 'before' AS kind, NULL::integer AS day, NULL::bigint AS template_id, NULL::integer AS weekday,
        NULL::integer AS hour, NULL::integer AS industry_id, ${sumsOf(FIGURES)}
      FROM ${hourRows(scope, before)}
      UNION ALL
      SELECT CASE GROUPING(day, template_id, weekday, clock, is_judged)
          WHEN ${sql.lit(BY.nothing)} THEN 'total' WHEN ${sql.lit(BY.day)} THEN 'day'
          WHEN ${sql.lit(BY.template)} THEN 'template'
          WHEN ${sql.lit(BY.age)} THEN CASE WHEN is_judged THEN 'judged' ELSE 'recent' END ELSE 'hour' END,
        day, template_id, weekday, clock, NULL, ${sumsOf(FIGURES)}
      FROM (
        SELECT hour / 24 AS day, template_id, (hour / 24 + 4) % 7 AS weekday, hour % 24 AS clock,
          hour <= ${lastJudged} AS is_judged, ${listed(FIGURES)}
        FROM ${hourRows(scope, period)}
      ) AS hourly
      GROUP BY GROUPING SETS ((), (day), (template_id), (weekday, clock), (is_judged))
      UNION ALL
      (SELECT 'industry', NULL, NULL, NULL, NULL, industry_id, ${sumsOf(RESULTS)}, 0, 0
      FROM ${industryRows(scope)}
      GROUP BY industry_id HAVING sum(sent) + sum(failed) + sum(unknown) > 0
      ORDER BY sum(sent) DESC, industry_id LIMIT ${REPORTED_INDUSTRIES})
    )
    SELECT kind, day, template_id AS "templateId", weekday, hour, industry_id AS "industryId", ${listed(FIGURES)},
      coalesce(template.name, industry.name, industry.name_search) AS name
    FROM summed
    LEFT JOIN mail_template AS template ON template.account_id = ${accountId} AND template.id = summed.template_id
    LEFT JOIN industry ON industry.account_id = ${accountId} AND industry.id = summed.industry_id`.execute(tx);
  return rows;
}

/** GROUPING of the columns day, template_id, weekday, clock, is_judged: a bit is 0 if the row has one value of it. */
const BY = { nothing: 0b11111, day: 0b01111, template: 0b10111, age: 0b11110 };

/** Reads the mails sent on each day of a period. Omits days without any. */
export async function readSentByDay(
  tx: Tx,
  { period, ...chosen }: Chosen & { readonly period: Period },
): Promise<ReadonlyMap<string, number>> {
  const { first, last } = hoursOf(period);
  const { rows } = await sql<{ readonly day: number; readonly sent: number }>`
    WITH change AS (${unfolded(chosen, first, last)})
    SELECT hour / 24 AS day, sum(sent)::integer AS sent FROM ${hourRows(chosen, period)} GROUP BY 1`.execute(tx);
  return new Map(rows.map(({ day, sent }) => [dayOfNumber(day), sent]));
}

/** Counts the answered mails of a period whose answers only members have recorded. They are few, and in no sum. */
export async function countRepliedByHand(
  tx: Tx,
  { accountId, query, period }: Chosen & { readonly period: Period },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM delivery AS d
    JOIN send_log AS run ON run.account_id = d.account_id AND run.id = d.send_log_id
    WHERE d.account_id = ${accountId} AND ${isCounted} AND ${isRepliedByHand} AND ${isChosen(query, 'run')}
      AND d.id IN (SELECT delivery_id FROM reply WHERE reply.account_id = ${accountId} AND reply.kind = 'manual')
      AND d.finished_at >= ${new Date(instantOf(period.from, 0))}
      AND d.finished_at < ${new Date(instantOf(period.to, 0) + DAY_MS)}`.execute(tx);
  return onlyRow(rows).count;
}
