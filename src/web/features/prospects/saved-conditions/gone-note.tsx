import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { type OwnField, ownFieldList } from '#web/lib/data/own/own-fields.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import { OWN_LIST_MESSAGES } from '../own/words.ts';
import {
  isEmptyCondition,
  putCondition,
  readSaved,
  reloadSaved,
  type SavedCondition,
  whereInfoOf,
} from './saved-condition.ts';
import { CONDITION_MESSAGES as messages } from './words.ts';

const FIELDS: Readonly<Record<string, string>> = { ...FILTER_MESSAGES.fields, ...messages.otherFields };

/** Returns the label of a part: also of an own field (`custom.KEY`). An unknown part keeps its name in the protocol. */
function labelOf(field: string, own: readonly OwnField[] | undefined): string {
  const [, key] = /^custom\.(\w+)$/.exec(field) ?? [];
  if (key !== undefined && own === undefined) return OWN_LIST_MESSAGES.unknown;
  if (key !== undefined) return own?.find((one) => one.key === key)?.label ?? OWN_LIST_MESSAGES.goneField;
  return FIELDS[field.replace(/_(from|to)$/, '')] ?? field;
}

/** Names the parts of the chosen condition that no longer exist, and offers to save the rest. */
export default function GoneNote({ chosen }: { readonly chosen: SavedCondition }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const left = readSaved(chosen);
  const { data: own } = useQuery({ ...ownFieldList, meta: { quiet: true } });
  const parts = chosen.gone.map(({ field, value }) => FILTER_MESSAGES.chip(labelOf(field, own), value));

  async function save(): Promise<void> {
    setBusy(true);
    const answer = await putCondition(chosen, { where_info: whereInfoOf(left) });
    setBusy(false);
    if (!answer.ok) toast('warning', answer.message);
    else toast('success', messages.done);
    await reloadSaved(client);
  }

  return (
    <Notice
      tone="warning"
      role="status"
      act={
        isEmptyCondition(left) ? null : (
          <May call="updateSavedCondition">
            <Button busy={busy} onClick={() => void save()}>
              {messages.saveRest}
            </Button>
          </May>
        )
      }
    >
      {messages.gone(chosen.name, parts.join(LIST_SEPARATOR))}
    </Notice>
  );
}
