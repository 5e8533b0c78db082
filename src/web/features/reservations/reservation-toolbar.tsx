import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { SelectField } from '#web/components/field/select-field.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { PATHS, reservationPath } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type Reservation, reservationSize } from './list-reservations.ts';
import styles from './reservations.module.css';
import { ALL_RESERVATIONS_MESSAGES, RESERVATION_MESSAGES } from './words.ts';

const DeleteDialog = lazy(() => loadPart(() => import('./delete-dialog.tsx')));

interface Props {
  readonly groupId: number;
  /** undefined: loading. */
  readonly reservations: readonly Reservation[] | undefined;
  /** undefined: all reservations. */
  readonly chosen: Reservation | undefined;
  /** Whether the chosen one is still loading. Meanwhile it cannot be changed or deleted. */
  readonly isChosenLoading: boolean;
  readonly onChoose: (id: number | undefined) => void;
  /** The subject of the sender whose reservations are shown. */
  readonly subject: string;
  /** Called when the chosen reservation is no longer pending. */
  readonly onGone: () => void;
  /** What only phones show here: the number of matches and the order. */
  readonly children: ReactNode;
}

export function ReservationToolbar(props: Props) {
  const { groupId, reservations = [], chosen, isChosenLoading, onChoose, subject, onGone, children } = props;
  const [removing, setRemoving] = useState<Reservation | null>(null);
  const isNarrow = useNarrowScreen();
  const messages = RESERVATION_MESSAGES;
  const choices = reservations.map(({ id, ...reservation }) => ({
    value: String(id),
    label: messages.option(reservation),
  }));

  return (
    <div className={`line ${styles.toolbar}`}>
      <SelectField
        className={`${field.inline} ${styles.choice}`}
        label={messages.label}
        choices={[{ value: '', label: isChosenLoading ? COMMON_MESSAGES.loading : messages.all }, ...choices]}
        value={String(chosen?.id ?? '')}
        onChange={(value) => onChoose(value === '' ? undefined : Number(value))}
      />
      <May call="updateReservation" groupId={groupId}>
        <Button
          variant={isNarrow ? 'quiet' : 'default'}
          className={styles.remove}
          busy={isChosenLoading}
          onClick={() => {
            if (chosen === undefined) toast('warning', messages.nothingChosen);
            else setRemoving(chosen);
          }}
        >
          <IconTrash size={15} aria-hidden />
          {messages.remove}
        </Button>
      </May>
      {children}
      <span className="line">
        {chosen === undefined ? null : (
          <May call="updateReservation" groupId={groupId}>
            <ButtonLink to={reservationPath(chosen.id)}>{ALL_RESERVATIONS_MESSAGES.changeIt}</ButtonLink>
          </May>
        )}
        <Link to={PATHS.reservations}>{ALL_RESERVATIONS_MESSAGES.seeAll}</Link>
      </span>
      <span className="push">{chosen === undefined ? null : <Size id={chosen.id} />}</span>
      {removing === null ? null : (
        <PartBoundary>
          <DeleteDialog
            reservation={removing}
            subject={subject}
            onClose={() => setRemoving(null)}
            onGone={() => {
              setRemoving(null);
              onGone();
            }}
          />
        </PartBoundary>
      )}
    </div>
  );
}

/** Shows the number of companies of the chosen reservation, ignoring the filters. */
function Size({ id }: { readonly id: number }) {
  const { data } = useQuery(reservationSize(id));
  return data === undefined ? null : <span className="note">{RESERVATION_MESSAGES.companyCount(data)}</span>;
}
