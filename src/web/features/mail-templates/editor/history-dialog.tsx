import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MailTemplate } from '#contract/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { toast } from '#web/lib/toast.ts';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { differencesOf } from './content-difference.ts';
import { DifferenceView } from './difference-view.tsx';
import styles from './history-dialog.module.css';
import { contentOf } from './template-form.ts';
import { templateQuery } from './template-query.ts';
import type { EditedTemplate } from './use-template-form.ts';
import { restoreVersion, templateVersion, templateVersions, type VersionRow } from './versions.ts';
import { VERSION_MESSAGES as messages } from './words.ts';

interface Props {
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly onClose: () => void;
}

/** The versions of a template: each compared with what is on screen, and restored. */
export function HistoryDialog({ template, edited, onClose }: Props) {
  const { data: versions, isError, refetch } = useQuery(templateVersions(template.id));
  const [chosen, setChosen] = useState<number>();
  // Unsaved changes are compared with what is stored, a saved template with the version before.
  const first = edited.isDirty ? versions?.[0] : (versions?.[1] ?? versions?.[0]);
  const number = chosen ?? first?.number;
  return (
    <Dialog title={messages.title} size={960} grows isSheet onClose={onClose}>
      {versions === undefined ? (
        <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />
      ) : (
        <div className={styles.columns}>
          <VersionList versions={versions} chosen={number} current={template.number} onChoose={setChosen} />
          {number === undefined ? null : (
            <ChosenVersion key={number} number={number} template={template} edited={edited} onClose={onClose} />
          )}
        </div>
      )}
    </Dialog>
  );
}

interface ListProps {
  readonly versions: readonly VersionRow[];
  readonly chosen: number | undefined;
  readonly current: number;
  readonly onChoose: (number: number) => void;
}

function VersionList({ versions, chosen, current, onChoose }: ListProps) {
  return (
    <fieldset className={styles.versions}>
      <legend>{messages.help}</legend>
      {versions.map(({ number, at, member }) => (
        <label key={number}>
          <input type="radio" name="version" checked={number === chosen} onChange={() => onChoose(number)} />
          <span>
            {number === current ? messages.current : messages.version(number)}
            <small>{messages.savedBy(minuteWithWeekday(at), member)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function ChosenVersion({ number, template, edited, onClose }: Props & { readonly number: number }) {
  const client = useQueryClient();
  const { data: version, isError, refetch } = useQuery(templateVersion(template.id, number));
  const [busy, setBusy] = useState(false);

  async function restore(): Promise<void> {
    setBusy(true);
    const answer = await restoreVersion(template.id, number, template.version);
    await client.invalidateQueries({ queryKey: templateQuery(template.id).queryKey });
    setBusy(false);
    if (!answer.ok) return toast('warning', answer.message);
    void client.invalidateQueries({ queryKey: templateVersions(template.id).queryKey });
    toast('success', messages.restored(number));
    onClose();
  }

  if (version === undefined) return <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />;
  const isCurrent = number === template.number;
  const newer = edited.isDirty ? messages.unsaved : messages.current;
  return (
    <section className={styles.chosen} aria-label={messages.difference}>
      {isCurrent && !edited.isDirty ? null : (
        <h3>{messages.compared(isCurrent ? messages.current : messages.version(number), newer)}</h3>
      )}
      <DifferenceView differences={differencesOf(contentOf(version), edited.form)} />
      {edited.isDirty && !isCurrent ? <p className={styles.note}>{messages.restoreHelp}</p> : null}
      <div className={dialog.buttons}>
        <Button onClick={onClose}>{COMMON_MESSAGES.actions.close}</Button>
        {isCurrent ? null : (
          <Button variant="primary" busy={busy} disabled={edited.isDirty} onClick={() => void restore()}>
            {messages.restore}
          </Button>
        )}
      </div>
    </section>
  );
}
