import { describe, expect, it } from 'vitest';
import { company } from '#test/web/samples.ts';
import { changedFields, EMPTY_FORM, merged, readDraft, type Stored, storedOf } from './company-form.ts';

const before = storedOf(company(5), 1);
const later = (values: Parameters<typeof company>[1]): Stored => storedOf(company(5, { version: 'v2', ...values }), 1);

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
        { sender_group_id: 2, group_name: '東', active: 1, remarks: '電話', remarks_version: 'r1', sent_at: null },
      ],
    });
    expect([storedOf(remarked, 2).form.remarks, storedOf(remarked, 1).form.remarks]).toEqual(['電話', '']);
  });

  it('sends only what was changed, without the white space around it', () => {
    const form = { ...before.form, ceo: ' 佐藤 花子 ', amount_of_sales: ' 1.2億' };
    expect(changedFields(form, before.form)).toEqual({ amount_of_sales: '1.2億' });
  });

  it('reads a draft that lacks fields of today', () => {
    const draft = JSON.stringify({ base: { version: null, form: {} }, form: { company_name: '甲社' } });
    expect(readDraft(draft)?.form).toEqual({ ...EMPTY_FORM, company_name: '甲社' });
  });
});

describe('a company that another person has changed', () => {
  const typed = { base: before, form: { ...before.form, ceo: '鈴木 一郎' } };

  it('takes their values where this person changed nothing, and shows them', () => {
    const { form, theirs } = merged(typed, later({ address: '大阪府' }));
    expect([form.ceo, form.address]).toEqual(['鈴木 一郎', '大阪府']);
    expect(theirs).toEqual([{ field: 'address', theirs: '大阪府' }]);
  });

  it('keeps this person’s value where both changed a field, and shows theirs', () => {
    const { form, theirs } = merged(typed, later({ ceo: '高橋 次郎' }));
    expect(form.ceo).toBe('鈴木 一郎');
    expect(theirs).toEqual([{ field: 'ceo', theirs: '高橋 次郎' }]);
  });

  it('shows nothing of a field that both changed to the same value', () => {
    expect(merged(typed, later({ ceo: '鈴木 一郎' })).theirs).toEqual([]);
  });
});
