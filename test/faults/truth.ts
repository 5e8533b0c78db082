import type { Db } from '#server/platform/database/db.ts';
import { unbalancedRuns } from '#test/sending.ts';

interface Verdict {
  /** Descriptions of violations: empty after every fault. */
  readonly wrong: string[];
  readonly sent: number;
  readonly unknown: number;
  /** The number of unknown mails that had arrived. */
  readonly unknownArrived: number;
  readonly lost: number;
  readonly duplicates: number;
}

/**
 * Compares the tables with the mails that the sink accepted, once no mail is open.
 * No Message-ID arrived twice. Sent mails arrived; failed, cancelled and queued ones did not; only an unknown mail may
 * be either. The counts of every run balance (design §7.7), and each company that may have been mailed counts as
 * contacted.
 * @param arrived the accepted Message-IDs, with repetitions
 */
export async function judge(db: Db, arrived: readonly string[]): Promise<Verdict> {
  const rows = await db
    .selectFrom('delivery')
    .select(['message_id', 'state', 'account_id', 'sender_group_id', 'prospect_id', 'test_send_mode'])
    .execute();
  const contacts = new Set(
    (await db.selectFrom('contact_state').select(['account_id', 'sender_group_id', 'prospect_id']).execute()).map(
      (row) => `${row.account_id} ${row.sender_group_id} ${row.prospect_id}`,
    ),
  );
  const times = new Map<string, number>();
  for (const id of arrived) times.set(id, (times.get(id) ?? 0) + 1);
  const ours = new Set(rows.map(({ message_id }) => message_id));
  const here = (row: { message_id: string }) => times.has(row.message_id);
  const inState = (...states: string[]) => rows.filter(({ state }) => states.includes(state));

  const lost = inState('sent').filter((row) => !here(row));
  const doubled = [...times].filter(([, count]) => count > 1);
  const unknown = inState('unknown');
  const wrong = [
    ...lost.map(({ message_id }) => `${message_id} counts as sent and never arrived`),
    ...doubled.map(([id, count]) => `${id} arrived ${count} times`),
    ...inState('queued', 'failed', 'cancelled')
      .filter(here)
      .map(({ message_id, state }) => `${message_id} arrived and is ${state}`),
    ...inState('claimed', 'sending').map(({ message_id, state }) => `${message_id} is stuck: ${state}`),
    ...[...times.keys()].filter((id) => !ours.has(id)).map((id) => `${id} arrived and nobody asked for it`),
    ...inState('sent', 'unknown')
      .filter((row) => !row.test_send_mode)
      .filter((row) => !contacts.has(`${row.account_id} ${row.sender_group_id} ${row.prospect_id}`))
      .map(({ message_id }) => `${message_id} left no contact`),
    ...(await unbalancedRuns(db)).map((run) => `the books of a run do not balance: ${JSON.stringify(run)}`),
  ];
  return {
    wrong,
    sent: inState('sent').length,
    unknown: unknown.length,
    unknownArrived: unknown.filter(here).length,
    lost: lost.length,
    duplicates: doubled.length,
  };
}
