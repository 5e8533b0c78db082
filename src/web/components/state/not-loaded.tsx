import type { ComponentProps } from 'react';
import { LoadFailed } from './load-failed.tsx';
import { Loading } from './loading.tsx';

interface Props extends ComponentProps<typeof LoadFailed> {
  readonly hasFailed: boolean;
}

/** Shown in place of data that are loading, or could not be loaded. */
export const NotLoaded = ({ hasFailed, ...failed }: Props) => (hasFailed ? <LoadFailed {...failed} /> : <Loading />);
