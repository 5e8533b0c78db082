import { describe, expect, it } from 'vitest';
import { viewProspects } from '#contract/prospects.ts';
import { filterChange, readListParams } from './list-params.ts';
import { changedSearch } from './search-params.ts';

const read = (search: string) => readListParams(new URLSearchParams(search));

describe('the address of the list', () => {
  it('is read as it was written', () => {
    const filter = {
      search: '株式会社 新栄',
      address: '東京,大阪',
      has_company_url: 'yes',
      amount_of_sales_from: -5,
    } as const;
    const search = changedSearch(new URLSearchParams('tab=attack-list&address=旧'), filterChange(filter));
    expect(readListParams(search)).toMatchObject({ filter, tab: 'attack-list' });
  });

  it('names the chosen reservation', () => {
    expect(read('tab=reservations&reservation=12')).toMatchObject({ tab: 'reservations', reservation: 12 });
  });

  it('drops cleared values', () => {
    const search = changedSearch(new URLSearchParams('address=a&has_company_url=no&sort=ceo'), filterChange({}));
    expect(search.toString()).toBe('sort=ceo');
  });

  it.each([
    'sort=password',
    'sort=__proto__',
    'sort=constructor',
    'status=all',
    'status=toString',
    'tab=elsewhere',
    'reservation=0',
    'reservation=-1',
    'reservation=1e3',
    'reservation=99999999999999999999',
    'page=0',
    'page=1.5',
    'page=9999999',
    'amount_of_sales_from=1e3',
    'amount_of_sales_from=９',
    'amount_of_sales_from=99999999999999999999',
    'amount_of_sales_from=',
    'has_company_url=maybe',
    'address=%20%20',
    'address=%00',
    'search=%20%00',
  ])('ignores %s', (search) => {
    expect(read(search)).toEqual({ filter: {}, sort: {}, status: undefined, tab: 'prospects', page: 1 });
  });

  it('never sends the server an invalid query', () => {
    const { filter, sort, status } = read(
      `address=${'あ'.repeat(1200)}&company_email=%00%ED%A0%80a&sort=ceo&order=sideways&status=sent` +
        '&amount_of_sales_to=9007199254740991',
    );
    const query = { sender_group_id: 1, ...filter, ...sort, status };
    expect(viewProspects.query.safeParse(query).success).toBe(true);
    expect(sort).toEqual({ sort: 'ceo', order: 'asc' });
  });
});
