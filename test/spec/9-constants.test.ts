import { expect, test } from 'vitest';
import * as limits from '#domain/limits.ts';
import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { PICKER_TIMES, pickerWindow } from '#domain/sending/picker-window.ts';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { NOW, reservationBody, SEND_AT } from '#test/reservations.ts';
import { companies, listPath, offered, openScene, targets } from './scene.ts';

/** Section 9: the numbers, each defined once in src/domain/limits.ts, and their effects. */

test('§9.1 success is status 200', async () => {
  const { client } = await openScene([]);
  expect(await client.get('/prospect/list')).toStrictEqual({ status: 200, body: [] });
});

test('§9.3 default re-send interval 7 days, default fetch limit 10, default test limit 10', async () => {
  const { DEFAULT_RESEND_DAYS, DEFAULT_FETCH_LIMIT, DEFAULT_TEST_LIMIT } = limits;
  expect([DEFAULT_RESEND_DAYS, DEFAULT_FETCH_LIMIT, DEFAULT_TEST_LIMIT]).toStrictEqual([7, 10, 10]);
  const scene = await openScene(companies(11));
  expect(await offered(scene)).toHaveLength(10);
});

test('§9.4 fetch-limit choices: 1, 10, 50, 100, 200, 300, 400, 500, 1000', () => {
  expect(limits.FETCH_LIMITS).toStrictEqual([1, 10, 50, 100, 200, 300, 400, 500, 1000]);
});

test('§9.5 page sizes 20, 50, 100, 200; default 50; default page 1', async () => {
  expect([limits.PAGE_SIZES, limits.DEFAULT_PAGE_SIZE]).toStrictEqual([[20, 50, 100, 200], 50]);
  const { client, tenant, ids } = await openScene(companies(60));
  const page = async (query = '') => {
    const { body } = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${query}`);
    return (body as { rows: { id: number }[] }).rows.map(({ id }) => id);
  };
  expect(await page()).toStrictEqual(ids.slice(0, 50));
  expect(await page('&pagenate_num=1')).toStrictEqual(ids.slice(0, 50));
  expect(await page('&pagenate_num=2')).toStrictEqual(ids.slice(50));
});

test('§9.6 candidate window: starts tomorrow 08:00, three months long; 15 minutes; hours 00–07 and 21–23 disabled', () => {
  const { start, end } = pickerWindow(NOW);
  expect([formatSecond(start), formatSecond(end)]).toStrictEqual(['2026/11/19 08:00:00', '2027/02/19 08:00:00']);
  expect(PICKER_TIMES).toHaveLength(13 * 4);
  expect([PICKER_TIMES[0], PICKER_TIMES[1], PICKER_TIMES.at(-1)]).toStrictEqual(['8:00', '8:15', '20:45']);
});

test('§9.6 candidate default times 9:00 to 18:00', () => {
  expect(nextCandidate([], NOW)).toMatchObject({ start_time: '9:00', end_time: '18:00' });
});

test('§9.8 default reservation time: now plus one hour, on the hour', () => {
  expect(formatSecond(defaultSendAt(NOW))).toBe('2026/11/18 13:00:00');
  expect(formatSecond(defaultSendAt(NOW + 30 * 60_000))).toBe('2026/11/18 14:00:00');
});

test('§9.9 reservation list label: the first 16 characters of send_at are the time that the list of companies shows', async () => {
  const { client, tenant, ids } = await openScene();
  const { senderId: sender_id, senderGroupId } = tenant;
  await client.post(
    '/reservation',
    reservationBody({ sender_id, attack_list: targets(ids.slice(0, 1)), send_at: SEND_AT }),
  );
  const { body } = await client.get(listPath('/reservation/list', { sender_id }, ['send_at']));
  const [{ send_at } = { send_at: '' }] = body as { send_at: string }[];
  expect(send_at.slice(0, 16)).toBe('2026/11/20 09:00');
  const view = await client.get(`/prospect/view?sender_group_id=${senderGroupId}&status=reserved`);
  expect(view.body).toMatchObject({ rows: [{ send_at: send_at.slice(0, 16) }] });
});
