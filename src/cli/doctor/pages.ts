import { cookieProblemOf } from '../pages-host.ts';
import type { Config } from '../settings.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that repositories' websites can't set cookies of the server. This is a warning, since their authors may be trusted. */
export function websites(config: Pick<Config, 'pagesPort' | 'pagesUrl' | 'url'>): Diagnosis {
  const { pagesPort } = config;
  const problem = cookieProblemOf(config);
  const detail = problem ?? (pagesPort === 'off' ? 'off' : `port ${pagesPort}`);
  return { check: 'websites', ok: true, ...(problem === undefined ? {} : { warning: true }), detail };
}
