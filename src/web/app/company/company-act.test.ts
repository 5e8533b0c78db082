import { describe, expect, it } from 'vitest';
import { company } from '#test/web/samples.ts';
import { companyAct } from './company-act.ts';

const NOW = Date.parse('2026-11-29T10:00:00+09:00');
const NOTICE = { id: 9, kind: 'address', source: 'dsn', reason: '550', created_at: '2026/11/23 04:09:00' } as const;
const [GROUP] = company(1).groups;
type Company = ReturnType<typeof company>;

/** Returns the act for a company that was never mailed, with other values of its own and of its group. */
function actOf(values: Partial<Company> = {}, group: Partial<NonNullable<typeof GROUP>> = {}, days = 7) {
  const own = { ...GROUP, active: 1, status: 'unsent', sent_at: null, send_at: null, reservation_id: null, ...group };
  const sample = company(1, { company_email: 'info@c1.example.jp', publication_notice: null, ...values });
  return companyAct({ ...sample, groups: [own as Company['groups'][number]] }, 1, days, NOW);
}

describe('filled is what can be done:', () => {
  it.each<[string, ReturnType<typeof actOf>, ReturnType<typeof companyAct>]>([
    ['a company that was never mailed gets a mail', actOf(), 'send'],
    ['one mailed before the interval too', actOf({}, { status: 'sent', sent_at: '2026/11/22 09:59' }), 'send'],
    ['one within it none', actOf({}, { status: 'sent', sent_at: '2026/11/22 10:01' }), null],
    ['an interval of 0 days excludes none', actOf({}, { status: 'sent', sent_at: '2026/11/29 09:59' }, 0), 'send'],
    ['a dead address is mended', actOf({ suppressed: { ...NOTICE, class: 'undeliverable' } }), 'mend'],
    ['so is one that refused the last mail', actOf({}, { status: 'undeliverable' }), 'mend'],
    ['a refusal is final', actOf({ suppressed: { ...NOTICE, class: 'refused' } }), null],
    ['a reply is handled', actOf({ replied: 1 }), 'reply'],
    ['before a reservation is seen', actOf({ replied: 1 }, { status: 'reserved' }), 'reply'],
    ['a doubtful reply needs a decision', actOf({ replied: 1, maybe_refused: { id: 1, company_name: '' } }), null],
    ['a reservation is seen', actOf({}, { status: 'reserved' }), 'reservation'],
    ['a mail on its way is awaited', actOf({}, { status: 'in_progress' }), null],
    ['no address', actOf({ company_email: '' }), null],
    ['a notice that declines mails', actOf({ publication_notice: 'refused' }), null],
    ['switched off', actOf({}, { active: 0 }), null],
    ['archived, whatever else', actOf({ archived: 1, replied: 1 }), null],
    ['no sender group', companyAct(company(1), undefined, 7, NOW), null],
  ])('%s', (_what, act, expected) => {
    expect(act).toBe(expected);
  });
});
