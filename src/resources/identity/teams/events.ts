import { isRole, permissionsOf } from '#access/roles.ts';
import type { DeletedRow, EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import {
  changesOf,
  eventKinds,
  type PayloadBuilder,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  type WebhookEventType,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { findAccountById, presentUser } from '#resources/identity/accounts/index.ts';
import { presentTeams } from './present.ts';
import { findTeamById, type TeamRow } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'team.created': { team: Id<'teams'> };
    'team.edited': {
      team: Id<'teams'>;
      from?: { name?: string; description?: string | null; privacy?: string; notification_setting?: string };
    };
    'team.deleted': { team: Id<'teams'>; name: string; was?: DeletedRow<'teams'> };
    /** `user` is missing if an e-mail address is invited. */
    'team.member_invited': { team: Id<'teams'>; user?: Id<'accounts'>; role: string };
    'team.member_invitation_canceled': { team: Id<'teams'>; user: Id<'accounts'> };
    'team.member_added': { team: Id<'teams'>; user: Id<'accounts'>; role: string };
    'team.member_changed': { team: Id<'teams'>; user: Id<'accounts'>; role: string };
    'team.member_removed': { team: Id<'teams'>; user: Id<'accounts'> };
    'team.repository_added': { team: Id<'teams'>; role: string };
    'team.repository_changed': { team: Id<'teams'>; role: string; from?: string };
    'team.repository_removed': { team: Id<'teams'> };
  }
}

const teamEvent = webhookEventType({ name: 'team', permission: 'members:read', hooks: 'organizations' });
const teamAddEvent = webhookEventType({ name: 'team_add', permission: 'members:read', hooks: 'all' });
const membershipEvent = webhookEventType({ name: 'membership', permission: 'members:read', hooks: 'organizations' });

async function presentTeam(scope: PayloadScope, row: TeamRow, role?: string) {
  const knownRole = role !== undefined && isRole(role) ? role : undefined;
  const [presented] = await presentTeams(scope, [row], knownRole === undefined ? undefined : () => knownRole);
  return presented;
}

type TeamKind = Extract<EventKind, `team.${string}`>;

/** A webhook event about a team that still exists. */
async function aboutTeam(
  context: PayloadScope,
  event: { owner: Id<'accounts'>; data: { team: Id<'teams'> } },
  build: (team: TeamRow) => Promise<readonly WebhookEvent[]>,
): Promise<readonly WebhookEvent[]> {
  const team = await findTeamById(context.db, event.owner, event.data.team);
  return team ? build(team) : [];
}

const teamMemberPayload = (
  context: PayloadScope,
  event: Recorded<'team.member_added' | 'team.member_removed'>,
  action: string,
): Promise<readonly WebhookEvent[]> =>
  aboutTeam(context, event, async (team) => {
    const user = await findAccountById(context.db, event.data.user);
    if (!user) return [];
    const body = { scope: 'team', member: presentUser(context.links, user), team: await presentTeam(context, team) };
    return [{ type: membershipEvent, action, body }];
  });

const teamRepositoryPayload = (
  context: PayloadScope,
  event: Recorded<'team.repository_added' | 'team.repository_changed' | 'team.repository_removed'>,
  events: readonly { type: WebhookEventType; action: string | null }[],
): Promise<readonly WebhookEvent[]> =>
  aboutTeam(context, event, async (team) => {
    const row = await context.findRepository(event);
    if (!row) return [];
    const role = 'role' in event.data ? event.data.role : undefined;
    const changes = 'from' in event.data ? { changes: formerPermissions(event.data.from) } : {};
    const body = { team: await presentTeam(context, team, role), repository: await context.presentRepository(row), ...changes };
    return events.map((built) => ({ ...built, body }));
  });

/** A team's permissions in a repository before its role changed. */
function formerPermissions(from: string | undefined) {
  const { pull, push, admin } = permissionsOf(from !== undefined && isRole(from) ? from : undefined);
  return { repository: { permissions: { from: { pull, push, admin } } } };
}

const teamPayload = <Kind extends TeamKind>(
  action: string,
  more: (event: Recorded<Kind>) => object = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([teamEvent], (event, context) =>
    aboutTeam(context, event, async (team) => [
      { type: teamEvent, action, body: { team: await presentTeam(context, team), ...more(event) } },
    ]),
  );

export const teamEvents = eventKinds({
  'team.created': teamPayload('created'),
  'team.edited': teamPayload('edited', ({ data }) => changesOf(data.from)),
  'team.deleted': payloadBuilder([teamEvent], async (event, context) => {
    if (!event.data.was) return [];
    const team = await presentTeam(context, revived(event.data.was, ['created_at', 'updated_at']));
    return [{ type: teamEvent, action: 'deleted', body: { team } }];
  }),
  'team.member_added': payloadBuilder([membershipEvent], (event, context) => teamMemberPayload(context, event, 'added')),
  'team.member_removed': payloadBuilder([membershipEvent], (event, context) => teamMemberPayload(context, event, 'removed')),
  'team.repository_added': payloadBuilder([teamEvent, teamAddEvent], (event, context) =>
    teamRepositoryPayload(context, event, [
      { type: teamEvent, action: 'added_to_repository' },
      { type: teamAddEvent, action: null },
    ]),
  ),
  'team.repository_removed': payloadBuilder([teamEvent], (event, context) =>
    teamRepositoryPayload(context, event, [{ type: teamEvent, action: 'removed_from_repository' }]),
  ),
  'team.repository_changed': payloadBuilder([teamEvent], (event, context) =>
    teamRepositoryPayload(context, event, [{ type: teamEvent, action: 'edited' }]),
  ),
  'team.member_invited': 'no webhook',
  'team.member_invitation_canceled': 'no webhook',
  'team.member_changed': 'no webhook',
});
