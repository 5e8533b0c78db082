import { Component, type ReactNode, Suspense } from 'react';
import { partFault, reloadPage } from '#web/lib/screen/load-part.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import styles from './part-boundary.module.css';

interface Props {
  readonly children: ReactNode;
  /** Shown while the part is loading. */
  readonly waiting?: ReactNode;
  readonly className?: string | undefined;
}

/** Surrounds a lazy part. If loading or rendering fails, the screen stays and shows the cause. */
export class PartBoundary extends Component<Props, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { children, waiting = null, className = '' } = this.props;
    if (this.state.error === null) return <Suspense fallback={waiting}>{children}</Suspense>;
    const { title, help } = partFault(this.state.error);
    return (
      <div role="alert" className={`surface ${styles.failed} ${className}`}>
        <strong>{title}</strong>
        <p>{help}</p>
        <Button onClick={() => void reloadPage()}>{COMMON_MESSAGES.actions.retry}</Button>
      </div>
    );
  }
}
