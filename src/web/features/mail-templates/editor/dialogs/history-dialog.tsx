import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type DifferentLines, differencesOf, type PartDifference } from '../content-difference.ts';
import { contentOf } from '../template-form.ts';
import { templateQuery } from '../template-query.ts';
import type { EditedTemplate } from '../use-template-form.ts';
import styles from './history-dialog.module.css';
import { VERSION_MESSAGES as messages } from './words.ts';

type VersionRow = AnswerOf<'listTemplateVersions'>[number];

const VERSIONS = 'template_versions';

interface Props {
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly onClose: () => void;
}

/** Shows the versions of a template: compares each with the content on screen, and restores one. */
export function HistoryDialog({ template, edited, onClose }: Props) {
  const { data: versions, error, refetch } = useQuery(templateVersions(template.id));
  const [chosen, setChosen] = useState<number>();
  // Unsaved changes are compared with the stored version, a saved template with the version before.
  const first = edited.isDirty ? versions?.[0] : (versions?.[1] ?? versions?.[0]);
  const number = chosen ?? first?.number;
  return (
    <Dialog title={messages.title} size={960} grows isSheet onClose={onClose}>
      {versions === undefined || number === undefined ? (
        <NotLoaded error={error} onRetry={() => void refetch()} />
      ) : (
        <ChosenVersion
          list={<VersionList versions={versions} chosen={number} current={template.number} onChoose={setChosen} />}
          number={number}
          template={template}
          edited={edited}
          onClose={onClose}
        />
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
            <small>{messages.savedBy(sentenceTime(at), member)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ChosenProps extends Props {
  readonly list: ReactNode;
  readonly number: number;
}

/** Shows a version beside the list of all, and the buttons below both. */
function ChosenVersion({ list, number, template, edited, onClose }: ChosenProps) {
  const client = useQueryClient();
  const { data: version, error, refetch } = useQuery(templateVersion(template.id, number));
  const [busy, setBusy] = useState(false);
  const isCurrent = number === template.number;

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

  return (
    <>
      <div className={styles.columns}>
        {list}
        {version === undefined ? (
          <NotLoaded error={error} onRetry={() => void refetch()} />
        ) : (
          <Difference version={version} isCurrent={isCurrent} edited={edited} />
        )}
      </div>
      <DialogFoot
        stay={<Button onClick={onClose}>{COMMON_MESSAGES.actions.close}</Button>}
        act={
          isCurrent || version === undefined ? null : (
            <May call="restoreTemplateVersion">
              <Button variant="primary" busy={busy} disabled={edited.isDirty} onClick={() => void restore()}>
                {messages.restore}
              </Button>
            </May>
          )
        }
      />
    </>
  );
}

interface DifferenceProps extends Pick<Props, 'edited'> {
  readonly version: Version;
  readonly isCurrent: boolean;
}

function Difference({ version, isCurrent, edited }: DifferenceProps) {
  const older = isCurrent ? messages.current : messages.version(version.number);
  const newer = edited.isDirty ? messages.unsaved : messages.current;
  return (
    <section className={`stack ${styles.chosen}`} aria-label={messages.difference}>
      {isCurrent && !edited.isDirty ? null : <h3>{messages.compared(older, newer)}</h3>}
      <DifferenceView differences={differencesOf(contentOf(version), edited.form)} />
      {edited.isDirty && !isCurrent ? <p className={styles.note}>{messages.restoreHelp}</p> : null}
    </section>
  );
}

/** Fetches the stored versions of a template, newest first. */
const templateVersions = (id: number) =>
  queryOptions({
    queryKey: [VERSIONS, id],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<VersionRow[]> => {
      const input = { params: { id: String(id) }, query: {} };
      return unwrap(await call('listTemplateVersions', input, { signal }));
    },
    staleTime: 0,
  });

type Version = AnswerOf<'getTemplateVersion'>;

/** Fetches one version, which never changes. */
const templateVersion = (id: number, number: number) =>
  queryOptions({
    queryKey: [VERSIONS, id, number],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<Version> => {
      const input = { params: { id: String(id), number: String(number) } };
      return unwrap(await call('getTemplateVersion', input, { signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

const restoreVersion = (id: number, number: number, version: string) =>
  call('restoreTemplateVersion', {
    params: { id: String(id), number: String(number) },
    body: { version },
  });

/** Shows the differing lines, with a few equal lines around them. */
function DifferenceView({ differences }: { readonly differences: readonly PartDifference[] }) {
  if (differences.length === 0) return <p className={styles.note}>{messages.same}</p>;
  return differences.map(({ part, pieces }) => (
    <div key={part}>
      <h4>{messages.parts[part]}</h4>
      {pieces === undefined ? (
        <p className={styles.note}>{messages.tooLong}</p>
      ) : (
        <section className={styles.lines} aria-label={messages.parts[part]}>
          {pieces.map((piece, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one comparison never change
            <Piece key={place} piece={piece} isFirst={place === 0} isLast={place === pieces.length - 1} />
          ))}
        </section>
      )}
    </div>
  ));
}

/** The number of equal lines shown before and after a change. */
const AROUND = 2;

interface DifferenceViewProps {
  readonly piece: DifferentLines;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function Piece({ piece: { kind, lines }, isFirst, isLast }: DifferenceViewProps) {
  const text = (shown: readonly string[]) => shown.join('\n') || ' ';
  if (kind !== 'same') {
    const Changed = kind === 'added' ? 'ins' : 'del';
    return (
      <Changed>
        <span className="visually-hidden">{messages[kind]}</span>
        {text(lines)}
      </Changed>
    );
  }
  const before = isFirst ? [] : lines.slice(0, AROUND);
  const after = isLast ? [] : lines.slice(Math.max(before.length, lines.length - AROUND));
  if (before.length + after.length === lines.length) return <div>{text(lines)}</div>;
  return (
    <>
      {before.length === 0 ? null : <div>{text(before)}</div>}
      <div className={styles.gap}>…</div>
      {after.length === 0 ? null : <div>{text(after)}</div>}
    </>
  );
}
