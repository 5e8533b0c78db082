import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Call } from '#contract/call.ts';
import { neededRole } from '#domain/account/role.ts';
import { contractCalls } from './contract.ts';

/**
 * What leads to a call that a member may not make is not drawn (decisions/members): whatever the web client calls and a
 * viewer may not, it asks about by `useMay` or `May`, with the group where the call acts in one.
 */

const WEB = join(import.meta.dirname, '../src/web');
const sources = globSync('**/*.{ts,tsx}', { cwd: WEB }).filter((path) => !path.includes('.test.'));
const text = sources.map((path) => readFileSync(join(WEB, path), 'utf8')).join('\n');

/** Calls whose controls stand behind the question about another call: the button that leads to them, or a twin. */
const BEHIND: Readonly<Record<string, string>> = {
  addPresetDays: 'addClosingDay',
  addReply: 'updateProspect',
  addSampleCompanies: 'createProspect',
  addTemplateFolder: 'updateTemplateFolder',
  archiveMailTemplate: 'updateMailTemplate',
  cancelJob: 'startImport',
  checkMailbox: 'updateMailbox',
  checkImport: 'startImport',
  // The dialog of a mailbox that may be changed, and the way back from its provider.
  authorizeMailbox: 'updateMailbox',
  authorizedMailbox: 'updateMailbox',
  decideUnknown: 'steerRun',
  deleteExport: 'startExport',
  deleteImportFile: 'undoImport',
  discardImport: 'undoImport',
  erasePersonalData: 'viewPersonalData',
  getExportFile: 'startExport',
  importClosingDays: 'addClosingDay',
  moveMailTemplate: 'updateMailTemplate',
  removeTemplateFolder: 'updateTemplateFolder',
  reserve: 'sendMail',
  restoreMailTemplate: 'updateMailTemplate',
  restoreProspect: 'archiveProspect',
  retryFailures: 'steerRun',
  getOidc: 'updateAccountRule',
  runImport: 'startImport',
  sendInvitation: 'listInvitations',
  sendMemberPasswordReset: 'updateMember',
  sendReservationNow: 'updateReservation',
  sendTemplateTest: 'updateMailTemplate',
  updateInvitation: 'listInvitations',
  updateOAuthApp: 'getOAuthApp',
  updateOidc: 'updateAccountRule',
  uploadImport: 'startImport',
};

/** Calls that act in a group, and whose controls cannot know it: the server refuses, and says whom to ask. */
const GROUP_UNKNOWN: Readonly<Record<string, string>> = {
  addMailTemplate: 'the copy of a template names no sender of its list',
  archiveMailTemplate: "the list's senders have names of groups, no ids",
  decideRestored: 'all groups at once, by an admin',
  runImport: 'the step of the columns offers the own groups only',
  undoImport: 'an import names the group of its remarks, without an id',
  updateMailTemplate: 'the senders of other groups cannot be ticked',
};

let calls: ReadonlyMap<string, Call>;
beforeAll(async () => {
  calls = new Map((await contractCalls()).map(({ name, call }) => [name, call]));
});

const called = [
  ...new Set(
    Array.from(text.matchAll(/\b(?:call|downloadFile|fetchFile|openStream)\(\s*'(\w+)'/g), ([, name]) => name ?? ''),
  ),
];
const callOf = (name: string): Call => calls.get(name) as Call;
const roleOf = (name: string) => neededRole(callOf(name).method, callOf(name).needs);
/** The calls that a viewer may not make, of those that need a session. */
const refused = () => called.filter((name) => callOf(name).auth !== 'none' && roleOf(name) !== 'viewer');

/** The questions about a call, as the sources write them. */
const questions = (name: string): readonly string[] => [
  ...Array.from(text.matchAll(new RegExp(`useMay\\('${name}'(?:, \\{[^}]*\\})?\\)`, 'g')), ([question]) => question),
  ...Array.from(text.matchAll(new RegExp(`<May call="${name}"[^>]*>`, 'g')), ([question]) => question),
];

test('each call that a viewer may not make is asked about before its control is drawn', () => {
  const asked = (name: string) => questions(BEHIND[name] ?? name).length > 0;
  expect(called.length).toBeGreaterThan(100);
  expect(refused().filter((name) => !asked(name))).toStrictEqual([]);
});

test('a call stands behind one that needs the same role or a higher one, and is made itself', () => {
  const rank = ['viewer', 'sales', 'admin'];
  for (const [name, before] of Object.entries(BEHIND)) {
    expect(called, name).toContain(name);
    expect(rank.indexOf(roleOf(before)), name).toBeGreaterThanOrEqual(rank.indexOf(roleOf(name)));
  }
});

test('a call that acts in a group is asked about with the group', () => {
  const acts = refused().filter((name) => callOf(name).errors?.some((code) => [code].flat()[0] === 'not_in_group'));
  const withGroup = (name: string) => questions(BEHIND[name] ?? name).some((question) => question.includes('groupId'));
  expect(acts.length).toBeGreaterThan(10);
  expect(acts.filter((name) => !withGroup(name) && !(name in GROUP_UNKNOWN))).toStrictEqual([]);
});
