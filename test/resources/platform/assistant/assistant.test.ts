import { sql } from 'kysely';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type {
  AssistantActivity,
  AssistantMetrics,
  AssistantProvider,
  AssistantUsers,
} from '#resources/platform/assistant/provider.ts';
import { fresh, world } from '#test/support/world.ts';

const people = { total_engaged_users: 3 };
const model = { ...people, name: 'default', is_custom_model: false, custom_model_training_date: null };
const metricsOf = (date: string): AssistantMetrics => ({
  date,
  total_active_users: 5,
  total_engaged_users: 3,
  assistant_ide_code_completions: {
    ...people,
    languages: [{ ...people, name: 'ruby' }],
    editors: [
      {
        ...people,
        name: 'neovim',
        models: [
          {
            ...model,
            languages: [
              {
                ...people,
                name: 'ruby',
                total_code_suggestions: 9,
                total_code_acceptances: 8,
                total_code_lines_suggested: 7,
                total_code_lines_accepted: 6,
              },
            ],
          },
        ],
      },
    ],
  },
  assistant_ide_chat: {
    ...people,
    editors: [
      {
        ...people,
        name: 'neovim',
        models: [{ ...model, total_chats: 4, total_chat_insertion_events: 3, total_chat_copy_events: 2 }],
      },
    ],
  },
  assistant_web_chat: { ...people, models: [{ ...model, total_chats: 5 }] },
  assistant_web_pull_requests: {
    ...people,
    repositories: [{ ...people, name: 'acme/engine', models: [{ ...model, total_pr_summaries_created: 6 }] }],
  },
});

const used = new Map<string, AssistantActivity>();
const asked: unknown[] = [];
const provider: AssistantProvider = {
  async metrics(users: AssistantUsers, from: string, to: string) {
    asked.push([users, from, to]);
    return users.organization.startsWith('used') ? [metricsOf(from), metricsOf(to)] : [];
  },
  activity: async (_, logins) => new Map([...used].filter(([login]) => logins.includes(login))),
  activeSince: async (_, since) => new Set([...used].filter(([, { at }]) => at !== null && at >= since).map(([login]) => login)),
};
const w = await world({ assistant: provider, vocabulary: 'github' });
w.clock.now = new Date('2026-03-10T10:00:00Z');

async function setting(login = fresh('org')) {
  const owner = await w.user();
  const org = await w.org(owner, login);
  const client = await w.as(owner);
  const member = async () => {
    const user = await w.user();
    await w.member(org, user);
    return user;
  };
  const octokit = new Octokit({
    auth: await w.token(owner),
    baseUrl: `${w.url}/api/v3`,
    retry: { enabled: false },
    throttle: { enabled: false },
  });
  return { owner, org, client, member, octokit, base: `/orgs/${org.login}/assistant` };
}

test('people and teams get seats, which end with the cycle when they are cancelled', async () => {
  const { owner, org, client, member, octokit, base } = await setting();
  const [ada, bob, cy] = [await member(), await member(), await member()];
  const { body: team } = await client.post(`/orgs/${org.login}/teams`, { name: 'engineers' });
  for (const { login } of [bob, cy])
    await client.put(`/orgs/${org.login}/teams/${team.slug}/memberships/${login}`, { role: 'member' });
  await client.delete(`/orgs/${org.login}/teams/${team.slug}/memberships/${owner.login}`);
  const seats = octokit.rest.copilot;
  const breakdown = async () => (await seats.getCopilotOrganizationDetails({ org: org.login })).data.seat_breakdown;
  const users = (...all: { login: string }[]) => ({ org: org.login, selected_usernames: all.map(({ login }) => login) });
  const teams = { org: org.login, selected_teams: [team.slug] };
  expect((await seats.addCopilotSeatsForUsers(users(ada, bob))).data).toEqual({ seats_created: 2 });
  expect((await seats.addCopilotSeatsForTeams(teams)).data).toEqual({ seats_created: 1 });
  used.set(ada.login, { at: w.clock.now, editor: 'neovim/0.11', authenticatedAt: w.clock.now });
  expect(await breakdown()).toEqual({
    total: 3,
    added_this_cycle: 3,
    pending_cancellation: 0,
    pending_invitation: 0,
    active_this_cycle: 1,
    inactive_this_cycle: 2,
  });
  const seatOf = (user: { login: string }) => client.get(`/orgs/${org.login}/members/${user.login}/assistant`);
  expect((await seatOf(ada)).body).toMatchObject({
    assignee: { login: ada.login },
    organization: { login: org.login },
    last_activity_at: '2026-03-10T10:00:00Z',
    last_activity_editor: 'neovim/0.11',
    pending_cancellation_date: null,
  });
  expect((await seatOf(ada)).body.assigning_team).toBeUndefined();
  expect((await seatOf(cy)).body).toMatchObject({ assigning_team: { slug: team.slug }, last_activity_at: null });

  // Bob keeps the seat that the team gives.
  expect((await seats.cancelCopilotSeatAssignmentForUsers(users(ada, bob))).data).toEqual({ seats_cancelled: 1 });
  expect((await seatOf(ada)).body).toMatchObject({ pending_cancellation_date: '2026-04-01' });
  expect((await seatOf(bob)).body).toMatchObject({ pending_cancellation_date: null, assigning_team: { slug: team.slug } });
  expect(await breakdown()).toMatchObject({ total: 3, pending_cancellation: 1 });
  expect((await seats.cancelCopilotSeatAssignmentForTeams(teams)).data).toEqual({ seats_cancelled: 2 });
  expect((await seats.addCopilotSeatsForUsers(users(bob))).data).toEqual({ seats_created: 1 });

  const { data: page } = await seats.listCopilotSeats({ org: org.login, per_page: 2 });
  expect([page.total_seats, page.seats?.length]).toEqual([3, 2]);
  w.clock.now = new Date('2026-04-01T00:00:00Z');
  await w.change(async (scope) => {
    await sql`select jobs.add_job('assistant.remove-ended-seats', '{}')`.execute(scope.tx);
  });
  await w.settle();
  expect(await breakdown()).toMatchObject({ total: 1, added_this_cycle: 0, pending_cancellation: 0, active_this_cycle: 0 });
  expect((await seatOf(ada)).status).toBe(404);
  expect((await client.delete(`/orgs/${org.login}/members/${bob.login}`)).status).toBe(204);
  expect(await breakdown()).toMatchObject({ total: 0 });
  expect((await client.get(`${base}/billing/seats`)).body).toEqual({ total_seats: 0, seats: [] });
});

test('strangers get no seats: the field is named, and nothing is written', async () => {
  const { owner, client, member, base } = await setting();
  const [ada, stranger] = [await member(), await w.user()];
  const bad: readonly [method: 'post' | 'delete', field: string, names: unknown][] = [
    ['post', 'selected_usernames', [ada.login, stranger.login]],
    ['post', 'selected_usernames', [fresh('nobody')]],
    ['post', 'selected_usernames', []],
    ['post', 'selected_usernames', ada.login],
    ['post', 'selected_teams', [fresh('team')]],
    ['delete', 'selected_usernames', [ada.login]],
    ['delete', 'selected_teams', [fresh('team')]],
  ];
  await w.unchanged(['assistant_assignments', 'events'], async () => {
    for (const [method, field, names] of bad) {
      const url = `${base}/billing/${field === 'selected_teams' ? 'selected_teams' : 'selected_users'}`;
      const answer = await client[method](url, { [field]: names });
      expect(answer).toMatchObject({ status: 422, body: { errors: [expect.objectContaining({ field })] } });
    }
  });
  const add = async (user: { login: string }) =>
    client.post(`${base}/billing/selected_users`, { selected_usernames: [user.login] });
  await add(ada);
  const one = await w.statements(owner, `${base}/billing/seats`);
  for (let more = 0; more < 3; more++) await add(await member());
  expect(await w.statements(owner, `${base}/billing/seats`)).toBe(one);
});

test('metrics come from the assistant that is attached, of an organization or a team, and none where nothing is known', async () => {
  w.clock.now = new Date('2026-04-01T00:00:00Z');
  const { client, org, base } = await setting(fresh('used'));
  const { body: team } = await client.post(`/orgs/${org.login}/teams`, { name: 'drivers' });
  const [day] = (await client.get(`${base}/metrics?since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z&per_page=1`)).body;
  const { assistant_ide_chat, assistant_ide_code_completions, assistant_web_chat, assistant_web_pull_requests, ...common } =
    metricsOf('2026-03-01');
  expect(day).toEqual({
    ...common,
    copilot_ide_chat: assistant_ide_chat,
    copilot_ide_code_completions: assistant_ide_code_completions,
    copilot_dotcom_chat: assistant_web_chat,
    copilot_dotcom_pull_requests: assistant_web_pull_requests,
  });
  expect((await client.get(`/orgs/${org.login}/team/${team.slug}/assistant/metrics`)).body).toHaveLength(2);
  expect(asked.at(-1)).toEqual([{ organization: org.login, team: team.slug }, '2025-12-22', '2026-03-31']);
  for (const query of ['since=yesterday', 'until=2026-02-31T99', 'since=2026-03-05&until=2026-03-01'])
    expect((await client.get(`${base}/metrics?${query}`)).status).toBe(422);
  const other = await setting();
  expect((await other.client.get(`${other.base}/metrics`)).body).toEqual([]);
});

test('a space is read, changed and shared by the roles that it gives', async () => {
  const { org, client, member } = await setting();
  const [ada, bob] = [await member(), await member()];
  const [asAda, asBob] = [await w.as(ada), await w.as(bob)];
  const { body: team } = await client.post(`/orgs/${org.login}/teams`, { name: 'readers' });
  const spaces = `/orgs/${org.login}/assistant-spaces`;
  const { body: made } = await asAda.post(spaces, { name: 'Engines', general_instructions: 'Use units.' });
  expect(made).toMatchObject({ number: 1, base_role: 'no_access', creator: { login: ada.login }, description: null });
  const space = `${spaces}/1`;
  expect((await asBob.get(space)).status).toBe(404);
  expect((await asBob.get(spaces)).body).toEqual({ spaces: [] });
  expect((await client.get(spaces)).body).toMatchObject({ spaces: [{ name: 'Engines' }] });
  expect(
    (await asBob.post(`${space}/collaborators`, { actor_type: 'User', actor_identifier: bob.login, role: 'admin' })).status,
  ).toBe(404);

  const added = await asAda.post(`${space}/collaborators`, { actor_type: 'User', actor_identifier: bob.login, role: 'reader' });
  expect(added).toMatchObject({ status: 201, body: { login: bob.login, actor_type: 'User', role: 'reader' } });
  expect((await asBob.get(space)).body).toMatchObject({ name: 'Engines' });
  expect((await asBob.put(space, { name: 'Other' })).status).toBe(403);
  const bobs = `${space}/collaborators/User/${bob.login}`;
  expect((await asBob.put(bobs, { role: 'admin' })).status).toBe(403);
  expect((await asAda.put(bobs, { role: 'writer' })).body).toMatchObject({ role: 'writer' });
  expect((await asBob.put(space, { name: 'Other', description: 'All' })).body).toMatchObject({
    name: 'Other',
    description: 'All',
  });
  expect((await asBob.put(space, { base_role: 'reader' })).status).toBe(403);

  await asAda.post(`${space}/collaborators`, { actor_type: 'Team', actor_identifier: team.slug, role: 'reader' });
  expect((await asAda.get(`${space}/collaborators`)).body.collaborators).toMatchObject([
    { actor_type: 'User', login: bob.login, role: 'writer' },
    { actor_type: 'Team', slug: team.slug, type: 'Team', role: 'reader' },
  ]);
  const stranger = await w.user();
  const bad = [
    { actor_type: 'User', actor_identifier: stranger.login, role: 'reader' },
    { actor_type: 'Team', actor_identifier: fresh('team'), role: 'reader' },
    { actor_type: 'User', actor_identifier: bob.login, role: 'reader' },
  ];
  await w.unchanged(['assistant_space_collaborators', 'assistant_spaces'], async () => {
    for (const wanted of bad)
      expect(await asAda.post(`${space}/collaborators`, wanted)).toMatchObject({
        status: 422,
        body: { errors: [expect.objectContaining({ field: 'actor_identifier' })] },
      });
    expect((await asAda.post(spaces, { name: '' })).status).toBe(422);
    expect((await asAda.put(space, { general_instructions: 'x'.repeat(4_001) })).status).toBe(422);
  });
  expect((await asAda.put(bobs, { role: 'no_access' })).status).toBe(204);
  expect((await asBob.get(space)).status).toBe(404);
  expect((await asAda.delete(`${space}/collaborators/Team/${team.slug}`)).status).toBe(204);
  expect((await asAda.get(`${space}/collaborators`)).body).toEqual({ collaborators: [] });
});

test('an organization has so many spaces, and a space so many collaborators', async () => {
  const { org, client, member } = await setting();
  const spaces = `/orgs/${org.login}/assistant-spaces`;
  await client.post(spaces, { name: 'Engines' });
  const fill = sql`
    with people as (
      insert into accounts (kind, login, created_at, updated_at)
      select 'user', ${`${org.login}-person-`} || n, ${w.clock.now}, ${w.clock.now} from generate_series(1, 99) n returning id)
    insert into assistant_space_collaborators (space_id, user_id, role, created_at)
    select s.id, p.id, 'reader', ${w.clock.now} from assistant_spaces s, people p where s.organization_id = ${org.id}`;
  await fill.execute(w.db);
  const add = async () => {
    const wanted = { actor_type: 'User', actor_identifier: (await member()).login, role: 'reader' };
    return client.post(`${spaces}/1/collaborators`, wanted);
  };
  expect((await add()).status).toBe(201);
  await w.db.updateTable('assistant_spaces').set({ number: 9_999 }).where('organization_id', '=', org.id).execute();
  expect((await client.post(spaces, { name: 'Last' })).body).toMatchObject({ number: 10_000 });
  await w.db
    .updateTable('assistant_spaces')
    .set({ number: 1 })
    .where('name', '=', 'Engines')
    .where('organization_id', '=', org.id)
    .execute();
  await w.unchanged(['assistant_spaces', 'assistant_space_collaborators'], async () => {
    const message = 'A space can have at most 100 collaborators';
    expect(await add()).toMatchObject({ status: 422, body: { errors: [{ field: 'actor_identifier', message }] } });
    expect(await client.post(spaces, { name: 'More' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'name', message: 'An organization can have at most 10000 spaces' }] },
    });
  });
});
