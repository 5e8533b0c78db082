import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DELIVERY_STATES, type DeliveryState } from '#domain/sending/delivery-state.ts';
import { type Verdict, verdictOf } from '../../sendgrid-events/event-verdict.ts';
import { type Delivery, deliveryAfter } from './delivery-after.ts';

const AT = new Date('2026-11-20T03:00:00Z');
const timestamp = AT.getTime() / 1000;
const verdict = (event: string, more: object = {}) => verdictOf({ event, timestamp, ...more });

describe('the verdict of an event', () => {
  test.each<[string, object, object | null]>([
    ['processed', {}, { kind: 'accepted', reply: 'SendGrid: processed', deliveredAt: null }],
    [
      'deferred',
      { response: '450 busy' },
      { kind: 'accepted', reply: 'SendGrid: deferred (450 busy)', deliveredAt: null },
    ],
    ['delivered', { response: '250 OK' }, { kind: 'accepted', reply: 'SendGrid: delivered (250 OK)', deliveredAt: AT }],
    [
      'bounce',
      { type: 'bounce', reason: '550 5.1.1 no' },
      { kind: 'refused', suppresses: { class: 'undeliverable', source: 'sendgrid' } },
    ],
    ['bounce', { type: 'blocked', reason: '550 5.7.1 no', status: '5.1.1' }, { kind: 'refused', suppresses: null }],
    ['bounce', { status: '5.1.1' }, { kind: 'refused', suppresses: { class: 'undeliverable', source: 'sendgrid' } }],
    ['bounce', { status: '5.2.2' }, { kind: 'refused', suppresses: null }],
    ['bounce', {}, { kind: 'refused', suppresses: null }],
    [
      'dropped',
      { reason: 'Bounced Address' },
      { kind: 'refused', suppresses: { class: 'undeliverable', source: 'sendgrid' } },
    ],
    [
      'dropped',
      { reason: 'Unsubscribed Address' },
      { kind: 'refused', suppresses: { class: 'refused', source: 'sendgrid' } },
    ],
    [
      'dropped',
      { reason: 'Spam Reporting Address' },
      { kind: 'refused', suppresses: { class: 'refused', source: 'complaint' } },
    ],
    ['dropped', { reason: 'Invalid' }, { kind: 'refused', suppresses: { class: 'undeliverable', source: 'sendgrid' } }],
    ['dropped', { reason: 'Spam Content' }, { kind: 'refused', suppresses: null }],
    ['spamreport', {}, { kind: 'unwanted', reply: 'SendGrid: spamreport' }],
    ['unsubscribe', {}, { kind: 'unwanted' }],
    ['group_unsubscribe', {}, { kind: 'unwanted' }],
    ['group_resubscribe', {}, null],
    ['open', {}, null],
    ['click', {}, null],
    ['account_status_change', {}, null],
  ])('%s %j', (event, more, expected) => {
    if (expected === null) expect(verdict(event, more)).toBeNull();
    else expect(verdict(event, more)).toMatchObject(expected);
  });

  test("a server's text is truncated and made printable; an impossible time becomes now", () => {
    expect(verdict('bounce', { reason: `a\r\n\0${'x'.repeat(9000)}` })?.reply).toMatch(/^SendGrid: bounce \(a x+$/);
    for (const timestamp of [undefined, -1, 1e300]) {
      const now = verdictOf({ event: 'delivered', timestamp });
      expect(now).toMatchObject({ deliveredAt: expect.any(Date) });
      expect((now as { deliveredAt: Date }).deliveredAt.getTime()).toBeLessThanOrEqual(Date.now());
    }
  });
});

const mail = (state: DeliveryState, more: Partial<Delivery> = {}): Delivery => ({
  state,
  claimNo: 2,
  attempts: 1,
  reply: '202',
  reason: null,
  deliveredAt: null,
  ...more,
});

const accepted = verdict('processed') as Verdict;
const delivered = verdict('delivered') as Verdict;
const bounced = verdict('bounce', { type: 'bounce' }) as Verdict;
const unwanted = verdict('spamreport') as Verdict;

describe('a mail after an event', () => {
  test.each<[DeliveryState, Partial<Delivery>, Verdict, DeliveryState]>([
    ['unknown', {}, accepted, 'sent'],
    ['unknown', {}, delivered, 'sent'],
    ['unknown', {}, bounced, 'failed'],
    ['unknown', {}, unwanted, 'sent'],
    ['sent', {}, accepted, 'sent'],
    ['sent', {}, bounced, 'failed'],
    ['sent', {}, unwanted, 'sent'],
    // The events come before SendGrid's answer is recorded.
    ['sending', { attempts: 0 }, accepted, 'sent'],
    ['sending', { attempts: 0 }, bounced, 'failed'],
    // Queued again after an unclear answer; the event shows that SendGrid accepted it.
    ['queued', {}, accepted, 'sent'],
    ['queued', {}, bounced, 'failed'],
    // Failed before, and queued again without attempts.
    ['queued', { attempts: 0 }, accepted, 'queued'],
    ['queued', { attempts: 0 }, bounced, 'queued'],
    ['failed', {}, delivered, 'failed'],
    ['claimed', {}, bounced, 'claimed'],
    ['cancelled', {}, bounced, 'cancelled'],
  ])('%s %j', (state, more, given, expected) => {
    expect(deliveryAfter(mail(state, more), given, 2).state).toBe(expected);
  });

  test('the first delivery time is kept, and a refusal clears it', () => {
    const at = deliveryAfter(mail('sent'), delivered, 2);
    expect(at).toStrictEqual({ ...mail('sent'), deliveredAt: AT });
    const later = verdict('delivered', { timestamp: timestamp + 60 }) as Verdict;
    expect(deliveryAfter(at, later, 2)).toStrictEqual(at);
    expect(deliveryAfter(at, bounced, 2)).toMatchObject({ state: 'failed', deliveredAt: null });
  });

  test('an event about another claim changes nothing', () => {
    for (const state of DELIVERY_STATES) {
      for (const given of [accepted, delivered, bounced, unwanted]) {
        const before = mail(state);
        expect(deliveryAfter(before, given, 1)).toBe(before);
      }
    }
  });

  test('the same events give the same result in any order and number', () => {
    const orders = fc.uniqueArray(fc.constantFrom(accepted, delivered, bounced), { minLength: 1 }).chain((events) => {
      const twice = [...events, ...events];
      return fc.tuple(fc.constant(events), fc.shuffledSubarray(twice, { minLength: twice.length }));
    });
    const starts = fc.constantFrom<DeliveryState>('sending', 'sent', 'unknown', 'queued');
    fc.assert(
      fc.property(orders, starts, ([events, shuffled], state) => {
        const endOf = (list: readonly Verdict[]) => {
          const end = list.reduce((one, event) => deliveryAfter(one, event, 2), mail(state));
          return [end.state, end.deliveredAt];
        };
        expect(endOf(shuffled)).toStrictEqual(endOf(events));
      }),
    );
  });
});
