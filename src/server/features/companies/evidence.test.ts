import { beforeEach, describe, expect, test } from 'vitest';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { attackList, nextReservable, reservationBody } from '#test/reservations.ts';
import { claimMails } from '#test/sending.ts';
import { startReservation } from '../reservations/due.command.ts';

/** Where a company publishes its address, and whether it declines sales mails there (lawful.md §1.4, L12). */

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const HEADING = '会社名,代表メール,公開元URL,確認日,営業お断り';
const list = async (query = ''): Promise<ProspectView[]> => {
  const { body } = await by.client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${query}`);
  return (body as { rows: ProspectView[] }).rows;
};
const evidenceOf = ({ company_name, published_at_url, published_seen_on, publication_notice }: ProspectView) => [
  company_name,
  published_at_url,
  published_seen_on,
  publication_notice,
];

describe('the columns of evidence', () => {
  const FILE = `${HEADING}
甲,a@a.example,https://a.example/about,2026年11月20日,○
乙,b@b.example,b.example,R8.1.5,×
丙,c@c.example,,,
丁,d@d.example,,昨日,
戊,e@e.example,,,要確認
`;

  test('are imported: a day that cannot be read is left blank, an unclear notice refuses its row', async () => {
    const id = await by.importText(FILE);
    expect((await list()).map(evidenceOf)).toStrictEqual([
      ['甲', 'https://a.example/about', '2026-11-20', 'refused'],
      ['乙', 'https://b.example', '2026-01-05', 'none'],
      ['丙', null, null, null],
      ['丁', null, null, null],
    ]);
    expect((await by.read(id)).review).toMatchObject({ refused: 1, blanked: 1 });
  });

  test('change by a later import, which is recorded and undone; a blank cell changes nothing', async () => {
    await by.importText(FILE);
    const id = await by.importText(`${HEADING}\n甲,,https://a.example/contact,2026/11/22,×\n乙,,,,\n`);
    expect((await list()).slice(0, 2).map(evidenceOf)).toStrictEqual([
      ['甲', 'https://a.example/contact', '2026-11-22', 'none'],
      ['乙', 'https://b.example', '2026-01-05', 'none'],
    ]);
    const changes = await database.db.selectFrom('prospect_change').select('changes').execute();
    expect(changes).toStrictEqual([
      {
        changes: {
          published_at_url: ['https://a.example/about', 'https://a.example/contact'],
          published_seen_on: ['2026-11-20', '2026-11-22'],
          publication_notice: ['refused', 'none'],
        },
      },
    ]);
    await by.job(`/import/${id}/undo`);
    expect((await list()).slice(0, 1).map(evidenceOf)).toStrictEqual([
      ['甲', 'https://a.example/about', '2026-11-20', 'refused'],
    ]);
  });

  test('are read and written by the calls of one company, with each fault at its field', async () => {
    const { body } = await by.client.post('/prospect', {
      add_info: { company_name: '甲', published_at_url: 'a.example', published_seen_on: '', publication_notice: '○' },
    });
    const { id, version } = body as { id: number; version: string };
    const read = async () => (await by.client.get(`/prospect/${id}`)).body as CompanyDetail;
    expect(await read()).toMatchObject({
      published_at_url: 'https://a.example',
      published_seen_on: null,
      publication_notice: 'refused',
    });
    const update = (update_info: object) => by.client.put(`/prospect/${id}`, { version, update_info });
    expect(await update({ published_seen_on: '昨日', publication_notice: 'たぶん' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'update_info.published_seen_on' }, { path: 'update_info.publication_notice' }] },
    });
    expect(await update({ published_seen_on: '2026/11/20', publication_notice: 'none' })).toMatchObject({
      status: 200,
    });
    expect(await read()).toMatchObject({ published_seen_on: '2026-11-20', publication_notice: 'none' });
    const { version: next } = await read();
    const blanked = { version: next, update_info: { publication_notice: '記載なし' } };
    expect(await by.client.put(`/prospect/${id}`, blanked)).toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ publication_notice: null });
    await by.client.put(`/prospect/${id}`, {
      version: (await read()).version,
      update_info: { publication_notice: 'none' },
    });
    const [row] = (await by.client.get('/prospect/list')).body as object[];
    expect(row).toMatchObject({ published_seen_on: '2026-11-20', publication_notice: 'none' });
  });
});

describe('a company that declines sales mails where it publishes its address', () => {
  const COMPANIES = `${HEADING}\n甲,a@a.example,,,○\n乙,b@b.example,,,×\n`;
  const note = (id: number, notice: 'refused' | 'none') =>
    database.db.updateTable('prospect').set({ publication_notice: notice }).where('id', '=', id).execute();
  const preview = async () =>
    (await by.client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}`)).body as object;
  const mails = () =>
    database.db.selectFrom('delivery').select(['prospect_id', 'state', 'reason']).orderBy('prospect_id').execute();
  const send = (ids: readonly number[], test_send_mode = 0) =>
    by.client.post(`/mail/send/${tenant.senderId}`, {
      test_send_mode,
      attack_list: attackList(ids, test_send_mode === 1 ? 'me@example.com' : undefined),
      days_from_lastday: 7,
    });
  let declines: number;
  let other: number;

  beforeEach(async () => {
    await by.importText(COMPANIES);
    [declines = 0, other = 0] = (await list()).map(({ id }) => id);
  });

  test('is left out of the attack list, and listed with the reason', async () => {
    expect(await preview()).toMatchObject({ eligible: 1, left_out: { refused_by_notice: 1, suppressed: 0 } });
    const { body } = await by.client.get(
      `/attack_list/left_out?sender_group_id=${tenant.senderGroupId}&reason=refused_by_notice`,
    );
    expect(body).toMatchObject({ total: 1, rows: [{ prospect_id: declines }] });
  });

  test('is left out of real sends, of tests and of reservations', async () => {
    const skipped = [{ prospect_id: declines, reason: 'refused_by_notice' }];
    expect((await send([declines, other], 1)).body).toMatchObject({ accepted: 1, skipped });
    expect((await send([declines, other])).body).toMatchObject({ accepted: 1, skipped });
    await database.db.deleteFrom('delivery').execute();
    const body = { sender_id: tenant.senderId, send_at: nextReservable() };
    expect(
      (await by.client.post('/reservation', reservationBody({ ...body, attack_list: attackList([declines, other]) })))
        .body,
    ).toMatchObject({ skipped });
  });

  test('noted after it was reserved, it is left out when the reservation is due', async () => {
    await note(declines, 'none');
    const id = await addReservation(database.db, tenant, [declines, other], { sendAt: new Date(Date.now() - 1000) });
    await note(declines, 'refused');
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    expect(await mails()).toStrictEqual([
      { prospect_id: declines, state: 'cancelled', reason: 'refused_by_notice' },
      { prospect_id: other, state: 'queued', reason: null },
    ]);
  });

  test('noted while its mail waits, the mail is cancelled at its claim', async () => {
    await note(declines, 'none');
    expect((await send([declines, other])).body).toMatchObject({ accepted: 2 });
    await note(declines, 'refused');
    expect((await claimMails(database)).map(({ prospectId }) => prospectId)).toStrictEqual([other]);
    expect((await mails())[0]).toStrictEqual({
      prospect_id: declines,
      state: 'cancelled',
      reason: 'refused_by_notice',
    });
  });
});
