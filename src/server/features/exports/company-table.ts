import { sql } from 'kysely';
import type { ExportRequest } from '#contract/companies/exports.ts';
import { PRIMARY_COLUMN, TAGS_COLUMN } from '#contract/companies/own-fields-names.ts';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { PROSPECT_COLUMNS, type ProspectColumn } from '#contract/companies/prospects-filter.ts';
import { PROSPECT_COLUMN_NAMES } from '#contract/companies/prospects-names.ts';
import { memberKey } from '#domain/company/own-label.ts';
import type { PublicationNotice } from '#domain/law/publication.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { tagsOf } from '../own-fields/own-detail.queries.ts';
import type { OwnField } from '../own-fields/own-fields.queries.ts';
import { type OwnRow, readOwn } from '../own-fields/own-rows.queries.ts';
import { exportText } from '../own-fields/own-value.ts';
import { readAllProspects } from '../prospects/all-prospects.queries.ts';
import type { OwnNames } from '../prospects/list/own-columns.queries.ts';
import { readOwnNames } from '../prospects/list/own-condition.queries.ts';
import type { Cell, Columns, ExportTable } from './export-table.ts';

/* The files of companies and of their people. An import reads both, and changes nothing. */

type Request = ExportRequest & { readonly what: 'prospects' | 'people' };

/** A row of the file. */
interface Source {
  readonly company: ProspectView;
  readonly externalId: string | null;
  readonly own: OwnRow | undefined;
  /** The company's 主担当, or the person of the row. */
  readonly person: Person | undefined;
}

interface Person {
  readonly prospect_id: number;
  readonly name: string;
  readonly department: string;
  readonly title: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly met_on: string | null;
  readonly is_primary: boolean;
}

const NOTICES: Readonly<Record<PublicationNotice, string>> = { refused: '○', none: '×' };

const written = (day: string | null | undefined): string | null => day?.replaceAll('-', '/') ?? null;

/** Returns the cell of a company in a form that an import accepts. */
function companyCell(column: ProspectColumn, company: ProspectView): Cell {
  switch (column) {
    case 'active':
      return company.active === 1 ? '有効' : '無効';
    case 'published_seen_on':
      return written(company.published_seen_on);
    case 'publication_notice':
      return company.publication_notice && NOTICES[company.publication_notice];
    default:
      return company[column];
  }
}

const PERSON_COLUMNS: Columns<Source> = [
  ['氏名', ({ person }) => person?.name ?? null],
  ['部署', ({ person }) => person?.department ?? null],
  ['役職', ({ person }) => person?.title ?? null],
  ['担当者メール', ({ person }) => person?.email ?? null],
  ['携帯', ({ person }) => person?.phone ?? null],
  ['名刺交換日', ({ person }) => written(person?.met_on)],
];
const IS_PRIMARY: Columns<Source>[number] = ['主担当', ({ person }) => (person?.is_primary ? '○' : null)];

/** What the account's companies have besides the columns of every account. */
interface Also {
  readonly names: OwnNames;
  readonly has: { readonly external_ids: boolean; readonly owners: boolean; readonly people: boolean };
  /** Active members as an import finds them: by the name, or by the address where two have the name. */
  readonly members: ReadonlyMap<number, string>;
}

async function readAlso(tx: Tx, accountId: number): Promise<Also> {
  const { rows } = await sql<Also['has']>`
    SELECT EXISTS (SELECT FROM prospect WHERE account_id = ${accountId} AND external_id IS NOT NULL) AS external_ids,
      EXISTS (SELECT FROM prospect_own WHERE account_id = ${accountId} AND owner_id IS NOT NULL) AS owners,
      EXISTS (SELECT FROM person WHERE account_id = ${accountId}) AS people`.execute(tx);
  const members = await tx
    .selectFrom('member')
    .select(['id', 'name', 'email'])
    .where('account_id', '=', accountId)
    .where('active', '=', true)
    .execute();
  const byName = Map.groupBy(members, ({ name }) => memberKey(name));
  return {
    names: await readOwnNames(tx, accountId),
    has: rows[0] ?? { external_ids: false, owners: false, people: false },
    members: new Map(
      members.map(({ id, name, email }) => [id, byName.get(memberKey(name))?.length === 1 ? name : email]),
    ),
  };
}

/** Returns the columns of a request: without `columns` all that the account's companies have. */
function columnsOf({ what, columns, own_columns = [] }: Request, { names, has, members }: Also): Columns<Source> {
  const isWhole = columns === undefined;
  const isOfPeople = what === 'people';
  const fields = names.fields.filter(({ key, archived }) => !archived && (isWhole || own_columns.includes(key)));
  const tags = names.tags.filter(({ archived }) => !archived);
  const hasTags = isWhole ? tags.length > 0 : own_columns.includes(TAGS_COLUMN);
  const parts: readonly (readonly [boolean, Columns<Source>])[] = [
    [isWhole && has.external_ids, [['外部ID', ({ externalId }) => externalId]]],
    [isWhole && has.owners, [['自社担当', ({ own }) => members.get(own?.ownerId ?? 0) ?? null]]],
    [isOfPeople || (isWhole ? has.people : own_columns.includes(PRIMARY_COLUMN)), PERSON_COLUMNS],
    [isOfPeople, [IS_PRIMARY]],
    [
      hasTags,
      [
        [
          'タグ',
          ({ own }) =>
            tagsOf(tags, own)
              .map(({ label }) => label)
              .join('、'),
        ],
      ],
    ],
  ];
  return [
    ...(columns ?? PROSPECT_COLUMNS).map((column): Columns<Source>[number] => [
      PROSPECT_COLUMN_NAMES[column],
      ({ company }) => companyCell(column, company),
    ]),
    ...parts.flatMap(([isIn, part]) => (isIn ? part : [])),
    ...fields.map((field): Columns<Source>[number] => [field.label, ({ own }) => ownCell(field, own)]),
  ];
}

function ownCell(field: OwnField, own: OwnRow | undefined): Cell {
  const value = own?.values.get(field.id);
  if (value === undefined) return null;
  return field.type === 'number' && typeof value === 'number' ? value : exportText(field, value);
}

/** Reads the rows of companies, in their order. */
async function sourcesOf(
  tx: Tx,
  accountId: number,
  { names, has }: Also,
  what: Request['what'],
  companies: readonly ProspectView[],
): Promise<Source[]> {
  const ids = companies.map(({ id }) => id);
  const own = await readOwn(tx, accountId, names.fields, ids);
  const people = has.people ? await readUsed(tx, accountId, what, ids) : [];
  const ofCompany = Map.groupBy(people, (person) => person.prospect_id);
  const externalIds = has.external_ids ? await readExternalIds(tx, accountId, ids) : new Map<number, string>();
  return companies.flatMap((company) => {
    const { id } = company;
    const source = { company, externalId: externalIds.get(id) ?? null, own: own.get(id) };
    return (ofCompany.get(id) ?? [undefined]).map((person) => ({ ...source, person }));
  });
}

/** Reads the people of companies that are in use, or of each the 主担当 alone. */
async function readUsed(tx: Tx, accountId: number, what: Request['what'], ids: readonly number[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    SELECT person.prospect_id, person.name, person.department, person.title, person.email, person.phone, person.met_on,
      prospect.person_id IS NOT DISTINCT FROM person.id AS is_primary
    FROM prospect JOIN person ON person.account_id = prospect.account_id AND person.prospect_id = prospect.id
    WHERE prospect.account_id = ${accountId} AND prospect.id = ANY (${ids}::bigint[]) AND person.archived_at IS NULL
      AND (${what === 'people'} OR person.id = prospect.person_id)
    ORDER BY person.prospect_id, is_primary DESC, person.id`.execute(tx);
  return rows;
}

async function readExternalIds(tx: Tx, accountId: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; external_id: string }>`
    SELECT id, external_id FROM prospect
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND external_id IS NOT NULL`.execute(tx);
  return new Map(rows.map(({ id, external_id }) => [id, external_id]));
}

/** Returns the file of companies, each with its 主担当, or of their people: a row each, and one where there are none. */
export async function companyTable(account: AccountDb, request: Request): Promise<ExportTable> {
  const { what, format: _, sender_group_id, ids, columns: _columns, own_columns: _own, status, ...rest } = request;
  const { sort, order, ...filter } = rest;
  const also = await account.snapshot((tx) => readAlso(tx, account.id));
  const columns = columnsOf(request, also);
  return {
    title: what === 'people' ? '相手の人' : '見込み客',
    headings: columns.map(([heading]) => heading),
    read: (take) => {
      let more = 0;
      return readAllProspects(
        account,
        sender_group_id,
        { filter, status, ids, sort: { sort, order } },
        async (companies, total, tx) => {
          const rows = await sourcesOf(tx, account.id, also, what, companies);
          more += rows.length - companies.length;
          return take(await mapInSlices(rows, (row) => columns.map(([, value]) => value(row))), total + more);
        },
      );
    },
  };
}
