import { LoadFailed } from './load-failed.tsx';
import { Loading } from './loading.tsx';

interface Props {
  readonly hasFailed: boolean;
  readonly onRetry: () => void;
}

/** Shown in place of data that are loading, or could not be loaded. */
export const NotLoaded = ({ hasFailed, onRetry }: Props) =>
  hasFailed ? <LoadFailed onRetry={onRetry} /> : <Loading />;
