import IconMinus from '@tabler/icons-react/dist/esm/icons/IconMinus.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { Pager } from '#web/components/pager/pager.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { type ReservationDetail, reservationTargets } from '../reservation-queries.ts';
import styles from './reservation-dialog.module.css';
import { CHANGE_MESSAGES as messages } from './words.ts';

const TAKEN_OUT: StatusLook = { tone: 'neutral', Icon: IconMinus };
const LEFT_OUT: StatusLook = { tone: 'amber', Icon: IconMinus };

interface Props {
  readonly detail: ReservationDetail;
  /** The ids of the companies that the form removes. */
  readonly removed: readonly number[];
  readonly fault: string | undefined;
  readonly onChange: (removed: readonly number[]) => void;
  readonly onAdd: () => void;
}

/** Lists the companies of a reservation. A company that gets no mail says so; the save removes unticked ones. */
export function ChangeTargets({ detail, removed, fault, onChange, onAdd }: Props) {
  const [{ search, page, size }, setPlace] = useState({
    search: '',
    page: 1,
    size: usePaging.getState().pagenate_count,
  });
  const query = { pagenate_count: size, pagenate_num: page, ...(search !== '' && { search }) };
  const { data, error, isPlaceholderData, refetch } = useQuery(reservationTargets(detail.id, query));
  const out = new Set(removed);
  return (
    <fieldset className={styles.targets}>
      <legend>{messages.targets(messages.companies(detail.targets - removed.length))}</legend>
      <div className={`row ${styles.find}`}>
        <SearchField
          label={messages.search}
          search={search}
          onSearch={(next) => setPlace({ search: next.trim(), page: 1, size })}
        />
        {/* A reservation whose time has passed accepts no companies. */}
        {detail.state === 'pending' ? (
          <Button className="push" onClick={onAdd}>
            {messages.add}
          </Button>
        ) : null}
      </div>
      {data === undefined ? (
        <NotLoaded error={error} onRetry={() => void refetch()} />
      ) : data.rows.length === 0 ? (
        <p className="note">{messages.noTargets}</p>
      ) : (
        <ul className={styles.companies}>
          {data.rows.map(({ prospect_id, company_name, state }) => (
            <li key={prospect_id}>
              <label className="line">
                <input
                  type="checkbox"
                  checked={!out.has(prospect_id)}
                  onChange={({ target: { checked } }) =>
                    onChange(checked ? removed.filter((id) => id !== prospect_id) : [...removed, prospect_id])
                  }
                />
                <span className="cut">{company_name}</span>
              </label>
              {out.has(prospect_id) ? (
                <StatusBadge look={TAKEN_OUT} word={messages.takenOut} />
              ) : state === 'will_send' ? null : (
                <StatusBadge look={LEFT_OUT} word={DATA_MESSAGES.leftOut.reasons[state]} />
              )}
            </li>
          ))}
        </ul>
      )}
      {fault === undefined ? null : (
        <p role="alert" className={styles.fault}>
          {fault}
        </p>
      )}
      {data === undefined || data.total <= size ? null : (
        <Pager
          total={data.total}
          page={page}
          size={size}
          isLoading={isPlaceholderData}
          onPage={(next) => setPlace({ search, page: next, size })}
          onSize={(next) => setPlace({ search, page: 1, size: next })}
        />
      )}
    </fieldset>
  );
}
