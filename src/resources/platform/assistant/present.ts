import type { Org } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { gather, getOptional, keyed } from '#lib/collections.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { dayOf, timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { presentOrganizationOf } from '#resources/identity/organizations/index.ts';
import { loadTeams, presentTeams } from '#resources/identity/teams/index.ts';
import { beginningOfCycle } from './cycle.ts';
import type { AssistantDetails, AssistantSeat, AssistantSpace, SpaceCollaborator } from './schemas.ts';
import { countSeats, type Seat } from './seat-store.ts';
import type { CollaboratorRow, SpaceRow } from './space-store.ts';

/** The seats of an organization in this billing cycle, and its settings. */
export async function presentAssistant(
  { db, now, services: { assistant } }: Scope & Needs<'assistant'>,
  org: Org,
): Promise<AssistantDetails> {
  const since = beginningOfCycle(now);
  const active = [...(await assistant.activeSince(org.login, since, db))];
  const counts = await countSeats(db, { organization: org.id, today: dayOf(now) }, { since, active });
  return {
    seat_breakdown: {
      total: counts.total,
      added_this_cycle: counts.added,
      pending_cancellation: counts.ending,
      // Only members get seats, not people with pending invitations.
      pending_invitation: 0,
      active_this_cycle: counts.active,
      inactive_this_cycle: counts.total - counts.active,
    },
    // The assistant's own settings say what it may do. This server couldn't enforce them.
    public_code_suggestions: 'unconfigured',
    ide_chat: 'unconfigured',
    platform_chat: 'unconfigured',
    cli: 'unconfigured',
    seat_management_setting: 'assign_selected',
  };
}

/** Presents a page of seats. They aren't based on a plan. */
export async function presentSeats(scope: Scope & Needs<'assistant'>, org: Org, rows: readonly Seat[]): Promise<AssistantSeat[]> {
  const { db, links, services } = scope;
  if (rows.length === 0) return [];
  const [accounts, teams, organization] = await Promise.all([
    loadAccounts(db, gather(rows, 'user_id')),
    loadTeams(db, gather(rows, 'team_id')),
    presentOrganizationOf(scope, org),
  ]);
  const presented = keyed(await presentTeams(scope, [...teams.values()]), ({ id }) => id);
  const activity = await services.assistant.activity(
    org.login,
    [...accounts.values()].map(({ login }) => login),
    db,
  );
  return rows.flatMap((seat) => {
    const assignee = accounts.get(seat.user_id);
    if (!assignee) return [];
    const team = seat.team_id === null ? undefined : presented.get(seat.team_id);
    const last = activity.get(assignee.login);
    return {
      assignee: presentUser(links, assignee),
      organization,
      ...(team ? { assigning_team: team } : {}),
      pending_cancellation_date: seat.ends_on,
      last_activity_at: timestampOrNull(last?.at),
      last_activity_editor: last?.editor ?? null,
      last_authenticated_at: timestampOrNull(last?.authenticatedAt),
      created_at: timestamp(seat.created_at),
      updated_at: timestamp(seat.updated_at),
      plan_type: 'unknown',
    };
  });
}

export const presentSeat = async (scope: Scope & Needs<'assistant'>, org: Org, seat: Seat): Promise<AssistantSeat> =>
  firstOrNotFound(await presentSeats(scope, org, [seat]));

/** Presents a page of spaces of one organization. */
export async function presentSpaces(scope: Scope, org: Org, rows: readonly SpaceRow[]): Promise<AssistantSpace[]> {
  const { db, links } = scope;
  if (rows.length === 0) return [];
  const [creators, owner] = await Promise.all([loadAccounts(db, gather(rows, 'creator_id')), presentOrganizationOf(scope, org)]);
  return rows.map((space) => ({
    id: space.id,
    number: space.number,
    name: space.name,
    description: space.description,
    general_instructions: space.general_instructions,
    base_role: space.base_role,
    owner,
    creator: presentUserOrNull(links, getOptional(creators, space.creator_id)),
    created_at: timestamp(space.created_at),
    updated_at: timestamp(space.updated_at),
    html_url: path(links.html, 'orgs', org.login, 'spaces', space.number),
    api_url: path(`${links.api}/orgs`, org.login, 'assistant-spaces', space.number),
  }));
}

export const presentSpace = async (scope: Scope, org: Org, row: SpaceRow): Promise<AssistantSpace> =>
  firstOrNotFound(await presentSpaces(scope, org, [row]));

/** The collaborators of a space. */
export async function presentCollaborators(scope: Scope, rows: readonly CollaboratorRow[]): Promise<SpaceCollaborator[]> {
  const { db, links } = scope;
  const [accounts, teams] = await Promise.all([
    loadAccounts(db, gather(rows, 'user_id')),
    loadTeams(db, gather(rows, 'team_id')),
  ]);
  const presented = keyed(await presentTeams(scope, [...teams.values()]), ({ id }) => id);
  return rows.flatMap(({ user_id, team_id, role }): SpaceCollaborator[] => {
    const user = getOptional(accounts, user_id);
    if (user) return [{ ...presentUser(links, user), actor_type: 'User', role }];
    const team = team_id === null ? undefined : presented.get(team_id);
    if (!team) return [];
    const { permission: _permission, permissions: _permissions, ...shown } = team;
    return [{ ...shown, type: 'Team', actor_type: 'Team', role }];
  });
}

export const presentCollaborator = async (scope: Scope, row: CollaboratorRow): Promise<SpaceCollaborator> =>
  firstOrNotFound(await presentCollaborators(scope, [row]));
