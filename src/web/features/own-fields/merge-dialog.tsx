import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { inUse, type Tag } from '#web/lib/data/own/own-fields.ts';
import { companies } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './own-fields.module.css';
import { putTag, reloadOwn } from './own-fields-query.ts';
import { TAG_MESSAGES } from './words.ts';

const messages = TAG_MESSAGES.merging;

interface Props {
  /** The tag that goes. `companies` is null while they are counted. */
  readonly tag: Tag;
  readonly tags: readonly Tag[];
  readonly onClose: () => void;
}

/** Asks into which tag another one is merged. The companies move, and the tag is removed for good. */
export default function MergeDialog({ tag, tags, onClose }: Props) {
  const client = useQueryClient();
  const [into, setInto] = useState('');
  const [isMissing, setMissing] = useState(false);
  const target = tags.find(({ id }) => String(id) === into);
  const { mutate, isPending, error } = useMutation({
    // Shown above the form.
    meta: { showsItself: () => true },
    mutationFn: (chosen: Tag) => putTag(tag.id, tag.version, { merge_into: chosen.id }),
    onSuccess: (_version, chosen) => {
      toast('success', messages.merged(tag.label, chosen.label));
      onClose();
    },
    onSettled: () => reloadOwn(client),
  });
  const number = tag.companies === null ? messages.all : companies(tag.companies);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    setMissing(target === undefined);
    if (target !== undefined && !isPending) mutate(target);
  }

  return (
    <Dialog title={messages.title} onClose={() => !isPending && onClose()}>
      <form onSubmit={submit} noValidate>
        <div className={styles.fields}>
          {error === null ? null : (
            <Notice tone="bad" role="alert">
              {error.message}
            </Notice>
          )}
          <SelectField
            label={messages.into}
            error={isMissing ? messages.missing : undefined}
            data-autofocus
            isBoxed
            choices={[
              { value: '', label: messages.choose },
              ...inUse(tags)
                .filter(({ id }) => id !== tag.id)
                .map(({ id, label }) => ({ value: String(id), label })),
            ]}
            value={into}
            onChange={(value) => {
              setInto(value);
              setMissing(false);
            }}
          />
          {target === undefined ? null : (
            <div>
              <p className={dialog.question}>{messages.moveHelp(tag.label, target.label, number)}</p>
              <p className={dialog.consequence}>{messages.consequence}</p>
            </div>
          )}
        </div>
        <DialogFoot
          stay={<CancelButton busy={isPending} onClick={onClose} />}
          act={
            <Button type="submit" variant="danger" busy={isPending}>
              {messages.merge}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
