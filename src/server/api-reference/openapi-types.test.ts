import { registerHooks } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { serveApp } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import type { OpenApiDocument } from './openapi-document.ts';

/** openapi-typescript needs the compiler API of TypeScript 5, which TypeScript 7 lacks (decisions/api-reference). */
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier === 'typescript' && context.parentURL?.includes('/openapi-typescript/') ? 'typescript-5' : specifier,
      context,
    ),
});

interface Generator {
  readonly default: (document: object) => Promise<readonly object[]>;
  readonly astToString: (nodes: readonly object[]) => string;
}

let types: string;

beforeAll(async () => {
  const database = await emptyDatabase();
  const { address } = await serveApp(database);
  const document = (await (await fetch(`${address}/openapi.json`)).json()) as OpenApiDocument;
  // The type checker does not follow a name in a variable: the package's types need TypeScript 5 too.
  const generator: string = 'openapi-typescript';
  const { default: nodesOf, astToString } = (await import(/* @vite-ignore */ generator)) as Generator;
  types = astToString(await nodesOf(document));
});

test('openapi-typescript makes a type of each shared schema under its name', () => {
  const [, schemas = ''] = /\n {4}schemas: \{\n([\s\S]*?)\n {4}\};\n/.exec(types) ?? [];
  const names = [...schemas.matchAll(/^ {8}(\w+): \{$/gm)].map(([, name = '']) => name);
  expect(names.toSorted()).toStrictEqual([
    'Account',
    'ActiveProspect',
    'AttackListItem',
    'AttackListTarget',
    'CandidateDate',
    'CompanyDetail',
    'Delivery',
    'DomainHealth',
    'Error',
    'Export',
    'FinishedMail',
    'Import',
    'ImportChange',
    'ImportHistory',
    'ImportLine',
    'ImportLook',
    'ImportReview',
    'ImportUndo',
    'Job',
    'JudgedFigures',
    'LegalFault',
    'LegalProfile',
    'ListedRun',
    'MailCheckWarning',
    'MailTemplate',
    'MailTemplateRow',
    'MailWarning',
    'Notice',
    'OtherCompany',
    'Prospect',
    'ProspectView',
    'Reply',
    'ReportFigures',
    'Reservation',
    'Run',
    'SavedCondition',
    'SendGridEvent',
    'SendLog',
    'Sender',
    'SenderDetail',
    'SenderGroup',
    'SkippedTarget',
    'Suppression',
    'TemplateFolder',
    'TemplateSample',
    'TemplateVersion',
    'TemplateVersionRow',
    'TimelineEvent',
  ]);
});

test.each([
  ['getProspectList', 'Prospect'],
  ['getSenderList', 'Sender'],
  ['getReservationList', 'Reservation'],
  ['getSendLogList', 'SendLog'],
  ['getSendLogByIdDeliveries', 'Delivery'],
])('%s answers rows of the type %s', (operation, name) => {
  const [, body = ''] = new RegExp(`\\n {4}${operation}: \\{([\\s\\S]*?)\\n {4}\\};`).exec(types) ?? [];
  expect(body).toContain(`components["schemas"]["${name}"][]`);
});
