import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ComboboxList, useCombobox } from '#web/components/choice/combobox.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { byLastUse, personOf, senderList } from '#web/features/senders/list-senders.ts';
import { selectSender } from '#web/features/senders/senders-state.ts';
import { useCurrentGroup } from '#web/features/senders/use-current-sender.ts';
import { templatePath } from '#web/lib/address/paths.ts';
import { templateChoices } from '#web/lib/data/templates.ts';
import { FIGURE_SEPARATOR } from '#web/lib/phrases.ts';
import { useLocation, useRouter } from '#web/lib/router/use-router.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { templateEditorUrl } from '#web/lib/screen/page-settings.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { openOverlay } from '../overlay-state.ts';
import styles from './palette.module.css';
import { ACT_ITEMS, ICONS, matchingItems, type PaletteItem, SCREEN_ITEMS } from './palette-items.ts';
import { useCompanyItems, usePersonItems } from './use-company-items.ts';
import { PALETTE_MESSAGES } from './words.ts';

interface Props {
  /** What the palette searches: everything, or the senders of the chosen group. */
  readonly of: 'palette' | 'senders';
  readonly onClose: () => void;
}

const MAX_SENDERS_SHOWN = 50;

/**
 * Returns the items that match a query.
 * @param searched the part of the query that the server searches companies and people for, once typing pauses
 */
function useItems(findsSenders: boolean, query: string, searched: string) {
  const { items: companies, isSearching: seeksCompanies } = useCompanyItems(findsSenders ? '' : searched);
  const { items: people, isSearching: seeksPeople } = usePersonItems(findsSenders ? '' : searched);
  const isSearching = seeksCompanies || seeksPeople;
  const templates = useTemplateItems();
  const senders = matchingItems(useSenderItems(findsSenders), query);
  const acts = useMay('createProspect') ? ACT_ITEMS : [];
  if (findsSenders) {
    const items = senders.slice(0, MAX_SENDERS_SHOWN);
    return { items, others: senders.length - items.length, isSearching };
  }
  const items = [...matchingItems([...acts, ...SCREEN_ITEMS, ...templates], query), ...companies, ...people];
  return { items, others: 0, isSearching };
}

/** Finds and opens a screen, a template, a company or a person by name; or finds and chooses a sender. */
export default function Palette({ of, onClose }: Props) {
  const router = useRouter();
  const { pathname } = useLocation();
  const [query, setQuery] = useState('');
  const composing = useRef(false);
  const [searched, setSearched] = useState('');
  const findsSenders = of === 'senders';
  const words = findsSenders ? PALETTE_MESSAGES.senders : PALETTE_MESSAGES;
  const { items, others, isSearching } = useItems(findsSenders, query, searched);

  async function open({ to, opens }: Extract<PaletteItem, { readonly to: string }>): Promise<void> {
    // Keep the address's other parameters: the list behind the dialog stays as it is.
    if (opens === undefined || pathname !== to) await router.navigate(to);
    // The user may have stayed on the old screen because of unsaved changes.
    if (opens !== undefined && router.state.location.pathname === to) openOverlay(opens);
  }

  const box = useCombobox({
    items,
    isOpen: true,
    onPick: (item) => {
      onClose();
      if ('senderId' in item) selectSender(item.senderId);
      else void open(item);
    },
  });

  return (
    <Dialog title={words.title} size={560} onClose={onClose}>
      <input
        type="text"
        {...box.input}
        className={styles.query}
        aria-label={words.find}
        placeholder={words.find}
        spellCheck={false}
        data-autofocus
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          box.restart();
          if (!composing.current) setSearched(event.target.value);
        }}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          setSearched(event.currentTarget.value);
        }}
      />
      <div className={styles.found}>
        <ComboboxList
          box={box}
          label={words.title}
          className={styles.list}
          optionClassName={styles.option}
          keyOf={(item) => ('to' in item ? `${item.group} ${item.to} ${item.label}` : String(item.senderId))}
          {...(findsSenders ? {} : { groupOf: ({ group }: PaletteItem) => PALETTE_MESSAGES.groups[group] })}
          renderItem={({ label, note, group, Icon = ICONS[group] }) => (
            <>
              <Icon size={18} aria-hidden />
              <span className={`cut ${styles.label}`}>{label}</span>
              {note === undefined ? null : <span className="note cut">{note}</span>}
            </>
          )}
        />
        <Told isNothing={items.length === 0 && !isSearching} others={others} />
      </div>
    </Dialog>
  );
}

/** Says that nothing matches, that more matches, or by which keys an item is chosen: phones have no such keys. */
function Told({ isNothing, others }: { readonly isNothing: boolean; readonly others: number }) {
  const help = useNarrowScreen() ? null : PALETTE_MESSAGES.help;
  return (
    <p className={`note ${styles.status} ${isNothing ? styles.none : ''}`} role="status">
      {isNothing ? PALETTE_MESSAGES.none : others > 0 ? PALETTE_MESSAGES.moreHelp(others) : help}
    </p>
  );
}

/** Returns the templates by name and subject, without those that an external editor holds: they have no screen here. */
function useTemplateItems(): readonly PaletteItem[] {
  const { data = [] } = useQuery(templateChoices);
  return data.flatMap(({ id, name, subject, sendgrid_template_id }) => {
    const to = templatePath(id);
    if (templateEditorUrl({ template_id: id, sendgrid_template_id }, to) !== to) return [];
    return { group: 'templates', label: name, note: subject, to };
  });
}

/** Returns the senders of the chosen group, from the same query as the templates' select. */
function useSenderItems(isWanted: boolean): readonly PaletteItem[] {
  const { group } = useCurrentGroup();
  const { data = [] } = useQuery({ ...senderList(group?.id ?? 0), enabled: isWanted && group !== undefined });
  return byLastUse(data).map((sender) => {
    const { id, template_name: label, subject } = sender;
    const note = [personOf(sender), subject === label ? [] : subject].flat().join(FIGURE_SEPARATOR);
    return { group: 'templates', label, note, senderId: id };
  });
}
