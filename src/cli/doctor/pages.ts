import { cookieProblemOf } from '../pages-host.ts';
import type { Config } from '../settings.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that websites of repositories can't set cookies of the server. It is a warning: those who publish them may be trusted. */
export function websites(config: Pick<Config, 'pagesPort' | 'pagesUrl' | 'url'>): Diagnosis {
  const { pagesPort } = config;
  const detail = cookieProblemOf(config) ?? (pagesPort === 'off' ? 'off' : `port ${pagesPort}`);
  return { check: 'websites', ok: true, detail };
}
