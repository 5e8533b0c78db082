import { expect, test } from 'vitest';
import { describedCalls } from './contract.ts';

/** PUT calls whose saves send no version, each with its reason (docs/decisions/concurrent-edits). */
const WITHOUT_VERSION: Readonly<Record<string, string>> = {
  '/account_rule': 'choices, each shown as it is after the press',
  '/auth/confirmation_token/{id}': 'one member’s own',
  '/auth/password/{account_id}': 'one member’s own',
  '/first_steps': 'one member’s own',
  '/import/{id}/content': 'the parts of one upload, at their places',
  '/invitation/{id}': 'a switch that goes one way',
  '/notice/{id}': 'one member’s own',
  '/notice_setting': 'one member’s own',
  '/mail_template/{id}/folder': 'one choice, shown as it is after the press',
  '/mail_template/{id}/sendgrid_footer': 'a switch',
  '/reply/{id}': 'switches; an address is named as it was seen',
  '/send_log/{id}': 'a switch',
  '/sender_limit/{profile_id}': 'one limit, shown with its ramp as it is after the save',
  '/session/{id}': 'a switch that goes one way',
  '/suppression/{id}': 'a switch that goes one way',
};

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly put?: { readonly requestBody?: { readonly content: Record<string, { schema: Schema }> } } }
    >
  >;
}
interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

test('each PUT of the API sends a version, or has a reason not to', async () => {
  const { paths } = (await describedCalls()) as Document;
  const puts = Object.entries(paths).flatMap(([path, { put }]) => (put ? [{ path, put }] : []));
  const without = puts.filter(({ put }) => {
    const { properties = {} } = put.requestBody?.content['application/json']?.schema ?? {};
    // The number of a claim is a version too.
    return !('version' in properties || 'claim_no' in properties);
  });
  expect(puts.length - without.length).toBeGreaterThanOrEqual(10);
  expect(without.map(({ path }) => path).toSorted()).toStrictEqual(Object.keys(WITHOUT_VERSION).toSorted());
});
