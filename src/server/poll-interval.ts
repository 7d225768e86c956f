import type { Services } from '#endpoint/services.ts';
import { requestLimits } from '#lib/limits/requests.ts';

/** Seconds between polls: as a rule, where more than half of the places for requests are taken, and where requests wait for one. */
const usual = 60;
const busy = 120;
const overloaded = 300;

/** After how many seconds a client may poll again. */
export function pollInterval({ limiters: { requests }, resourceLimits }: Pick<Services, 'limiters' | 'resourceLimits'>): number {
  if (requests.waiting > 0) return overloaded;
  return requests.running * 2 > resourceLimits.of(requestLimits).concurrent ? busy : usual;
}
