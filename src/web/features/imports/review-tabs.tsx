import { type ReactNode, useState } from 'react';
import type { ImportReview, ReviewKind } from '#contract/imports/imports.ts';
import { MAX_REVIEWED_PEOPLE } from '#domain/company/import-limits.ts';
import { Button } from '#web/components/button.tsx';
import { FilterBar } from '#web/components/field/filter-bar.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Tabs } from '#web/components/tabs.tsx';
import { asMessage, inBrackets } from '#web/lib/phrases.ts';
import { AddedPeople, ChangeTable } from './change-table.tsx';
import { FaultsButton } from './faults-button.tsx';
import { LineTable } from './line-table.tsx';
import styles from './review.module.css';
import { REVIEW_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly name: string;
  readonly review: ImportReview;
}

const NOTICES = [
  'blanked',
  'not_taken',
  'cut_phone',
  'closed',
  'suppressed',
  'archived',
] as const satisfies readonly ReviewKind[];
type Tab = keyof typeof REVIEW_MESSAGES.tabs;

/** Shows the results of a check row by row. Tabs without rows are hidden. */
export function ReviewTabs({ id, name, review }: Props) {
  const { tabs, label } = REVIEW_MESSAGES;
  const kinds = NOTICES.filter((kind) => review[kind] > 0);
  const counts: Readonly<Record<Tab, number>> = {
    changes: review.updated,
    people: (review.people?.added ?? 0) + (review.people?.updated ?? 0),
    refused: review.refused,
    repeated: review.repeated,
    notices: kinds.reduce((sum, kind) => sum + review[kind], 0),
  };
  const panels: Readonly<Record<Tab, ReactNode>> = {
    changes: <ChangeTable id={id} label={tabs.changes} kind="changed" />,
    people: review.people && <People id={id} people={review.people} />,
    refused: <FaultyRows id={id} name={name} review={review} />,
    repeated: <LineTable id={id} label={tabs.repeated} kind="repeated" />,
    notices: <Notices id={id} kinds={kinds} review={review} />,
  };
  const filled = (Object.keys(tabs) as Tab[]).filter((tab) => counts[tab] > 0);
  const [chosen, setChosen] = useState<Tab>();
  const shown = filled.find((tab) => tab === chosen) ?? filled[0];
  if (shown === undefined) return null;
  return (
    <Tabs
      label={label}
      shown={shown}
      onShow={setChosen}
      classes={{ panel: styles.panel, list: styles.tabs }}
      tabs={filled.map((tab) => ({
        name: tab,
        label: `${tabs[tab]} ${counts[tab].toLocaleString('ja-JP')}`,
        panel: panels[tab],
      }))}
    />
  );
}

interface PeopleProps {
  readonly id: number;
  readonly people: NonNullable<ImportReview['people']>;
}

/** Lists the people whom the import would add, or those whom it would change. */
function People({ id, people }: PeopleProps) {
  const { counts, peopleKind, peopleOf, onlyFirstHelp } = REVIEW_MESSAGES;
  const kinds = (['added', 'updated'] as const).filter((kind) => people[kind] > 0);
  const [chosen, setKind] = useState(kinds[0]);
  const isCut = chosen === 'added' && people.added > MAX_REVIEWED_PEOPLE;
  return (
    <>
      <FilterBar>
        <SelectField
          label={peopleKind}
          choices={kinds.map((value) => ({
            value,
            label: `${counts[value]} ${people[value].toLocaleString('ja-JP')}`,
          }))}
          value={chosen}
          onChange={(value) => setKind(kinds.find((kind) => kind === value))}
        />
      </FilterBar>
      {isCut ? <small>{onlyFirstHelp(MAX_REVIEWED_PEOPLE)}</small> : null}
      {chosen === 'added' ? (
        <AddedPeople id={id} label={peopleOf.added} />
      ) : (
        <ChangeTable id={id} label={peopleOf.updated} kind="people_changed" />
      )}
    </>
  );
}

type Group = ImportReview['groups'][number];

const { allReasons, reasons, reasonOf } = REVIEW_MESSAGES;

interface ReasonsProps {
  readonly of: readonly Group[];
  readonly chosen: Group | undefined;
  readonly onChoose: (group: Group | undefined) => void;
  /** Names a group. */
  readonly labelOf: (group: Group) => string;
}

/** Chooses one reason of a kind, or all. */
const Reasons = ({ of, chosen, onChoose, labelOf }: ReasonsProps) => (
  <fieldset className={styles.reasons} aria-label={reasons}>
    {[undefined, ...of].map((group) => (
      <Button
        key={group === undefined ? '' : reasonOf(group.column, group.reason)}
        aria-pressed={chosen === group}
        onClick={() => onChoose(group)}
      >
        {group === undefined ? allReasons : labelOf(group)}
      </Button>
    ))}
  </fieldset>
);

/** Lists the faulty rows, grouped by reason: one group, or all. */
function FaultyRows({ id, name, review: { groups, people } }: Props) {
  const [chosen, setChosen] = useState<Group | undefined>(undefined);
  const { download, tabs, rows } = REVIEW_MESSAGES;
  return (
    <>
      <div className={styles.tools}>
        <Reasons
          of={groups.filter(({ kind }) => kind === 'refused')}
          chosen={chosen}
          onChoose={setChosen}
          labelOf={({ column, reason, count }) => reasonOf(column, asMessage(reason)) + inBrackets(rows(count))}
        />
        <FaultsButton id={id} name={name} label={download} />
      </div>
      <LineTable
        key={chosen && reasonOf(chosen.column, chosen.reason)}
        id={id}
        label={tabs.refused}
        kind="refused"
        hasPeople={people !== undefined}
        reason={chosen?.reason}
        column={chosen?.column}
      />
    </>
  );
}

type Notice = (typeof NOTICES)[number];

interface NoticesProps {
  readonly id: number;
  readonly kinds: readonly Notice[];
  readonly review: ImportReview;
}

/** Lists rows that are imported with changed values. */
function Notices({ id, kinds, review }: NoticesProps) {
  const [chosen, setKind] = useState(kinds[0]);
  const { counts, noticeKind } = REVIEW_MESSAGES;
  if (chosen === undefined) return null;
  const labelOf = (kind: Notice) => `${counts[kind]} ${review[kind].toLocaleString('ja-JP')}`;
  return (
    <>
      <FilterBar>
        <SelectField
          className={styles.kind}
          label={noticeKind}
          choices={kinds.map((value) => ({ value, label: labelOf(value) }))}
          value={chosen}
          onChange={(value) => setKind(kinds.find((kind) => kind === value))}
        />
      </FilterBar>
      <NoticeLines key={chosen} id={id} kind={chosen} groups={review.groups.filter(({ kind }) => kind === chosen)} />
    </>
  );
}

interface NoticeLinesProps {
  readonly id: number;
  readonly kind: Notice;
  readonly groups: readonly Group[];
}

/** Lists the rows of a notice. Where it has several reasons, few lines of one are found among many of another. */
function NoticeLines({ id, kind, groups }: NoticeLinesProps) {
  const [chosen, setChosen] = useState<Group | undefined>(undefined);
  const { cells, tabs } = REVIEW_MESSAGES;
  const isOnly = ({ column }: Group) => column !== '' && groups.filter((one) => one.column === column).length === 1;
  return (
    <>
      {groups.length < 2 ? null : (
        <div className={styles.tools}>
          <Reasons
            of={groups}
            chosen={chosen}
            onChoose={setChosen}
            labelOf={(group) =>
              (isOnly(group) ? group.column : reasonOf(group.column, asMessage(group.reason))) +
              inBrackets(cells(group.count))
            }
          />
        </div>
      )}
      <LineTable
        key={chosen && reasonOf(chosen.column, chosen.reason)}
        id={id}
        label={tabs.notices}
        kind={kind}
        reason={chosen?.reason}
        column={chosen?.column}
      />
    </>
  );
}
