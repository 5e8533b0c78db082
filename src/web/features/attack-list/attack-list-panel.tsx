import { type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { AttackListItem } from '#contract/companies/attack-list.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { Schedule } from '#web/components/schedule/schedule.ts';
import { SCHEDULE_MESSAGES } from '#web/components/schedule/words.ts';
import { isFiltered } from '#web/lib/address/params.ts';
import { focusFault } from '#web/lib/form/focus-fault.ts';
import { focusLabelled } from '#web/lib/form/focus-labelled.ts';
import { isNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';
import styles from './attack-list-panel.module.css';
import {
  bringAllBack,
  endListSource,
  type ListSource,
  setTypedSettings,
  type TypedSettings,
  updateAttackListSettings,
} from './attack-list-state.ts';
import type { CompanyParts } from './left-out/left-out-dialog.tsx';
import type { LeftOutGroup } from './left-out/left-out-groups.ts';
import { NothingToSend } from './nothing-to-send.tsx';
import { useOrderAct } from './order/order-act.ts';
import { OrderLine } from './order/order-line.tsx';
import type { OrderFacts, Place } from './order/order-sentence.ts';
import { readSettings } from './settings/settings-draft.ts';
import { SettingsPanel } from './settings/settings-panel.tsx';
import { TargetBar } from './target-bar.tsx';
import { TargetTable } from './target-table.tsx';
import { type Order, useOrder } from './use-order.ts';
import type { PreviewBase, PreviewQuery } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES, FOLLOW_UP_MESSAGES } from './words.ts';

/** The targets and settings on screen at the press of a button. */
export interface AttackOrder extends Schedule {
  readonly subject: string;
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** The address as typed; null: not a test. */
  readonly testTo: string | null;
  /** The run to follow up; undefined: first mails. */
  readonly followUpOf?: number | undefined;
  /** Where the mails go; undefined: the server decides. */
  readonly sendTo?: SendTo | undefined;
  /** How many of the mails go to main contact persons. */
  readonly toPrimary: number;
  /** What made the list, besides the filters; null: the filters alone. */
  readonly source: ListSource | null;
  /** The query of the preview that lists the targets. */
  readonly listQuery: PreviewQuery;
}

interface Props {
  readonly base: PreviewBase;
  /** The sender of the mails; undefined: loading; null: none is chosen. */
  readonly sender: OrderFacts['sender'];
  /** Whether the group's mails show what the law requires. */
  readonly isLegal: boolean;
  /** Whether the domain of the sender's address has known faults. */
  readonly isBadDomain?: boolean;
  readonly parts: CompanyParts;
  /** Whether the typed filter is valid and not applied yet. */
  readonly isFilterWaiting: boolean;
  /** Reports an invalid filter before an order. @returns whether there is one */
  readonly blocksFilter: () => boolean;
  /** Focuses the choice of the template. */
  readonly onTemplate: () => void;
  readonly onOrder: (order: AttackOrder) => void;
  /** The number of real orders that were accepted on this screen. */
  readonly taken: number;
  /** Previews the mails of the order. */
  readonly onCheck: (order: AttackOrder) => void;
  /** The buttons that fill an empty list of companies. */
  readonly cure?: ReactNode;
  /** Removes all filters. */
  readonly onClear?: () => void;
}

/** Shows the effect of the button, the settings of an attack list, and its targets below. */
export function AttackListPanel({ base, sender, isLegal, isBadDomain = false, parts, ...props }: Props) {
  const order = useOrder({ base, sender, isLegal, isBadDomain, isFilterWaiting: props.isFilterWaiting });
  const { settings, draft, faults, fault, schedule, timing, targets, testTo } = order;
  const [opened, setOpened] = useState<LeftOutGroup | null>(null);
  const panel = useRef<HTMLDivElement>(null);
  const fold = useFold();
  const groupId = Number(base.sender_group_id);

  function changeDraft(change: Partial<TypedSettings>): void {
    const next = { ...draft, ...change };
    setTypedSettings(next);
    updateAttackListSettings(readSettings(next, settings).settings);
  }

  function goTo(place: Place): void {
    if (place === 'template') props.onTemplate();
    else focusPlace(place, panel.current, fold.open);
  }

  function place(then: (order: AttackOrder) => void): void {
    if (targets.source?.companies === undefined && isListed(targets) && props.blocksFilter()) return;
    // The field, which gets the focus, says what is wrong.
    if (isListed(targets) && fault !== undefined) goTo('fault');
    else placeOrder(order, then);
  }

  const act = useOrderAct(order, props.taken, [base, sender?.subject, sender?.name], () => place(props.onOrder));
  const leads = { senderGroupId: groupId, onGo: goTo, onOpen: setOpened };
  return (
    <div ref={panel} className={`fill ${styles.panel}`}>
      <OrderLine
        text={order.text}
        isTest={testTo !== null}
        act={act}
        source={targets.source}
        isOutdated={targets.isOutdated}
        {...leads}
        onEndSource={() => {
          endListSource();
          focusAct(panel.current);
        }}
        fold={fold}
      >
        <SettingsPanel
          settings={settings}
          senderGroupId={groupId}
          draft={draft}
          faults={faults}
          onDraft={changeDraft}
          schedule={schedule}
          timing={timing}
          now={order.now}
        />
      </OrderLine>
      <TargetBar
        targets={targets}
        parts={parts}
        opened={opened}
        onOpen={setOpened}
        onCheck={() => place(props.onCheck)}
      />
      <TargetTable
        targets={targets}
        senderGroupId={groupId}
        isTest={testTo !== null}
        parts={parts}
        nothing={
          <NothingToSend
            order={order}
            leads={leads}
            isFiltered={targets.source !== null || isFiltered(base)}
            cure={props.cure}
            onClear={props.onClear}
          />
        }
      />
    </div>
  );
}

/** Focuses the order button after a button that its own press removes. */
const focusAct = (panel: HTMLElement | null) => panel?.querySelector<HTMLElement>('[data-primary]')?.focus();

/** Focuses the control that a word of the sentence names. @param unfold shows the settings */
function focusPlace(place: Place, panel: HTMLElement | null, unfold: () => void): void {
  if (place === 'bringBack') {
    bringAllBack();
    focusAct(panel);
  } else if (place === 'chosen') panel?.querySelector<HTMLElement>('[data-source] button')?.focus();
  else {
    flushSync(unfold);
    if (place === 'fault') focusFault(panel);
    else focusLabelled(panel, LABELS[place] ?? '');
  }
}

/** Whether the targets on screen match the settings. */
const isListed = ({ targets, isOutdated }: Order['targets']): boolean => targets !== undefined && !isOutdated;

/** Orders the targets on screen; without targets it shows a message. */
function placeOrder(
  { targets: listed, settings, schedule, testTo, followed, text: { subject } }: Order,
  then: (order: AttackOrder) => void,
): void {
  const { targets, isOutdated, source, query: listQuery } = listed;
  if (targets === undefined || isOutdated) return;
  if (targets.length === 0) {
    toast('warning', ATTACK_LIST_MESSAGES.empty);
    return;
  }
  const mailed = targets.map(({ row: _row, left: _left, ...target }) => target);
  const { days_from_lastday: days } = settings;
  const toPrimary = targets.filter(({ person }) => person !== null).length;
  const { send_to: sendTo } = listQuery;
  then({
    ...schedule,
    subject,
    targets: mailed,
    days,
    testTo,
    followUpOf: followed,
    sendTo,
    toPrimary,
    source,
    listQuery,
  });
}

/** The labels of the settings that the sentence links to. */
const LABELS: Readonly<Partial<Record<Place, string>>> = {
  testTo: ATTACK_LIST_MESSAGES.testTo,
  testLimit: ATTACK_LIST_MESSAGES.testLimit,
  limit: ATTACK_LIST_MESSAGES.limit,
  days: ATTACK_LIST_MESSAGES.days,
  followUp: FOLLOW_UP_MESSAGES.label,
  reservationMode: SCHEDULE_MESSAGES.reservationMode,
  sendAt: SCHEDULE_MESSAGES.sendAt,
};

/**
 * Returns whether the settings are unfolded, and stores it in the browser for each member. By default they are open,
 * except on phones, where the sentence names them.
 */
function useFold() {
  const id = useId();
  const [isOpen, setOpen] = useState(() => readFold() ?? !isNarrowScreen());
  function onToggle(): void {
    setOpen(!isOpen);
    keep('attack-settings', isOpen ? 'folded' : 'open');
  }
  return { id, isOpen, onToggle, open: () => setOpen(true) };
}

function readFold(): boolean | undefined {
  const kept = readKept('attack-settings');
  return kept === null ? undefined : kept === 'open';
}
