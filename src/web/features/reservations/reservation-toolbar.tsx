import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { type ReactNode, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field.module.css';
import { SelectField } from '#web/components/select-field.tsx';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import type { Reservation } from './list-reservations.ts';
import styles from './reservations.module.css';
import { RESERVATION_MESSAGES } from './words.ts';

interface Props {
  /** undefined: loading. */
  readonly reservations: readonly Reservation[] | undefined;
  /** undefined: all of them. */
  readonly chosen: Reservation | undefined;
  /** The chosen one is still loading. Neither a choice nor a deletion is offered meanwhile. */
  readonly isChosenLoading: boolean;
  readonly onChoose: (id: number | undefined) => void;
  /** The subject of the sender whose reservations these are. */
  readonly subject: string;
  /** The chosen reservation is no longer pending. */
  readonly onGone: () => void;
  /** Shown between the select and the delete button. */
  readonly children: ReactNode;
}

export function ReservationToolbar(props: Props) {
  const { reservations = [], chosen, isChosenLoading, onChoose, subject, onGone, children } = props;
  const [removing, setRemoving] = useState<Reservation | null>(null);
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
      {children}
      <Button
        className="push"
        busy={isChosenLoading}
        onClick={() => {
          if (chosen === undefined) toast('warning', messages.nothingChosen);
          else setRemoving(chosen);
        }}
      >
        <IconTrash size={15} aria-hidden />
        {messages.remove}
      </Button>
      {removing === null ? null : (
        <DeleteDialog
          reservation={removing}
          subject={subject}
          onClose={() => setRemoving(null)}
          onGone={() => {
            setRemoving(null);
            onGone();
          }}
        />
      )}
    </div>
  );
}
