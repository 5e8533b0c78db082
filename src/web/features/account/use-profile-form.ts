import { useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { type FormDraft, keepWhole, type Seen } from '#web/lib/form/merged-form.ts';
import { readTextDraft, writeTextDraft } from '#web/lib/form/text-draft.ts';
import { changeAccount, reloadAccount } from './account-query.ts';

/** The editable items of an account. An unconfirmed new address has its own field. */
export type ProfileItem = 'email_before_confirmation' | 'name' | 'company';

interface ItemForm {
  readonly text: string;
}

function readDraft(draft: string, stored: Seen<ItemForm>): FormDraft<ItemForm> {
  const { text, version = stored.version } = readTextDraft(draft);
  return { base: { version, form: stored.form }, form: { text }, shown: stored.version };
}

const writeDraft = ({ base: { version }, form }: FormDraft<ItemForm>): string =>
  writeTextDraft({ ...form, version: version ?? undefined });

export interface ProfileParts {
  readonly accountId: number;
  readonly item: ProfileItem;
  readonly value: string;
  /** The version of a value that other members can change too. */
  readonly version?: string | undefined;
  readonly onSaved: (value: string) => void;
}

/** Returns an edited item of the profile. It is open while the session has its draft, changed or not. */
export function useProfileForm({ accountId, item, value, version, onSaved }: ProfileParts): EditedItem {
  const client = useQueryClient();
  const isConflict = (error: Error) => hasCode(error, 'account_changed');
  return useDraftForm({
    name: `account.${item}`,
    stored: { version: version ?? null, form: { text: value } },
    read: readDraft,
    write: writeDraft,
    merge: keepWhole,
    isSame: () => false,
    send: async ({ text }) => {
      const saved = text.trim();
      const body = { update_info: { [item]: saved }, ...(version !== undefined && { version }) };
      const input = { params: { id: String(accountId) }, body };
      const answer = unwrap(await call('updateAccount', input));
      await changeAccount(client, accountId, { [item]: saved });
      return answer;
    },
    onSaved: (_answer, { text }) => onSaved(text.trim()),
    isConflict,
    reload: () => reloadAccount(client, accountId),
    fieldOf: (path) => (path === `update_info.${item}` ? 'text' : path),
    showsItself: isConflict,
  });
}

export type EditedItem = EditedForm<ItemForm>;
