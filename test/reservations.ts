import type { Db } from '#server/platform/database/db.ts';
import { type Client, clientOf } from './client.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { addProspects, addTenant, type Tenant } from './prospects.ts';

/** A Wednesday. The picker offers Thursday 19 November to Friday 19 February, 08:00. */
export const NOW = Date.parse('2026-11-18T12:34:56+09:00');
export const SEND_AT = '2026/11/20 09:00:00';

export interface ReservationScene {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  readonly client: Client;
  /** The ids of four companies that may be mailed. */
  readonly ids: readonly number[];
}

/** Creates a tenant with companies to reserve at NOW, for one test. */
export async function reservationScene(): Promise<ReservationScene> {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const client = await clientOf(database, tenant.accountId, () => NOW);
  const companies = ['山田', null, '鈴木', '佐藤'].map((ceo, n) => ({
    company_name: `株式会社${n}`,
    company_email: `info${n}@a.example`,
    ceo,
  }));
  return { database, tenant, client, ids: await addProspects(database.db, tenant.accountId, companies) };
}

/** Returns the attack list of a request. @param company_email the test address, for a test reservation */
export const attackList = (prospectIds: readonly number[], company_email?: string) =>
  prospectIds.map((prospect_id) => ({ prospect_id, ...(company_email !== undefined && { company_email }) }));

/** Returns the next full hour, which can always be reserved. */
export function nextReservable(): string {
  const hour = 60 * 60 * 1000;
  return new Date(Math.floor((Date.now() + hour) / hour) * hour).toISOString();
}

interface Wanted {
  readonly sender_id: number;
  readonly attack_list: readonly unknown[];
  readonly send_at?: unknown;
  readonly test_send_mode?: 0 | 1;
  readonly datetime_list?: readonly unknown[] | null;
}

/** Builds a body as the specification's client does: lists as JSON strings, the same values in both parts. */
export function reservationBody({
  sender_id,
  attack_list,
  send_at = SEND_AT,
  test_send_mode = 0,
  datetime_list = null,
}: Wanted) {
  const both = {
    datetime_list: datetime_list && JSON.stringify(datetime_list),
    attack_list: JSON.stringify(attack_list),
    active: 1,
  };
  return { add_info: { sender_id, send_at, test_send_mode, ...both }, duplicate_key_update_info: both };
}

/**
 * Reserves companies as a member does; in a test reservation all get one address. Throws if the server refuses.
 * @returns the reservation's id
 */
export async function reserveBy(
  { client, tenant }: Pick<ReservationScene, 'client' | 'tenant'>,
  prospectIds: readonly number[],
  wanted: Partial<Omit<Wanted, 'attack_list'>> = {},
): Promise<number> {
  const attack_list = attackList(prospectIds, wanted.test_send_mode === 1 ? 'test@example.com' : undefined);
  const body = reservationBody({ sender_id: tenant.senderId, ...wanted, attack_list });
  const answer = await client.post('/reservation', body);
  const { id } = answer.body as { readonly id?: number | null };
  if (answer.status !== 200 || typeof id !== 'number') throw new Error(`not reserved: ${JSON.stringify(answer)}`);
  return id;
}

/** Returns a candidate date. */
export const slot = (date: string, start_time = '13:00', end_time = '15:00') => ({ date, start_time, end_time });

/** Returns the reserved targets by reservation: companies in the order of addition, including abandoned ones. */
export async function reservedTargets(db: Db): Promise<Record<number, number[]>> {
  const rows = await db
    .selectFrom('reservation_target')
    .select(['reservation_id', 'prospect_id'])
    .orderBy('row_index')
    .execute();
  const byReservation = Map.groupBy(rows, ({ reservation_id }) => reservation_id);
  return Object.fromEntries([...byReservation].map(([id, targets]) => [id, targets.map((row) => row.prospect_id)]));
}

/**
 * Finds reservations that violate an invariant.
 * A target is pending exactly as long as its reservation is, and no reservation is empty.
 * @returns their ids
 */
export async function brokenReservations(db: Db): Promise<number[]> {
  const reservations = await db.selectFrom('reservation').select(['id', 'active', 'is_sent']).execute();
  const targets = await db.selectFrom('reservation_target').select(['reservation_id', 'pending']).execute();
  return reservations.flatMap(({ id, active, is_sent }) => {
    const own = targets.filter(({ reservation_id }) => reservation_id === id);
    return own.length > 0 && own.every(({ pending }) => pending === (active && !is_sent)) ? [] : [id];
  });
}
