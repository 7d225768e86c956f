import type { Services } from '#endpoint/services.ts';
import { requestLimits } from '#lib/limits/requests.ts';

/**
 * Seconds between polls: by default, if more than half of the request slots are in use, and if requests are waiting for a slot.
 */
const usual = 60;
const busy = 120;
const overloaded = 300;

/** The number of seconds after which a client may poll again. */
export function pollInterval({ limiters: { requests }, resourceLimits }: Pick<Services, 'limiters' | 'resourceLimits'>): number {
  if (requests.waiting > 0) return overloaded;
  return requests.running * 2 > resourceLimits.of(requestLimits).concurrent ? busy : usual;
}
