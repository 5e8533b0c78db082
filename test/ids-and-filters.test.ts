import { expect, test } from 'vitest';
import { clientOf } from './client.ts';
import { testDatabase } from './db.ts';
import { addTenant } from './prospects.ts';

/** bad-inputs 21–29: an impossible id is refused, an unknown one is not found or finds nothing; never a 500. */
test('ids at every edge', async () => {
  const database = await testDatabase();
  const { accountId } = await addTenant(database.db);
  const client = await clientOf(database, accountId);
  const nobody = ['2147483647', '2147483648', '9007199254740991'];
  const impossible = ['0', '-1', '1.5', '1e3', '9007199254740993', '9223372036854775808', '１', '1 OR 1=1', ''];
  const paths = ['/account/', '/send_log/'];
  const lists = ['/sender/list?where_info[id]=', '/sender_group/list?where_info[account_id]='];
  const body = { test_send_mode: 0, attack_list: [{ prospect_id: 1 }] };
  for (const id of nobody) {
    for (const path of paths) expect([path, id, (await client.get(path + id)).status]).toStrictEqual([path, id, 404]);
    for (const list of lists) expect(await client.get(list + id)).toStrictEqual({ status: 200, body: [] });
    expect((await client.post(`/mail/send/${id}`, body)).status).toBe(404);
    expect((await client.get(`/prospect/view?sender_group_id=${id}&year_of_establishment_from=${id}`)).status).toBe(
      200,
    );
  }
  for (const id of impossible) {
    const written = encodeURIComponent(id);
    for (const path of id === '' ? [] : paths)
      expect([id, (await client.get(path + written)).status]).toStrictEqual([id, 400]);
    for (const list of lists) expect([id, (await client.get(list + written)).status]).toStrictEqual([id, 400]);
    if (id !== '') expect((await client.post(`/mail/send/${written}`, body)).status).toBe(400);
  }
  expect((await client.get('/sender/list?where_info[id]=1&where_info[id]=2')).status).toBe(400);
});

test('lists take their filter in brackets and as JSON, and know only what they name', async () => {
  const database = await testDatabase();
  const { accountId, senderGroupId, senderId } = await addTenant(database.db);
  const client = await clientOf(database, accountId);
  const json = encodeURIComponent(JSON.stringify({ sender_group_id: senderGroupId, active: 1 }));
  const expected = { status: 200, body: [{ id: senderId, subject: '件名' }] };
  expect(await client.get(`/sender/list?where_info=${json}&columns=["id","subject"]`)).toStrictEqual(expected);
  const bracketed = `where_info[sender_group_id]=${senderGroupId}&where_info[active]=1&columns[]=id&columns[]=subject`;
  expect(await client.get(`/sender/list?${bracketed}`)).toStrictEqual(expected);
  for (const query of [
    'where_info={',
    'where_info[or][]=1',
    'where_info[secret]=1',
    'columns=*',
    'columns[]=password_hash',
    'limit=0',
  ]) {
    expect([query, (await client.get(`/sender/list?${query}`)).status]).toStrictEqual([query, 400]);
  }
});
