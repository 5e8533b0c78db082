import type { z } from 'zod';
import type { ownInfo } from '#contract/companies/own-values.ts';
import { MAX_COMPANY_TAGS, MAX_EXTERNAL_ID_LENGTH, MAX_OWN_LENGTH } from '#domain/limits.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { cleanCell } from '../cells/cell-text.ts';
import { changesBetween, type NextOwn, nextOwn, type OwnChanges, type OwnWrite } from '../own-fields/next-own.ts';
import type { OwnState } from '../own-fields/own-detail.queries.ts';
import { fieldsByOption } from '../own-fields/own-rows.queries.ts';
import { isFault, type OwnValue, readOwnValue } from '../own-fields/own-value.ts';

/* What a save of one company says of own fields, tags and 外部ID. */

type OwnInfo = { readonly [Name in keyof typeof ownInfo]?: z.output<(typeof ownInfo)[Name]> };

interface Faulty {
  readonly path: string;
  readonly message: string;
}

/** The checked save: what is written, and what becomes of the company. */
export interface OwnSave extends Pick<NextOwn, 'next'> {
  readonly write: Omit<OwnWrite, 'prospectId'>;
  readonly changes: OwnChanges;
}

/**
 * Reads written own values by the rules of the import's cells.
 * @param place the object of the body: `add_info` or `update_info`
 * @param externalId the company's present 外部ID
 * @returns 400 with each fault at its field, or 409 for another 外部ID than the present one
 */
export function readOwnInfo(
  info: OwnInfo,
  { place, state, externalId }: { place: string; state: OwnState; externalId: string | null },
): OwnSave | Problem {
  const faults: Faulty[] = [];
  const values = readValues(info.custom ?? {}, state, (key, message) =>
    faults.push({ path: `${place}.custom.${key}`, message }),
  );
  const tagFault = info.tag_ids === undefined ? null : faultOfTags(info.tag_ids, state);
  if (tagFault !== null) faults.push({ path: `${place}.tag_ids`, message: tagFault });
  const id = readExternalId(info.external_id);
  if (typeof id === 'object' && id !== null) faults.push({ path: `${place}.external_id`, message: id.fault });
  else if (id !== undefined && externalId !== null && id !== externalId) {
    return fieldProblem(
      `${place}.external_id`,
      'external_id_set',
      `外部IDは「${externalId}」です。一度付けた外部IDは変えられません。`,
    );
  }
  const write = {
    values,
    ...(info.tag_ids !== undefined && { setLabels: info.tag_ids }),
    ...(typeof id === 'string' && { externalId: id }),
  };
  const before = { ...state.row, externalId };
  const { next, tooLong } = nextOwn(before, [{ prospectId: 0, ...write }], fieldsByOption(state.fields));
  if (tooLong) {
    const message = `長すぎます（1社の項目の値を合わせて${MAX_OWN_LENGTH.toLocaleString('ja-JP')}文字まで）。`;
    faults.push({ path: `${place}.custom`, message });
  }
  return faults.length > 0
    ? new Problem('invalid_company', faults[0]?.message ?? '', undefined, faults)
    : { write, next, changes: changesBetween(before, next) };
}

function readValues(
  written: NonNullable<OwnInfo['custom']>,
  { fields, row }: OwnState,
  onFault: (key: string, message: string) => void,
): Map<number, OwnValue | null> {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const values = new Map<number, OwnValue | null>();
  for (const [key, cell] of Object.entries(written)) {
    const field = byKey.get(key);
    if (field === undefined || field.archived) {
      onFault(key, 'この名前の項目はありません。');
      continue;
    }
    const read = readOwnValue(field, cell);
    if (isFault(read)) onFault(key, read.fault);
    else if (isArchivedOption(field, read) && row.values.get(field.id) !== read)
      onFault(key, 'この選択肢は、いまは使っていません。');
    else values.set(field.id, read);
  }
  return values;
}

const isArchivedOption = ({ options }: OwnState['fields'][number], value: OwnValue | null): boolean =>
  options.some(({ id, archived }) => id === value && archived);

function faultOfTags(ids: readonly number[], { tags, row }: OwnState): string | null {
  const isOffered = (wanted: number) =>
    tags.some(({ id, archived }) => id === wanted && (!archived || row.tags.includes(id)));
  if (!ids.every(isOffered)) return 'ないタグか、使っていないタグがあります。';
  const isTooMany = new Set(ids).size > Math.max(MAX_COMPANY_TAGS, row.tags.length);
  return isTooMany ? `タグは1社に${MAX_COMPANY_TAGS}個までです。` : null;
}

/** @returns undefined: not written; null: no value */
function readExternalId(written: string | null | undefined): string | null | undefined | { readonly fault: string } {
  if (written === undefined) return undefined;
  const text = cleanCell(written ?? '');
  if (text === null) return { fault: '使えない文字（制御文字など）が含まれています。' };
  if (meansBlank(text)) return null;
  return text.length > MAX_EXTERNAL_ID_LENGTH ? { fault: `長すぎます（上限${MAX_EXTERNAL_ID_LENGTH}文字）。` } : text;
}

/** Joins the faults of a company's columns and of its own values. */
export function joinFaults(...read: readonly unknown[]): Problem {
  const problems = read.filter((one) => one instanceof Problem);
  const refused = problems.find(({ code }) => code !== 'invalid_company');
  const details = problems.flatMap((problem) => problem.details ?? []);
  return refused ?? new Problem('invalid_company', problems[0]?.message ?? '', undefined, details);
}
