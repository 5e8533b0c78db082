import { describe, expect, test } from 'vitest';
import type { OwnFilter, prospectFilter } from '#contract/companies/prospects-filter.ts';
import { attackTargets, testAddress } from '#domain/sending/attack-list.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { NOW, reservationBody } from '#test/reservations.ts';
import { COMPANY, companies, offered, openScene, recordSent, type Scene, targets } from './scene.ts';

/**
 * Section 5: the rules that the server or the domain enforces. NOW is Wednesday, 18 November 2026, 12:34:56 in Tokyo.
 */

const DAY = 24 * 60 * 60 * 1000;

describe('login', () => {
  const REQUIRED: Readonly<Record<string, string>> = {
    email: 'メールアドレスを入力してください',
    password: 'パスワードを入力してください',
  };

  test.each(['email', 'password'])('§5.1 %s is required', async (missing) => {
    const { client } = await openScene();
    const { [missing]: _, ...rest } = { email: 'a@example.com', password: 'x' } as Record<string, string>;
    expect(await client.post('/auth/login', rest)).toMatchObject({
      status: 400,
      body: { message: REQUIRED[missing], details: [{ path: missing }] },
    });
  });

  test.each([
    ['', '', 'email'],
    [' \u3000', 'x', 'email'],
    ['a@example.com', '', 'password'],
  ])('§5.1 blank is missing: %j with %j stops at the %s, and no guess is counted', async (email, password, missing) => {
    const { client, database } = await openScene();
    expect(await client.post('/auth/login', { email, password })).toMatchObject({
      status: 400,
      body: { message: REQUIRED[missing], details: [{ path: missing }] },
    });
    expect(await database.db.selectFrom('rate_limit').selectAll().execute()).toStrictEqual([]);
  });
});

describe('attack targets', () => {
  test('§5.2 eligible companies are active, have an e-mail and no reservation, and were not mailed lately', async () => {
    const scene = await openScene([...companies(4), { company_name: '無', company_email: null }]);
    const { client, tenant } = scene;
    const [inactive = 0, reserved = 0, recent = 0, fine] = scene.ids;
    const off = { prospect_id: inactive, sender_group_id: tenant.senderGroupId, active: 0 };
    await client.post('/active_prospect/', { add_info: off, duplicate_key_update_info: { active: 0 } });
    await client.post(
      '/reservation',
      reservationBody({ sender_id: tenant.senderId, attack_list: targets([reserved]) }),
    );
    await recordSent(scene, [recent], formatSecond(NOW - DAY));
    expect(await offered(scene)).toStrictEqual([fine]);
  });

  test('§5.3 last sent more than days_from_lastday days ago (default 7)', async () => {
    const scene = await openScene(companies(3));
    const [exactly = 0, longer = 0, never] = scene.ids;
    const lastSecond = Math.floor(NOW / 1000) * 1000 - 7 * DAY;
    await recordSent(scene, [exactly], formatSecond(lastSecond));
    await recordSent(scene, [longer], formatSecond(lastSecond - 1000));
    expect(await offered(scene)).toStrictEqual([longer, never]);
    expect(await offered(scene, '&days_from_lastday=6')).toStrictEqual([exactly, longer, never]);
    expect(await offered(scene, '&days_from_lastday=8')).toStrictEqual([never]);
  });

  test('§5.4 the list is cut to limit_count (default 10)', async () => {
    const scene = await openScene(companies(12));
    expect(await offered(scene)).toStrictEqual(scene.ids.slice(0, 10));
    expect(await offered(scene, '&limit_count=1')).toStrictEqual(scene.ids.slice(0, 1));
    expect(await offered(scene, '&limit_count=50')).toStrictEqual(scene.ids);
  });

  test('§5.7 fetch-limit choices are 1, 10, 50, 100, 200, 300, 400, 500 and 1000, and nothing else', async () => {
    const { client, tenant } = await openScene();
    const answered = async (limit: number) =>
      (await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}&limit_count=${limit}`)).status;
    for (const limit of [1, 10, 50, 100, 200, 300, 400, 500, 1000])
      expect([limit, await answered(limit)]).toStrictEqual([limit, 200]);
    for (const limit of [0, 2, 7, 20, 600, 1001]) expect([limit, await answered(limit)]).toStrictEqual([limit, 400]);
  });
});

describe('test mode', () => {
  const list = companies(12).map((company, n) => ({ ...company, prospect_id: n + 1 }));

  test('§5.5 at most the test limit targets are kept and every address is the test address', () => {
    const kept = attackTargets(list, 1000, { mail_to: 'test@example.com', limit_count: 10 });
    expect(kept.map(({ prospect_id }) => prospect_id)).toStrictEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(kept.map(({ company_email }) => company_email))).toStrictEqual(new Set(['test@example.com']));
  });

  test('§5.6 a [n] placeholder in the test address is replaced by the row index, by the server too', async () => {
    expect(testAddress('test+[n]@example.com', 3)).toBe('test+3@example.com');
    const { client, tenant, ids, database } = await openScene();
    const attack_list = targets(ids, 'test+[n]@example.com');
    await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 1, attack_list });
    const rows = await database.db.selectFrom('delivery').select('mail_to').orderBy('row_index').execute();
    expect(rows.map(({ mail_to }) => mail_to)).toStrictEqual([0, 1, 2].map((n) => `test+${n}@example.com`));
  });
});

test('§5.8 page-size choices are 20, 50, 100 and 200; default 50', async () => {
  const { client, tenant } = await openScene(companies(51));
  const page = (size = '') => client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${size}`);
  for (const size of [20, 50, 100, 200]) {
    const { body } = await page(`&pagenate_count=${size}`);
    expect((body as { rows: unknown[] }).rows).toHaveLength(Math.min(size, 51));
  }
  for (const size of [0, 10, 51, 500]) expect((await page(`&pagenate_count=${size}`)).status).toBe(400);
  expect(((await page()).body as { rows: unknown[] }).rows).toHaveLength(50);
});

describe('dates', () => {
  const offer = ({ client, tenant, ids }: Scene, date: string, start_time = '9:00', end_time = '18:00') =>
    client.post(`/mail/send/${tenant.senderId}`, {
      test_send_mode: 0,
      attack_list: targets(ids),
      datetime_list: [{ date, start_time, end_time }],
    });

  test('§2.20, 5.9, 9.7 a candidate date is between the day after today and three months after that, never on a weekend', async () => {
    const scene = await openScene();
    for (const date of ['2026-11-19', '2026-11-20', '2026-11-23', '2027-02-18']) {
      expect([date, (await offer(scene, date)).status]).toStrictEqual([date, 200]);
    }
    for (const date of ['2026-11-17', '2026-11-18', '2026-11-21', '2026-11-22', '2027-02-19', '2027-02-22']) {
      expect(await offer(scene, date)).toMatchObject({ status: 400, body: { code: 'invalid_candidate_date' } });
    }
  });

  test('§5.10 the time pickers use a 15-minute interval; hours 00–07 and 21–23 are disabled', async () => {
    const scene = await openScene();
    for (const [start, end] of [
      ['8:00', '8:15'],
      ['08:30', '20:45'],
    ] as const) {
      expect([start, (await offer(scene, '2026-11-20', start, end)).status]).toStrictEqual([start, 200]);
    }
    for (const [start, end] of [
      ['0:00', '9:00'],
      ['7:45', '9:00'],
      ['9:07', '10:00'],
      ['9:00', '21:00'],
      ['9:00', '23:45'],
    ] as const) {
      expect([start, end, (await offer(scene, '2026-11-20', start, end)).status]).toStrictEqual([start, end, 400]);
    }
  });

  test('§2.20, 5.11 the reservation picker has the same limits', async () => {
    const { client, tenant, ids } = await openScene();
    const reserve = async (send_at: string) =>
      (
        await client.post(
          '/reservation',
          reservationBody({ sender_id: tenant.senderId, attack_list: targets(ids), send_at }),
        )
      ).status;
    for (const sendAt of ['2026/11/19 08:00:00', '2026/11/20 20:45:00', '2027/02/19 08:00:00']) {
      expect([sendAt, await reserve(sendAt)]).toStrictEqual([sendAt, 200]);
    }
    for (const sendAt of [
      '2026/11/18 14:00:00',
      '2026/11/19 07:45:00',
      '2026/11/20 21:00:00',
      '2026/11/20 09:10:00',
      '2026/11/21 09:00:00',
      '2026/11/22 09:00:00',
      '2027/02/19 08:15:00',
    ]) {
      expect([sendAt, await reserve(sendAt)]).toStrictEqual([sendAt, 400]);
    }
  });
});

describe('filters', () => {
  const names = async ({ client, tenant }: Scene, filter: Record<string, string>) => {
    const query = new URLSearchParams({ sender_group_id: String(tenant.senderGroupId), ...filter });
    const { body } = await client.get(`/prospect/view?${query}`);
    return (body as { rows: { company_name: string }[] }).rows.map(({ company_name }) => company_name).join('');
  };

  /** Returns an attack list's preview: the number of matches, and the offered companies. */
  const preview = async ({ client, tenant }: Scene, filter: string, wanted: string) => {
    const query = new URLSearchParams({ sender_group_id: String(tenant.senderGroupId), [filter]: wanted });
    const { body } = await client.get(`/attack_list/preview?${query}`);
    const { matched, rows } = body as { matched: number; rows: { company_name: string }[] };
    return { matched, names: rows.map(({ company_name }) => company_name).join('') };
  };

  test('§5.12 a text filter matches when any comma-separated term is contained in the value', async () => {
    const scene = await openScene([
      { company_name: 'A', address: '東京都港区' },
      { company_name: 'B', address: '大阪府大阪市' },
      { company_name: 'C', address: '福岡県' },
    ]);
    expect(await names(scene, { address: '港,大阪' })).toBe('AB');
    expect(await names(scene, { address: '北海道,福岡' })).toBe('C');
    expect(await names(scene, { address: '港大阪' })).toBe('');
  });

  test.each(['amount_of_sales', 'ordinary_profit', 'number_of_employees', 'year_of_establishment'])(
    '§5.13 the numeric range %s has exclusive bounds',
    async (field) => {
      const scene = await openScene([{ company_name: 'A', [field]: 1990 }]);
      const range = (from: number, to: number) => ({ [`${field}_from`]: String(from), [`${field}_to`]: String(to) });
      expect(await names(scene, range(1989, 1991))).toBe('A');
      expect(await names(scene, range(1990, 1991))).toBe('');
      expect(await names(scene, range(1989, 1990))).toBe('');
    },
  );

  test('§5.12 every filter of the attack list screen cuts the attack list as it cuts the list', async () => {
    const amounts = (n: number) => ({
      amount_of_sales: n,
      ordinary_profit: n,
      number_of_employees: n,
      year_of_establishment: n,
    });
    const scene = await openScene([
      { ...COMPANY, company_name: 'A', ...amounts(1990) },
      { company_name: 'B', company_email: 'info@b.example', ...amounts(1991) },
      { company_name: 'C', company_email: null },
    ]);
    const passing: Record<
      Exclude<keyof typeof prospectFilter, 'has_primary_email' | keyof OwnFilter>,
      readonly [wanted: string, names: string]
    > = {
      search: ['Aoba', 'A'],
      major_industry_type: ['製造', 'A'],
      included_industry_type: ['部品', 'A'],
      address: ['港区', 'A'],
      company_email: ['aoba', 'A'],
      has_company_url: ['yes', 'A'],
      has_contact_url: ['no', 'BC'],
      has_company_email: ['yes', 'AB'],
      amount_of_sales_from: ['1990', 'B'],
      amount_of_sales_to: ['1991', 'A'],
      ordinary_profit_from: ['1990', 'B'],
      ordinary_profit_to: ['1991', 'A'],
      number_of_employees_from: ['1990', 'B'],
      number_of_employees_to: ['1991', 'A'],
      year_of_establishment_from: ['1990', 'B'],
      year_of_establishment_to: ['1991', 'A'],
    };
    for (const [filter, [wanted, listed]] of Object.entries(passing)) {
      expect([filter, await names(scene, { [filter]: wanted })]).toStrictEqual([filter, listed]);
      // C has no address: it is counted, but never offered.
      const cut = { matched: listed.length, names: listed.replace('C', '') };
      expect([filter, await preview(scene, filter, wanted)]).toStrictEqual([filter, cut]);
    }
  });
});

describe('account', () => {
  const PASSWORD = '正しい馬 電池 ホチキス';
  const NEXT = '次の次の馬 電池 ホチキス';

  async function change(passwords: Record<string, string>) {
    const database = await emptyDatabase();
    const person = { email: 'taro@example.com', name: '太郎', company: '会社', password: PASSWORD };
    const id = (await createAccount(database.db, person)) as number;
    const client = await clientOf(database, id);
    return client.put(`/auth/password/${id}`, { current_password: PASSWORD, new_password: NEXT, ...passwords });
  }

  test('§5.15 bad-inputs 62: the current and the new password must differ', async () => {
    const message = '現在のパスワードと新規パスワードは違うものにしてください';
    expect(await change({ new_password: PASSWORD })).toMatchObject({ status: 400, body: { message } });
  });

  test('§5.16 bad-inputs 63: the new password and its confirmation must match', async () => {
    const message = '新規パスワードと確認用のパスワードが違います';
    const answer = await change({ new_password_confirmation: `${NEXT}!` });
    expect(answer).toMatchObject({ status: 400, body: { message } });
    expect((await change({ new_password_confirmation: NEXT })).status).toBe(200);
  });

  test('§5.18 a confirmation token that the server does not accept is not status 200', async () => {
    const { client, tenant } = await openScene();
    const path = `/auth/confirmation_token/${tenant.accountId}/confirm`;
    expect(await client.post(path, { confirmation_token: 'unknown' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_confirmation' },
    });
  });
});
