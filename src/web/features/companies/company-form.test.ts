import { describe, expect, it } from 'vitest';
import { company } from '#test/web/samples.ts';
import { changedFields, storedOf } from './company-form.ts';

const before = storedOf(company(5), 1);

describe('the form of a company', () => {
  it('holds numbers as the screen shows them, and the remarks of the group', () => {
    const { form } = storedOf(company(5, { number_of_employees: null }), 1);
    expect([form.amount_of_sales, form.year_of_establishment, form.number_of_employees]).toEqual([
      '100,000,000',
      '1985',
      '',
    ]);
    const remarked = company(5, {
      groups: [
        {
          sender_group_id: 2,
          group_name: '東',
          active: 1,
          remarks: '電話',
          remarks_version: 'r1',
          status: 'unsent',
          sent_at: null,
          send_at: null,
          reservation_id: null,
        },
      ],
    });
    expect([storedOf(remarked, 2).form.remarks, storedOf(remarked, 1).form.remarks]).toEqual(['電話', '']);
  });

  it('sends only what was changed, without the white space around it', () => {
    const form = { ...before.form, ceo: ' 佐藤 花子 ', amount_of_sales: ' 1.2億' };
    expect(changedFields(form, before.form)).toEqual({ amount_of_sales: '1.2億' });
  });
});
