import type { z } from 'zod';
import type { offeredColumn } from '#contract/imports/imports-columns.ts';
import { type IMPORT_GROUPS, OWN_IMPORT_FIELDS } from '#contract/imports/imports-names.ts';
import { MAX_OWN_FIELDS } from '#domain/limits.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import type { OwnField } from '../../own-fields/own-fields.queries.ts';
import { findMember, type Member } from '../merge/open-extras.ts';
import type { Head } from '../read/look-at-head.ts';
import type { ChosenColumn } from '../read/table/chosen-header.ts';
import { memberHeading, NAMES, personalAddressAt } from '../read/table/extra-headings.ts';
import { areTags, isUnwanted, offerField, valuesOf } from '../read/table/own-offer.ts';

/* Proposes fields for the columns of a file whose headings are unknown, or mean several things. */

/** More unknown columns than these are offered as own fields, but not chosen, unless the file lists people. */
const MAX_CHOSEN = 10;

interface Known {
  readonly fields: readonly OwnField[];
  readonly members: readonly Member[];
  readonly latestYear: number;
}

interface Offer {
  readonly field: ChosenColumn['field'] | null;
  readonly custom_field_id?: number | undefined;
  readonly new_field?: ChosenColumn['new_field'];
}

type Offers = Map<number, Offer & { readonly unit: string }>;

/** Proposes a field for each column; without one only what a new field would be. */
export function offerColumns(head: Head, known: Known): ReadonlyMap<number, Offer & { readonly unit: string }> {
  const { heading, width, proposed } = head;
  const offers: Offers = new Map(proposed.map((column) => [column.index, { ...column }]));
  if (heading.length === 0) return offers;
  const fieldOf = new Map(known.fields.map((field) => [foldHeading(field.label), field]));
  const free: number[] = [];
  for (let index = 0; index < width; index += 1) {
    const field = fieldOf.get(foldHeading(heading[index] ?? ''));
    if (offers.has(index)) continue;
    if (field === undefined || field.archived) free.push(index);
    else offers.set(index, { field: 'own', unit: '', custom_field_id: field.id });
  }
  for (const [index, field] of offerMembers(head, free, offers, known)) offers.set(index, { field, unit: '' });
  offerFields(
    head,
    free.filter((index) => !offers.has(index)),
    offers,
    { ...known, fieldOf },
  );
  return offers;
}

/** Offers the other columns as new fields, and chooses those that somebody may want while there is room. */
function offerFields(
  { heading, records, width, proposed }: Head,
  unknown: readonly number[],
  offers: Offers,
  { fields, fieldOf, latestYear }: Known & { readonly fieldOf: ReadonlyMap<string, OwnField> },
): void {
  const cellsOf = (index: number) => records.map(({ cells }) => cells[index] ?? '');
  const companies = cellsOf(proposed.find(({ field }) => field === 'company_name')?.index ?? width);
  const listsPeople = [...offers.values()].some(({ field }) => field?.startsWith('person_'));
  const wanted = unknown.filter((index) => !isUnwanted(heading[index] ?? '') && valuesOf(cellsOf(index)).length > 0);
  const isList = proposed.some(({ field }) => field === 'company_name');
  const chosen = new Set(isList && (listsPeople || wanted.length <= MAX_CHOSEN) ? wanted : []);
  let room = MAX_OWN_FIELDS - fields.length;
  for (const index of unknown) {
    const cells = cellsOf(index);
    const offer = offerField(heading[index] ?? '', valuesOf(cells), latestYear);
    if (offer === null) continue;
    const archived = fieldOf.get(foldHeading(offer.label));
    const made = archived === undefined ? offer : { ...offer, type: archived.type, key: archived.key };
    const hasRoom = archived !== undefined || room > 0;
    const field = chosen.has(index) ? fieldFor(areTags(cells, companies), hasRoom) : null;
    if (field === 'own' && archived === undefined) room -= 1;
    offers.set(index, { field, unit: '', new_field: made });
  }
}

const fieldFor = (isTags: boolean, hasRoom: boolean): Offer['field'] => (isTags ? 'tags' : hasRoom ? 'own' : null);

/**
 * Tells a column with our members from one with the people of companies: at least half of its cells are members' names
 * or addresses. 担当者 is otherwise the person's name where no other column is.
 */
function offerMembers(
  { heading, records }: Head,
  free: readonly number[],
  offers: Offers,
  { members }: Known,
): [number, ChosenColumn['field']][] {
  const find = findMember(members);
  const found: [number, ChosenColumn['field']][] = [];
  let hasName = [...offers.values()].some(({ field }) => field !== null && (NAMES as ReadonlySet<string>).has(field));
  let hasOwner = false;
  for (const index of free) {
    const kind = memberHeading(heading[index] ?? '');
    if (kind === null) continue;
    const values = valuesOf(records.map(({ cells }) => cells[index] ?? ''));
    const ours = values.filter((value) => typeof find(value) === 'number').length;
    if (values.length > 0 && ours * 2 >= values.length && !hasOwner) {
      found.push([index, 'owner']);
      hasOwner = true;
    } else if (kind === 'either' && !hasName && values.length > 0 && ours === 0) {
      found.push([index, 'person_name']);
      hasName = true;
      const address = personalAddressAt(heading, (at) => offers.get(at)?.field === 'company_email');
      if (address >= 0) found.push([address, 'person_email']);
    }
  }
  return found;
}

const OWN: ReadonlySet<string> = new Set(OWN_IMPORT_FIELDS);
type Shown = { readonly [Name in keyof typeof offeredColumn]?: z.output<(typeof offeredColumn)[Name]> };

const groupOf = (field: string): (typeof IMPORT_GROUPS)[number] =>
  field.startsWith('person_') ? 'person' : OWN.has(field) ? 'own' : 'company';

/** Returns what the look says of a column beside its field. */
export function shownOffer(offer: Offer | undefined): Shown {
  const field = offer?.field ?? null;
  return {
    ...(field !== null && { group: groupOf(field) }),
    ...(offer?.custom_field_id !== undefined && { custom_field_id: offer.custom_field_id }),
    ...(offer?.new_field !== undefined && { new_field: offer.new_field }),
  };
}

/**
 * Returns the columns that a person chose earlier for the same headings. A field that was made meanwhile is named by
 * its id; one that is archived or gone is offered again.
 */
export function savedOffers(
  saved: readonly ChosenColumn[],
  fields: readonly OwnField[],
): ReadonlyMap<number, Offer & { readonly unit: string }> {
  const byLabel = new Map(fields.map((field) => [foldHeading(field.label), field]));
  return new Map(
    saved.map(({ index, field, unit, custom_field_id: id, new_field: made }): [number, Offer & { unit: string }] => {
      if (field !== 'own') return [index, { field, unit }];
      const known =
        id === undefined ? byLabel.get(foldHeading(made?.label ?? '')) : fields.find((one) => one.id === id);
      if (known !== undefined && !known.archived) return [index, { field, unit, custom_field_id: known.id }];
      if (known === undefined)
        return [index, made === undefined ? { field: null, unit } : { field, unit, new_field: made }];
      const { label, type, key } = known;
      return [index, { field: null, unit, new_field: { label, type, key } }];
    }),
  );
}
