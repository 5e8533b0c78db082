import { useQueryClient } from '@tanstack/react-query';
import { TAG_COLOURS } from '#contract/companies/own-fields-names.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { Tag as TagMark } from '#web/components/inline/tag.tsx';
import { call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import type { Tag } from '#web/lib/data/own/own-fields.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import type { TheirField } from '#web/lib/form/merged-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './own-fields.module.css';
import { putTag, reloadOwn } from './own-fields-query.ts';
import { TAG_MESSAGES as messages, OWN_FIELD_MESSAGES } from './words.ts';

interface Props {
  /** The stored tag; null: a new one. */
  readonly stored: Tag | null;
  readonly onClose: () => void;
}

interface TagForm {
  readonly label: string;
  readonly colour: number;
}

const COLOURS = Array.from({ length: TAG_COLOURS }, (_, colour) => colour);

const colourName = (colour: number): string => messages.colours[colour] ?? String(colour);

/** Adds a tag, or changes its name and colour. */
export default function TagDialog({ stored, onClose }: Props) {
  const edited = useTagForm(stored, onClose);
  const { form, faults, theirs, change } = edited;

  return (
    <DraftDialog
      title={stored === null ? messages.dialog.add : messages.dialog.edit}
      edited={edited}
      theirs={theirs.map(shownValue)}
      act={stored === null ? OWN_FIELD_MESSAGES.addAct : undefined}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <TextField
          label={messages.label}
          help={messages.labelHelp}
          error={faults.label}
          maxLength={MAX_NAME_LENGTH}
          data-autofocus
          value={form.label}
          onChange={(label) => change({ label })}
        />
        <fieldset>
          <legend>{messages.colour}</legend>
          <div className={styles.colours}>
            {COLOURS.map((colour) => (
              <label key={colour}>
                <input
                  type="radio"
                  name="colour"
                  checked={form.colour === colour}
                  onChange={() => change({ colour })}
                />
                <TagMark label={colourName(colour)} colour={colour} />
              </label>
            ))}
          </div>
        </fieldset>
      </div>
    </DraftDialog>
  );
}

/** Returns another member's value as the form displays it. */
const shownValue = ({ field, theirs }: TheirField<TagForm>): { label: string; value: string } =>
  field === 'colour'
    ? { label: messages.colour, value: colourName(theirs) }
    : { label: messages.columns.label, value: theirs };

function useTagForm(stored: Tag | null, onSaved: () => void): EditedForm<TagForm> {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const edited: EditedForm<TagForm> = useDraftForm({
    name: `tag.${stored?.id ?? 'new'}`,
    stored:
      stored === null
        ? { version: null, form: { label: '', colour: 0 } }
        : { version: stored.version, form: { label: stored.label, colour: stored.colour } },
    check: ({ label }: TagForm) => (label.trim() === '' ? { label: messages.labelMissing } : {}),
    send: async (form: TagForm) => {
      const body = { add_info: form };
      if (stored !== null) await putTag(stored.id, stored.version, form);
      else unwrap(await call('addTag', { body }, { headers: { 'Idempotency-Key': keyOf(body) } }));
      await reloadOwn(client);
    },
    onSaved: (_answer, { label }) => {
      edited.discard();
      toast('success', (stored === null ? messages.added : messages.saved)(label.trim()));
      onSaved();
    },
    isConflict: (error) => hasCode(error, 'field_changed'),
    reload: () => reloadOwn(client),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}
