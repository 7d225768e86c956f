import { cookieProblemOf } from '../pages-host.ts';
import type { Config } from '../settings.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that repositories' websites can't set cookies of the server. They are off where they would share its host. */
export function websites(config: Pick<Config, 'pagesPort' | 'pagesUrl' | 'url' | 'host'>): Diagnosis {
  const { pagesPort } = config;
  const problem = cookieProblemOf(config);
  const detail = problem ?? (pagesPort === 'off' ? 'off' : `port ${pagesPort}`);
  return { check: 'websites', ok: true, ...(problem === undefined ? {} : { warning: true }), detail };
}
