import type { EventKind } from '#events/catalogue.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import { presentUser } from '#resources/accounts/index.ts';
import { findTeamById, presentTeams, type TeamRow } from '#resources/teams/index.ts';
import type { EventName } from '#webhook-delivery/event-names.ts';
import {
  changesOf,
  loadAccount,
  type PayloadBuilder,
  type PayloadBuilders,
  type PayloadContext,
  payloadBuilder,
  presentRepository,
  repositoryOf,
  type WebhookEvent,
} from './payload-builder.ts';
import { isRole } from './roles.ts';

async function presentTeam({ db, links }: PayloadContext, row: TeamRow, role?: string) {
  const held = role !== undefined && isRole(role) ? role : undefined;
  const [presented] = await presentTeams({ db, links }, [row], held === undefined ? undefined : () => held);
  return presented;
}

type TeamKind = Extract<EventKind, `team.${string}`>;

/** A webhook event about a team that still exists. */
async function aboutTeam(
  context: PayloadContext,
  event: { owner: Id<'accounts'>; data: { team: Id<'teams'> } },
  tell: (team: TeamRow) => Promise<readonly WebhookEvent[]>,
): Promise<readonly WebhookEvent[]> {
  const team = await findTeamById(context.db, event.owner, event.data.team);
  return team ? tell(team) : [];
}

const teamMemberPayload = (
  context: PayloadContext,
  event: Recorded<'team.member_added' | 'team.member_removed'>,
  action: string,
): Promise<readonly WebhookEvent[]> =>
  aboutTeam(context, event, async (team) => {
    const user = await loadAccount(context, event.data.user);
    if (!user) return [];
    const body = { scope: 'team', member: presentUser(context.links, user), team: await presentTeam(context, team) };
    return [{ name: 'membership', action, body }];
  });

const teamRepositoryPayload = (
  context: PayloadContext,
  event: Recorded<'team.repository_added' | 'team.repository_removed'>,
  names: readonly { name: EventName; action: string | null }[],
): Promise<readonly WebhookEvent[]> =>
  aboutTeam(context, event, async (team) => {
    const row = await repositoryOf(context, event);
    if (!row) return [];
    const role = 'role' in event.data ? event.data.role : undefined;
    const body = { team: await presentTeam(context, team, role), repository: await presentRepository(context, row) };
    return names.map((built) => ({ ...built, body }));
  });

const plain = <Kind extends TeamKind>(
  action: string,
  more: (event: Recorded<Kind>) => object = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder(['team'], (event, context) =>
    aboutTeam(context, event, async (team) => [
      { name: 'team', action, body: { team: await presentTeam(context, team), ...more(event) } },
    ]),
  );

export const teamPayloads: PayloadBuilders = {
  'team.created': plain('created'),
  'team.edited': plain('edited', ({ data }) => changesOf(data.from)),
  'team.deleted': payloadBuilder(['team'], async (event, context) => {
    if (!event.data.was) return [];
    const team = await presentTeam(context, revived(event.data.was, ['created_at', 'updated_at']));
    return [{ name: 'team', action: 'deleted', body: { team } }];
  }),
  'team.member_added': payloadBuilder(['membership'], (event, context) => teamMemberPayload(context, event, 'added')),
  'team.member_removed': payloadBuilder(['membership'], (event, context) => teamMemberPayload(context, event, 'removed')),
  'team.repository_added': payloadBuilder(['team', 'team_add'], (event, context) =>
    teamRepositoryPayload(context, event, [
      { name: 'team', action: 'added_to_repository' },
      { name: 'team_add', action: null },
    ]),
  ),
  'team.repository_removed': payloadBuilder(['team'], (event, context) =>
    teamRepositoryPayload(context, event, [{ name: 'team', action: 'removed_from_repository' }]),
  ),
};
