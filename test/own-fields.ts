import { ensureFields, ensureLabels, type WantedField } from '#server/features/own-fields/ensure.command.ts';
import type { OwnWrite } from '#server/features/own-fields/next-own.ts';
import type { OwnField } from '#server/features/own-fields/own-fields.queries.ts';
import { writeOwn } from '#server/features/own-fields/write-own.command.ts';
import type { Db } from '#server/platform/database/db.ts';
import { Problem } from '#server/platform/problem.ts';

/** Own fields, tags and values of companies, added as an import adds them. */

export const must = <Result>(result: Result | Problem): Result => {
  if (result instanceof Problem) throw new Error(result.message);
  return result;
};

/** Adds fields with their options. @returns them in the given order */
export const addOwnFields = (
  db: Db,
  accountId: number,
  wanted: readonly (WantedField & { readonly options?: readonly string[] })[],
): Promise<OwnField[]> =>
  db.transaction().execute(async (tx) => {
    const first = must(await ensureFields(tx, accountId, wanted));
    for (const { label, options = [] } of wanted) {
      const field = first.find((one) => one.label === label);
      if (options.length > 0) must(await ensureLabels(tx, accountId, field?.id ?? 0, options));
    }
    const all = must(await ensureFields(tx, accountId, wanted));
    return wanted.flatMap(({ label }) => all.find((field) => field.label === label) ?? []);
  });

/** Adds tags. @returns their ids in the given order */
export const addTags = (db: Db, accountId: number, labels: readonly string[]): Promise<number[]> =>
  db.transaction().execute(async (tx) => {
    const ids = must(await ensureLabels(tx, accountId, null, labels));
    return labels.map((label) => ids.get(label) ?? 0);
  });

/** Writes own data of companies, as an edit by nobody. */
export const setOwn = (db: Db, accountId: number, writes: readonly OwnWrite[]) =>
  db.transaction().execute((tx) => writeOwn(tx, { accountId, memberId: null, kind: 'edited' }, writes));

/** What addOwnData has added. */
export interface OwnData {
  readonly customFieldId: number;
  readonly choiceFieldId: number;
  readonly optionId: number;
  readonly tagId: number;
  /** A tag that no company has. */
  readonly spareTagId: number;
}

/** Adds fields, tags, and a company with values that contain `marker`; and a set that no company has. */
export async function addOwnData(db: Db, accountId: number, prospectId: number, marker: string): Promise<OwnData> {
  const [text, choice] = await addOwnFields(db, accountId, [
    { label: `${marker}メモ`, type: 'text', key: 'memo' },
    { label: `${marker}ランク`, type: 'choice', key: 'rank', options: [marker] },
  ]);
  const [tagId = 0, spareTagId = 0] = await addTags(db, accountId, [marker, `${marker}2`]);
  if (!text || !choice) throw new Error('no field was added');
  const optionId = choice.options[0]?.id ?? 0;
  await setOwn(db, accountId, [
    { prospectId, values: new Map([[text.id, marker]]), addLabels: [spareTagId], externalId: marker },
    { prospectId, addLabels: [tagId, optionId], removeLabels: [spareTagId] },
  ]);
  await setOwn(db, accountId, [{ prospectId, addLabels: [spareTagId] }]);
  await setOwn(db, accountId, [{ prospectId, removeLabels: [spareTagId] }]);
  return { customFieldId: text.id, choiceFieldId: choice.id, optionId, tagId, spareTagId };
}
