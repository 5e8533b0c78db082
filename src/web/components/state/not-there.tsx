import { ButtonLink } from '../inline/button-link.tsx';
import type { WayBack } from '../page-frame.tsx';
import { FRAME_MESSAGES } from '../words.ts';
import { EmptyState } from './empty-state.tsx';

interface Props {
  readonly title: string;
  readonly help: string;
  /** The list that the thing would be in; undefined: it is in view beside this. */
  readonly back: WayBack | undefined;
}

/** Shown in place of a thing whose address leads to none. */
export const NotThere = ({ title, help, back }: Props) => (
  <div className="surface">
    <EmptyState kind="no-match" title={title} help={help}>
      {back === undefined ? null : (
        <ButtonLink variant="primary" to={back.to}>
          {FRAME_MESSAGES.backTo(back.label)}
        </ButtonLink>
      )}
    </EmptyState>
  </div>
);
