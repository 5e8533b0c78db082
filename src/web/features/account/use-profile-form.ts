import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useDraftForm } from '#web/lib/form/draft-form.ts';
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

/** The current password, which the server asks for at a new address when the log-in is older than 15 minutes. */
interface Proof {
  readonly password: string;
  readonly isAsked: boolean;
}

/** Returns an edited item of the profile. It is open while the session has its draft, changed or not. */
export function useProfileForm({ accountId, item, value, version, onSaved }: ProfileParts) {
  const client = useQueryClient();
  // Not in the draft: a password is stored nowhere.
  const [proof, setProof] = useState<Proof>(NO_PROOF);
  const isConflict = (error: Error) => hasCode(error, 'account_changed');
  const edited = useDraftForm({
    name: `account.${item}`,
    stored: { version: version ?? null, form: { text: value } },
    read: readDraft,
    write: writeDraft,
    merge: keepWhole,
    isSame: () => false,
    send: async ({ text }) => {
      const saved = text.trim();
      const body = {
        update_info: { [item]: saved },
        ...(version !== undefined && { version }),
        ...(proof.isAsked && { current_password: proof.password }),
      };
      const input = { params: { id: String(accountId) }, body };
      const result = await call('updateAccount', input);
      if (!result.ok && result.code === 'password_needed') setProof({ ...proof, isAsked: true });
      const answer = unwrap(result);
      await changeAccount(client, accountId, { [item]: saved });
      return answer;
    },
    onSaved: (_answer, { text }) => {
      setProof(NO_PROOF);
      onSaved(text.trim());
    },
    isConflict,
    reload: () => reloadAccount(client, accountId),
    fieldOf: (path) => (path === `update_info.${item}` ? 'text' : path),
    showsItself: (error) => SHOWN.some((code) => hasCode(error, code)),
  });
  return {
    ...edited,
    proof,
    setPassword(password: string): void {
      setProof({ password, isAsked: true });
      edited.forgetProblem();
    },
    discard(): void {
      setProof(NO_PROOF);
      edited.discard();
    },
  };
}

const NO_PROOF: Proof = { password: '', isAsked: false };

/** Refusals that the form shows. */
const SHOWN = ['account_changed', 'password_needed', 'wrong_password'];

export type EditedItem = ReturnType<typeof useProfileForm>;
