import type { EventKind } from '#events/catalogue.ts';
import type { Recorded } from '#events/subscription.ts';
import type { EventName } from '#webhooks/event-names.ts';
import { installationTellers } from './installations.ts';
import { issueTellers } from './issues.ts';
import { labelTellers, milestoneTellers } from './labels.ts';
import { commonOf, type PayloadContext, type Teller, type Tellers, type Told } from './payload.ts';
import { peopleTellers } from './people.ts';
import { refTellers } from './refs.ts';
import { repositoryTellers } from './repositories.ts';
import { teamTellers } from './teams.ts';

/** How each kind of event becomes webhook events. The public API has none for the kinds that are missing. */
const tellers: Tellers = {
  ...repositoryTellers,
  ...refTellers,
  ...peopleTellers,
  ...teamTellers,
  ...issueTellers,
  ...labelTellers,
  ...milestoneTellers,
  ...installationTellers,
};

/** The kinds that become webhook events. */
export const toldKinds = Object.keys(tellers) as EventKind[]; // the table's own keys

const tellerOf = (event: Recorded): Teller<never> | undefined => tellers[event.kind] as Teller<never> | undefined; // the kind binds both

/** The names of the webhook events that an event may become. */
export const namesOf = (event: Recorded): readonly EventName[] => tellerOf(event)?.names ?? [];

/** The webhook events that an event becomes. The bodies lack only what depends on the hook, as its installation. */
export async function tell(event: Recorded, context: PayloadContext): Promise<readonly Told[]> {
  const told = (await tellerOf(event)?.tell(event as never, context)) ?? []; // a teller of this event's kind
  if (told.length === 0) return [];
  const common = await commonOf(context, event);
  return told.map(({ name, action, body }) => ({
    name,
    action,
    body: { ...(action === null ? {} : { action }), ...body, ...common },
  }));
}
