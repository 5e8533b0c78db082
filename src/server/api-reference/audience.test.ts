import { expect, test } from 'vitest';
import { contractCalls } from '#test/contract.ts';
import { SPECIFIED_CALLS } from '#test/spec/calls.ts';
import { openApiDocument } from './openapi.ts';

/** The calls that only our own screens make: they may change with any version, and no reference has them. */
const OF_SCREENS = `
  GET /account_rule
  PUT /account_rule
  GET /attack_list/follow_up_runs
  GET /attack_list/left_out
  GET /attack_list/preview
  GET /audit/view
  POST /auth/logout
  POST /auth/oidc/check
  POST /auth/oidc/finish
  POST /auth/oidc/start
  POST /auth/password_reset
  POST /auth/password_reset/confirm
  POST /auth/recovery_codes
  POST /auth/two_factor/confirm
  POST /auth/two_factor/off
  POST /auth/two_factor/start
  POST /closing_day
  PUT /closing_day/:id
  POST /closing_day/import
  GET /closing_day/list
  POST /closing_day/preset
  POST /domain_health/check
  GET /domain_health/list
  POST /domain_health/send_test
  GET /first_steps
  PUT /first_steps
  GET /inbox
  POST /invitation
  PUT /invitation/:id
  POST /invitation/:id/send
  POST /invitation/accept
  POST /invitation/check
  GET /invitation/list
  GET /legal_check/:sender_id
  PUT /legal_profile/:sender_group_id
  GET /legal_profile/list
  POST /mail/check/:sender_id
  GET /mail_retention
  PUT /mail_retention
  POST /mail_template
  GET /mail_template/:id
  PUT /mail_template/:id
  POST /mail_template/:id/archive
  PUT /mail_template/:id/folder
  POST /mail_template/:id/preview
  POST /mail_template/:id/restore
  PUT /mail_template/:id/sendgrid_footer
  POST /mail_template/:id/test
  GET /mail_template/:id/version/:number
  POST /mail_template/:id/version/:number/restore
  GET /mail_template/:id/version/list
  GET /mail_template/list
  GET /mail_template/samples
  POST /mail_template_folder
  PUT /mail_template_folder/:id
  POST /mail_template_folder/:id/remove
  GET /mail_template_folder/list
  POST /mailbox
  PUT /mailbox/:id
  POST /mailbox/:id/authorize
  POST /mailbox/:id/check
  POST /mailbox/authorized
  GET /mailbox/list
  PUT /member/:id
  POST /member/:id/password_reset
  GET /member/list
  PUT /notice/:id
  GET /notice/list
  POST /notice/read
  GET /notice/unread
  GET /notice_setting
  PUT /notice_setting
  GET /oauth_app/:provider
  PUT /oauth_app/:provider
  GET /oidc
  PUT /oidc
  POST /personal_data/erase
  POST /personal_data/view
  GET /prospect/industries
  POST /prospect/samples
  POST /prospect/samples/remove
  GET /prospect/view
  GET /report/view
  GET /reservation/:id
  POST /reservation/:id/send_now
  GET /reservation/:id/targets
  GET /reservation/calendar
  GET /reservation/view
  GET /restored
  POST /restored
  POST /saved_condition
  PUT /saved_condition/:id
  GET /saved_condition/count
  GET /saved_condition/list
  GET /send_log/:id/origin
  GET /send_log/:id/results
  GET /send_log/events
  GET /send_log/view
  POST /sender
  GET /sender/:id
  PUT /sender/:id
  POST /sender/:id/confirmation
  POST /sender_confirmation
  POST /sender_group
  PUT /sender_group/:id
  GET /sender_limit/:profile_id
  PUT /sender_limit/:profile_id
  PUT /sender_profile/:id
  GET /sender_profile/list
  GET /sending_rules/:sender_group_id
  PUT /sending_rules/:sender_group_id
  GET /session/list
  PUT /session/:id
  POST /session/end_others
  POST /setup
  POST /setup/check
`;

const calls = (await contractCalls()).map(({ call }) => call);
const routeOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const screens = calls.filter(({ audience }) => audience === undefined);
const integrators = calls.filter(({ audience }) => audience === 'integrator');

test('these calls are of our screens, and all others for integrators', () => {
  const listed = OF_SCREENS.trim()
    .split('\n')
    .map((line) => line.trim());
  expect(screens.map(routeOf).toSorted()).toStrictEqual(listed.toSorted());
});

test('§7 every call that the specification names is for integrators', () => {
  const plain = (route: string) => route.replace(/\/$/, '').replaceAll(/:\w+|\{\w+\}/g, '*');
  const routes = integrators.map((call) => plain(routeOf(call)));
  expect(SPECIFIED_CALLS.filter((route) => !routes.includes(plain(route)))).toStrictEqual([]);
});

test('a call of our screens has no prose of its own, and no text of its own for a refusal', () => {
  expect(screens.filter(({ description }) => description !== undefined).map(routeOf)).toStrictEqual([]);
  expect(screens.filter(({ errors = [] }) => errors.some(Array.isArray)).map(routeOf)).toStrictEqual([]);
});

test('the texts for integrators name no call that the reference lacks', () => {
  const { paths } = openApiDocument(integrators, Date.now());
  const known = integrators.map((call) =>
    routeOf(call)
      .replaceAll(/:(\w+)/g, '{$1}')
      .replace(/\/$/, ''),
  );
  const named = [...JSON.stringify(paths).matchAll(/`((?:GET|POST|PUT) \/[^`?]*)/g)].map(([, route = '']) => route);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((route) => !known.includes(route.replace(/\/$/, '')))).toStrictEqual([]);
});
