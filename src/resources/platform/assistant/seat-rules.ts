import type { OrganizationAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { addDays, dayOf } from '#lib/time.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { beginningOfCycle, endOfCycle } from './cycle.ts';
import type { MetricsTime } from './schemas.ts';
import { type Assignees, countSeats, endAssignments, loadMembersNamed, loadTeamsNamed, putAssignments } from './seat-store.ts';

const resource = 'AssistantSeat';

/** The users or teams in a field of a request. */
type NamedAssignees = { readonly field: 'selected_usernames' | 'selected_teams'; readonly names: readonly string[] };

/**
 * Assigns seats.
 * @returns the number of seats that are new, or no longer end
 * @throws Refusal 422 for users and teams outside the organization
 */
export async function assignSeats(scope: WriteScope, action: OrganizationAction, named: NamedAssignees): Promise<number> {
  const { org, now } = action;
  await lockOrganization(scope.tx, org.id);
  const assignees = await findAssignees(scope.tx, action, named, { isAssigned: false });
  const before = await countLasting(scope.tx, action);
  await putAssignments(scope.tx, org.id, assignees, now);
  await record(scope.tx, { ...inOrganization(action), kind: 'assistant_seats.assigned', data: assignees });
  return (await countLasting(scope.tx, action)) - before;
}

/**
 * Ends seats with the billing cycle.
 * @returns the number of seats that end
 * @throws Refusal 422 for users and teams without an assignment of their own
 */
export async function cancelSeats(scope: WriteScope, action: OrganizationAction, named: NamedAssignees): Promise<number> {
  const { org, now } = action;
  await lockOrganization(scope.tx, org.id);
  const assignees = await findAssignees(scope.tx, action, named, { isAssigned: true });
  const before = await countLasting(scope.tx, action);
  await endAssignments(scope.tx, org.id, assignees, { on: endOfCycle(now), now });
  await record(scope.tx, { ...inOrganization(action), kind: 'assistant_seats.cancelled', data: assignees });
  return before - (await countLasting(scope.tx, action));
}

/** The number of seats that have no end. */
async function countLasting(db: Db, { org, now }: OrganizationAction): Promise<number> {
  const counts = await countSeats(db, { organization: org.id, today: dayOf(now) }, { since: beginningOfCycle(now), active: [] });
  return counts.total - counts.ending;
}

async function findAssignees(
  db: Db,
  { org }: OrganizationAction,
  { field, names }: NamedAssignees,
  { isAssigned }: { isAssigned: boolean },
): Promise<Assignees> {
  const isUsers = field === 'selected_usernames';
  const found: ReadonlyMap<string, { id: Id<'accounts'> | Id<'teams'>; isAssigned: boolean }> = isUsers
    ? await loadMembersNamed(db, org.id, names)
    : await loadTeamsNamed(db, org.id, names);
  for (const name of names) {
    const one = found.get(name.toLowerCase());
    if (!one) throw invalid(resource, field, 'invalid', `${name} is no ${isUsers ? 'member' : 'team'} of the organization`);
    if (isAssigned && !one.isAssigned)
      throw invalid(resource, field, 'invalid', `${name} was not given any seat${isUsers ? ', but may have one by a team' : ''}`);
  }
  const ids = [...found.values()].map(({ id }) => id);
  return isUsers ? { users: ids as Id<'accounts'>[], teams: [] } : { users: [], teams: ids as Id<'teams'>[] };
}

/** How far back metrics go, in days (the public API's). */
const metricDays = 100;

/**
 * The requested days of metrics: up to yesterday, and at most 100.
 * @throws Refusal 422 for invalid times, and for an end before the start
 */
export function metricsTime({ since, until }: MetricsTime, now: Date): { from: string; to: string } {
  const yesterday = dayOf(addDays(now, -1));
  const earliest = dayOf(addDays(now, -metricDays));
  const to = until === undefined ? yesterday : dayIn('until', until);
  const from = since === undefined ? earliest : dayIn('since', since);
  if (from > to) throw invalid('AssistantMetrics', 'since', 'invalid', 'since must be before until');
  return { from: from < earliest ? earliest : from, to: to > yesterday ? yesterday : to };
}

function dayIn(field: string, text: string): string {
  const time = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime()))
    throw invalid('AssistantMetrics', field, 'invalid', `${field} must be a time in ISO 8601`);
  return dayOf(time);
}
