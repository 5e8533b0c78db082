import type { z } from 'zod';
import type { Call, CallAnswer } from '#contract/call.ts';
import type { checkImport, runImport } from '#contract/imports/imports-steps.ts';
import { LABEL_MESSAGES, type LabelFault, parseLabel } from '#domain/company/own-label.ts';
import { MAX_OWN_FIELDS } from '#domain/limits.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { acceptJob } from '../jobs/accept-job.command.ts';
import type { JobInputs } from '../jobs/job.ts';
import { tooManyFields } from '../own-fields/ensure.command.ts';
import { readOwnFields } from '../own-fields/own-fields.queries.ts';
import { type CompaniesMax, companiesFault } from '../prospects/companies-max.queries.ts';
import { ownsSenderGroup } from '../prospects/list/sender-group.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { findImport, type StoredImport } from './import.queries.ts';
import { type ImportSettings, settingsAfter, tableOf } from './import-settings.ts';
import {
  busy,
  importEnded,
  isBusy,
  notChecked,
  notUndoable,
  notUploaded,
  undoUntil,
  wasImported,
} from './import-state.ts';
import { fieldGone, noRemarksGroup } from './read/faults.ts';
import { type ChosenColumn, chosenHeader } from './read/table/chosen-header.ts';
import { isKnownHeading } from './read/table/extra-headings.ts';

type Started = CallAnswer<typeof runImport>;
type ImportJob = 'import_check' | 'import_run' | 'import_undo';

interface Step<Kind extends ImportJob> {
  readonly kind: Kind;
  readonly input: JobInputs[Kind];
  /** The call with its key and body; a repeated request starts no second job. */
  readonly request: {
    readonly call: Pick<Call, 'method' | 'path'>;
    readonly key: string | undefined;
    readonly input: unknown;
  };
  readonly refuse: (run: StoredImport, tx: Tx) => Problem | null | Promise<Problem | null>;
  /** The changes stored with the job. */
  readonly set?: (run: StoredImport) => {
    readonly settings: string;
    readonly sender_group_id: number | null;
    readonly review: null;
    readonly state: StoredImport['state'];
  };
}

/** Starts an import job, unless one is waiting or running. */
function startStep<Kind extends ImportJob>(
  account: MemberDb,
  { kind, input, request, refuse, set }: Step<Kind>,
): Promise<Started | Problem> {
  const { id: accountId, memberId } = account;
  const importRunId = input.import_run_id;
  /** A check writes no remarks; a run writes them in their group, and an undo takes them back. */
  const remarksProblem = async ({ remarksGroupId }: StoredImport, tx: Tx) =>
    kind === 'import_check' || remarksGroupId === null
      ? null
      : groupProblem(tx, account, 'sender_group', remarksGroupId);
  return createOnce(account, request, async (tx) => {
    const run = await findImport(tx, accountId, importRunId, { lock: true });
    if (!run) return notFound();
    if (isBusy(run)) return busy();
    const problem = (await refuse(run, tx)) ?? (await remarksProblem(run, tx));
    if (problem !== null) return problem;
    const id = await acceptJob(tx, account, kind, input);
    if (id instanceof Problem) return id;
    await tx
      .updateTable('import_run')
      .set({ ...set?.(run), job_id: id })
      .where('account_id', '=', accountId)
      .where('id', '=', importRunId)
      .execute();
    const detail = { import_run_id: importRunId, job_id: id, job_kind: kind };
    await recordAudit(tx, { accountId, memberId, kind: 'import_job_started', detail });
    return { status: 'added' as const, id };
  });
}

/** Starts a check with these settings. A run follows the last check. */
export function startCheck(
  account: MemberDb,
  id: number,
  {
    body,
    call,
    key,
  }: { body: z.output<(typeof checkImport)['body']>; call: typeof checkImport; key: string | undefined },
): Promise<Started | Problem> {
  const settingsOf = ({ settings }: StoredImport) => settingsAfter(settings, body.add_info);
  return startStep(account, {
    kind: 'import_check',
    input: { import_run_id: id },
    request: { call, key, input: [id, body] },
    refuse: async (run, tx) => {
      if (wasImported(run.state)) return importEnded();
      if (run.fileId === null || run.uploaded !== run.bytes) return notUploaded();
      return settingsFault(tx, account.id, settingsOf(run));
    },
    set: (run) => {
      const settings = settingsOf(run);
      const senderGroupId = settings.sender_group_id ?? null;
      return { settings: JSON.stringify(settings), sender_group_id: senderGroupId, review: null, state: 'uploaded' };
    },
  });
}

/** Returns why a file cannot be read with these settings. */
async function settingsFault(tx: Tx, accountId: number, settings: ImportSettings): Promise<Problem | null> {
  const table = tableOf(settings);
  // The headings are not known here. They would only order the parts of an address.
  const fault = table && chosenHeader([], 0, table.columns);
  if (fault instanceof Problem) return fault;
  const ownFault = await ownFieldFault(tx, accountId, table?.columns ?? [], settings.tag);
  if (ownFault) return ownFault;
  const { sender_group_id: senderGroupId } = settings;
  if (senderGroupId !== undefined) return (await ownsSenderGroup(tx, { accountId, senderGroupId })) ? null : notFound();
  return table?.columns.some(({ field }) => field === 'remarks') ? noRemarksGroup : null;
}

/** Returns why the own fields and the tag of a file cannot be. */
async function ownFieldFault(
  tx: Tx,
  accountId: number,
  columns: readonly ChosenColumn[],
  tag: string | undefined,
): Promise<Problem | null> {
  if (tag !== undefined) {
    const parsed = parseLabel(tag);
    if (!parsed.ok) return invalidLabel(parsed.fault, 'add_info.tag');
  }
  const own = columns.filter(({ field }) => field === 'own');
  if (own.length === 0) return null;
  const fields = await readOwnFields(tx, accountId);
  const used = new Set(fields.flatMap(({ id, archived }) => (archived ? [] : [id])));
  const labels = new Set(fields.map(({ label }) => foldHeading(label)));
  const made = new Set<string>();
  for (const { custom_field_id: id, new_field: field } of own) {
    if (field === undefined) {
      if (id === undefined || !used.has(id)) return fieldGone;
      continue;
    }
    const parsed = parseLabel(field.label);
    if (!parsed.ok) return invalidLabel(parsed.fault, 'add_info.table.columns');
    if (isKnownHeading(field.label)) return labelTaken(field.label);
    if (!labels.has(foldHeading(field.label))) made.add(foldHeading(field.label));
  }
  return fields.length + made.size > MAX_OWN_FIELDS ? tooManyFields() : null;
}

const invalidLabel = (fault: LabelFault, path: string) =>
  new Problem('invalid_input', `${LABEL_MESSAGES[fault]}。`, undefined, [{ path, message: LABEL_MESSAGES[fault] }]);

const labelTaken = (label: string) =>
  new Problem('label_taken', `「${label}」は会社か人の項目の名前です。別の名前にしてください。`);

/** Starts the import of a checked file. */
export const startRun = (
  account: MemberDb,
  id: number,
  {
    body,
    call,
    key,
    companiesMax,
  }: CompaniesMax & { body: z.output<(typeof runImport)['body']>; call: typeof runImport; key: string | undefined },
): Promise<Started | Problem> =>
  startStep(account, {
    kind: 'import_run',
    input: { import_run_id: id, mode: body.add_info.mode },
    request: { call, key, input: [id, body] },
    refuse: ({ state, fileId, review }, tx) => {
      if (wasImported(state)) return importEnded();
      if (fileId === null) return notUploaded();
      if (state !== 'checked') return notChecked();
      const toCome = review?.added ?? 0;
      return toCome === 0 ? null : companiesFault(tx, account.id, companiesMax, { toCome });
    },
  });

/** Starts an undo. @param now epoch milliseconds */
export const startUndo = (
  account: MemberDb,
  id: number,
  call: Pick<Call, 'method' | 'path'>,
  now: number,
): Promise<Started | Problem> =>
  startStep(account, {
    kind: 'import_undo',
    input: { import_run_id: id },
    request: { call, key: undefined, input: id },
    refuse: (run) => {
      const until = undoUntil(run);
      return until === null || until < now ? notUndoable() : null;
    },
  });
