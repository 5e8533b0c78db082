import type { ComponentProps } from 'react';
import { LoadFailed } from './load-failed.tsx';
import { Loading } from './loading.tsx';

/** Shown in place of data that are loading, or could not be loaded. */
export const NotLoaded = (props: ComponentProps<typeof LoadFailed>) =>
  props.error === null ? <Loading /> : <LoadFailed {...props} />;
