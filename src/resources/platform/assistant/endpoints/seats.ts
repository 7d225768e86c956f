// The seats of the assistant, and their use.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages, pagesInside } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { dayOf } from '#lib/time.ts';
import { team } from '#resources/identity/teams/index.ts';
import { readsMetrics, readsSeats, writesSeats } from '../policies.ts';
import { presentAssistant, presentSeat, presentSeats } from '../present.ts';
import { AssistantMetrics } from '../provider.ts';
import {
  AssistantDetails,
  AssistantSeat,
  AssistantSeats,
  MetricsTime,
  SeatsCancelled,
  SeatsCreated,
  SeatTeams,
  SeatUsers,
} from '../schemas.ts';
import { assignSeats, cancelSeats, metricsTime } from '../seat-rules.ts';
import { findSeat, listSeats } from '../seat-store.ts';

export const getOrgAssistant = endpoint({
  id: 'copilot/get-copilot-organization-details',
  method: 'GET',
  path: '/orgs/{org}/assistant/billing',
  summary: 'Get seat information and settings of the assistant for an organization',
  access: readsSeats,
  replies: { 200: AssistantDetails },
  async handle({ scope, at: { org } }) {
    return presentAssistant(scope, org);
  },
});

export const listOrgSeats = endpoint({
  id: 'copilot/list-copilot-seats',
  method: 'GET',
  path: '/orgs/{org}/assistant/billing/seats',
  summary: 'List all seat assignments of the assistant for an organization',
  access: readsSeats,
  paging: pagesInside({ defaultLimit: 50 }),
  replies: { 200: AssistantSeats },
  async handle({ scope, db, at: { org }, page, now }) {
    const { rows, total } = await listSeats(db, { organization: org.id, today: dayOf(now) }, page);
    return { body: { total_seats: total, seats: await presentSeats(scope, org, rows) }, total };
  },
});

export const getMemberSeat = endpoint({
  id: 'copilot/get-copilot-seat-details-for-user',
  method: 'GET',
  path: '/orgs/{org}/members/{username}/assistant',
  summary: 'Get seat assignment details of the assistant for a user',
  access: readsSeats,
  refuses: [404],
  replies: { 200: AssistantSeat },
  async handle({ scope, db, at: { org, user }, now }) {
    const seat = orNotFound(await findSeat(db, { organization: org.id, today: dayOf(now) }, user.id));
    return presentSeat(scope, org, seat);
  },
});

export const addSeatsForTeams = endpoint({
  id: 'copilot/add-copilot-seats-for-teams',
  method: 'POST',
  path: '/orgs/{org}/assistant/billing/selected_teams',
  summary: 'Add teams to the seats of the assistant for an organization',
  access: writesSeats,
  body: SeatTeams,
  example: { selected_teams: ['engineers'] },
  replies: { 201: SeatsCreated },
  async handle({ change, action, body: { selected_teams: names } }) {
    return { seats_created: await change((scope) => assignSeats(scope, action, { field: 'selected_teams', names })) };
  },
});

export const cancelSeatsForTeams = endpoint({
  id: 'copilot/cancel-copilot-seat-assignment-for-teams',
  method: 'DELETE',
  path: '/orgs/{org}/assistant/billing/selected_teams',
  summary: 'Remove teams from the seats of the assistant for an organization',
  access: writesSeats,
  body: SeatTeams,
  example: { selected_teams: ['engineers'] },
  replies: { 200: SeatsCancelled },
  async handle({ change, action, body: { selected_teams: names } }) {
    return { seats_cancelled: await change((scope) => cancelSeats(scope, action, { field: 'selected_teams', names })) };
  },
});

export const addSeatsForUsers = endpoint({
  id: 'copilot/add-copilot-seats-for-users',
  method: 'POST',
  path: '/orgs/{org}/assistant/billing/selected_users',
  summary: 'Add users to the seats of the assistant for an organization',
  access: writesSeats,
  body: SeatUsers,
  example: { selected_usernames: ['ada'] },
  replies: { 201: SeatsCreated },
  async handle({ change, action, body: { selected_usernames: names } }) {
    return { seats_created: await change((scope) => assignSeats(scope, action, { field: 'selected_usernames', names })) };
  },
});

export const cancelSeatsForUsers = endpoint({
  id: 'copilot/cancel-copilot-seat-assignment-for-users',
  method: 'DELETE',
  path: '/orgs/{org}/assistant/billing/selected_users',
  summary: 'Remove users from the seats of the assistant for an organization',
  access: writesSeats,
  body: SeatUsers,
  example: { selected_usernames: ['ada'] },
  replies: { 200: SeatsCancelled },
  async handle({ change, action, body: { selected_usernames: names } }) {
    return { seats_cancelled: await change((scope) => cancelSeats(scope, action, { field: 'selected_usernames', names })) };
  },
});

const paging = pages({ defaultLimit: 100 });

export const getOrgMetrics = endpoint({
  id: 'copilot/copilot-metrics-for-organization',
  method: 'GET',
  path: '/orgs/{org}/assistant/metrics',
  summary: 'Get metrics of the assistant for an organization',
  access: readsMetrics,
  query: MetricsTime,
  paging,
  replies: { 200: Type.Array(AssistantMetrics) },
  async handle({ db, at: { org }, query, page, now, services: { assistant } }) {
    const { from, to } = metricsTime(query, now);
    return pageOut(await assistant.metrics({ organization: org.login }, from, to, db), page);
  },
});

export const getTeamMetrics = endpoint({
  id: 'copilot/copilot-metrics-for-team',
  method: 'GET',
  path: '/orgs/{org}/team/{team_slug}/assistant/metrics',
  resources: [team],
  summary: 'Get metrics of the assistant for a team',
  access: readsMetrics,
  query: MetricsTime,
  paging,
  replies: { 200: Type.Array(AssistantMetrics) },
  async handle({ db, at: { org, team }, query, page, now, services: { assistant } }) {
    const { from, to } = metricsTime(query, now);
    return pageOut(await assistant.metrics({ organization: org.login, team: team.slug }, from, to, db), page);
  },
});
