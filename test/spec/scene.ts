import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { NOW } from '#test/reservations.ts';

/** An account with a group, a sender and a list of companies, and a client that shows the API's data at NOW. */
export interface Scene {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  readonly client: Client;
  readonly ids: readonly number[];
}

type Companies = Parameters<typeof addProspects>[2];

/** A company with all fields of the specification. */
export const COMPANY = {
  company_name: '株式会社あおば',
  company_email: 'info@aoba.example',
  ceo: '山田 太郎',
  year_of_establishment: 1990,
  address: '東京都港区1-1',
  amount_of_sales: 100_000_000,
  capital: 10_000_000,
  number_of_employees: 30,
  ordinary_profit: -5,
  company_url: 'https://aoba.example',
  contact_url: 'https://aoba.example/contact',
  major_industry_type: '製造業',
  included_industry_type: '部品',
};

/** Returns this many companies that may be mailed, with different names and addresses. */
export const companies = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ company_name: `会社${n}`, company_email: `info${n}@a.example` }));

/** Opens a scene, which closes with the test. */
export async function openScene(listed: Companies = companies(3)): Promise<Scene> {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const ids = await addProspects(database.db, tenant.accountId, listed);
  return { database, tenant, ids, client: await clientOf(database, tenant.accountId, () => NOW) };
}

/** Returns the address of a list call in the form of the specification's client: filter and columns as JSON. */
export const listPath = (path: string, where_info: object, columns?: readonly string[]): string =>
  `${path}?${new URLSearchParams({
    where_info: JSON.stringify(where_info),
    ...(columns && { columns: JSON.stringify(columns) }),
  })}`;

export const targets = (ids: readonly number[], company_email?: string) =>
  ids.map((prospect_id) => ({ prospect_id, ...(company_email !== undefined && { company_email }) }));

/** Returns the companies that the attack list offers to a group, in its order. */
export async function offered({ client, tenant }: Scene, settings = '', group = tenant.senderGroupId) {
  const { body } = await client.get(`/attack_list/preview?sender_group_id=${group}${settings}`);
  return (body as { rows: { prospect_id: number }[] }).rows.map(({ prospect_id }) => prospect_id);
}

/** Records mail sent at that time, so that it counts for the re-send interval. */
export const recordSent = ({ client, tenant }: Scene, attack_list: readonly number[], sent_at: string) =>
  client.post('/send_log', { sender_group_id: tenant.senderGroupId, attack_list, sent_at });
