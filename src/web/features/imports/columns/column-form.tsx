import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { inUse, ownFieldList } from '#web/lib/data/own/own-fields.ts';
import { focusFault } from '#web/lib/form/focus-fault.ts';
import type { StepProps } from '../file-step.tsx';
import type { Look } from '../import-query.ts';
import screen from '../import-screen.module.css';
import { ReadingButton, StepButtons } from '../step-buttons.tsx';
import { postCheck, useAct } from '../use-act.ts';
import { IMPORT_MESSAGES } from '../words.ts';
import {
  checkSettings,
  chosenColumns,
  chosenTag,
  columnFaults,
  type ImportDraft,
  MAX_LABEL,
  newFieldFaults,
  type RemarksGroups,
  remarksGroup,
} from './column-draft.ts';
import styles from './column-step.module.css';
import { ColumnTable } from './column-table.tsx';
import { COLUMN_MESSAGES } from './words.ts';

interface FormProps extends Pick<StepProps, 'onStep'> {
  readonly id: number;
  /** The name of the file. */
  readonly name: string;
  readonly look: Look;
  readonly draft: ImportDraft;
  readonly groups: RemarksGroups;
  readonly isUploading: boolean;
  readonly onChange: (part: Partial<ImportDraft>) => void;
}

export function ColumnForm({ id, name, look, draft, groups, isUploading, onChange, onStep }: FormProps) {
  const form = useRef<HTMLDivElement>(null);
  const { busy, fault, act } = useAct(id);
  // Counts presses of 次へ despite an error.
  const [presses, setPresses] = useState(0);
  const choices = chosenColumns(look.columns, draft);
  const faults = columnFaults(choices);
  const group = remarksGroup(groups, draft);
  const { data: own } = useQuery(ownFieldList);
  const hasNewFault = choices.some((choice) => Object.keys(newFieldFaults(choice)).length > 0);
  const tag = chosenTag(look.columns, draft);
  const isTagMissing = tag?.trim() === '';
  const hasFault = faults.isNameMissing || faults.twice.size > 0 || hasNewFault || isTagMissing;
  useEffect(() => {
    if (presses > 0) focusFault(form.current);
  }, [presses]);

  function check(): void {
    if (hasFault) {
      setPresses(presses + 1);
      return;
    }
    const body = { add_info: checkSettings(look, draft, group?.id) };
    void act(postCheck(id, body), body, () => onStep('check'));
  }

  const { uploading, complete, remember } = COLUMN_MESSAGES;
  const faultText = firstFault(faults, hasNewFault);
  return (
    <div ref={form} className="stack">
      <Proposal look={look} draft={draft} onChange={onChange} />
      <ColumnTable
        columns={look.columns}
        own={inUse(own)}
        choices={choices}
        faults={faults}
        isNameAsked={presses > 0}
        remarksGroup={<RemarksGroupField groups={groups} group={group} onChange={(groupId) => onChange({ groupId })} />}
        onChange={(index, choice) => onChange({ columns: { ...draft.columns, [index]: choice } })}
      />
      <small>
        {COLUMN_MESSAGES.addressHelp}
        {choices.some(({ field }) => field === 'remarks') ? COLUMN_MESSAGES.remarksHelp : null}
      </small>
      <TagField tag={tag} name={name} isMissing={isTagMissing} onChange={(typed) => onChange({ tag: typed })} />
      {look.heading.length === 0 ? null : (
        <label className={`row ${screen.line}`}>
          <input
            type="checkbox"
            checked={draft.remember}
            onChange={({ target }) => onChange({ remember: target.checked })}
          />
          {remember}
        </label>
      )}
      <StepButtons>
        <p role="status" data-fault={hasFault || undefined} className={`row ${screen.line}`}>
          {hasFault ? (
            faultText
          ) : (
            <>
              <IconCheck size={16} aria-hidden />
              {isUploading ? uploading : complete}
            </>
          )}
        </p>
        {fault === null ? null : (
          <Notice tone="bad" role="alert">
            {fault}
          </Notice>
        )}
        <ReadingButton onStep={onStep} />
        <Button variant="primary" busy={busy || isUploading} onClick={check}>
          {IMPORT_MESSAGES.next}
        </Button>
      </StepButtons>
    </div>
  );
}

/** Says what prevents the check. */
function firstFault({ isNameMissing, twice }: ReturnType<typeof columnFaults>, hasNewFault: boolean): string {
  if (isNameMissing) return COLUMN_MESSAGES.noCompanyName;
  if (twice.size > 0) return COLUMN_MESSAGES.twice;
  return hasNewFault ? COLUMN_MESSAGES.newField.wrong : COLUMN_MESSAGES.tagMissing;
}

interface TagProps {
  /** undefined: none is offered. */
  readonly tag: ImportDraft['tag'] | undefined;
  readonly name: string;
  readonly isMissing: boolean;
  readonly onChange: (tag: ImportDraft['tag']) => void;
}

/** Gives all companies of the file a tag, by default the name of the file. A tag has no separator of tags. */
function TagField({ tag, name, isMissing, onChange }: TagProps) {
  const byFile = name
    .replace(/\.[a-z0-9]+$/i, '')
    .replaceAll(/[,\u3001\uff0c]+/g, ' ')
    .slice(0, MAX_LABEL);
  if (tag === undefined) return null;
  return (
    <div className={`row ${screen.line}`}>
      <label className="line">
        <input
          type="checkbox"
          checked={tag !== null}
          onChange={({ target }) => onChange(target.checked ? byFile : null)}
        />
        {COLUMN_MESSAGES.tagAll}
      </label>
      {tag === null ? null : (
        <TextField
          label={COLUMN_MESSAGES.tag}
          autoComplete="off"
          maxLength={MAX_LABEL}
          value={tag}
          error={isMissing ? COLUMN_MESSAGES.tagMissing : undefined}
          onChange={onChange}
        />
      )}
    </div>
  );
}

interface GroupProps {
  readonly groups: RemarksGroups;
  readonly group: RemarksGroups['current'];
  readonly onChange: (id: number) => void;
}

/** Selects the sender group that gets the remarks of the file. */
function RemarksGroupField({ groups, group, onChange }: GroupProps) {
  if (group === undefined) return null;
  return (
    <SelectField
      className={styles.select}
      label={COLUMN_MESSAGES.remarksGroup}
      choices={groups.all.map(({ id, group_name: label }) => ({ value: String(id), label }))}
      value={String(group.id)}
      onChange={(value) => onChange(Number(value))}
    />
  );
}

/** Shows the source of the proposed fields, and restores them after changes. */
function Proposal({ look: { mapping }, draft, onChange }: Pick<FormProps, 'look' | 'draft' | 'onChange'>) {
  const { saved, auto, useSaved, useAuto } = COLUMN_MESSAGES;
  const isSaved = mapping === 'saved';
  if (Object.keys(draft.columns).length === 0) return <small>{isSaved ? saved : auto}</small>;
  return (
    <div>
      <Button variant="quiet" onClick={() => onChange({ columns: {} })}>
        {isSaved ? useSaved : useAuto}
      </Button>
    </div>
  );
}
