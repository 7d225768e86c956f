import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, member, repo, collaborator, settle, db } = w;

let ada: Account;
let bob: Account;
let acme: Account;
let open: RepositoryRow & { owner: Account };
let hidden: RepositoryRow & { owner: Account };

const write = async (in_: RepositoryRow & { owner: Account }, by: Account, wanted: Record<string, unknown>): Promise<string> => {
  const { body } = await (await as(by)).post(`/repos/${in_.owner.login}/${in_.name}/issues`, wanted);
  return new URL(body.url).pathname.replace('/api/v3', '');
};

beforeAll(async () => {
  ada = await user('ada');
  bob = await user('bob');
  acme = await org(ada, 'acme');
  open = await repo(acme, { name: 'engine', by: ada });
  hidden = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  const client = await as(ada);
  await client.post('/repos/acme/engine/labels', { name: 'bug', color: 'ff0000' });
  const first = await write(open, ada, {
    title: 'Widget leaks 💧 oil',
    body: 'Since Tuesday.\nThe gasket is 𝒶 gasket.',
    labels: ['bug'],
  });
  await client.post(`${first}/comments`, { body: 'A 🛠 gasket of the widget is loose' });
  await write(open, bob, { title: 'Paint', body: 'The widget needs paint' });
  await write(hidden, ada, { title: 'Hidden treasure', body: 'widget' });
  await settle();
});

const textMatch = { headers: { accept: 'application/vnd.service.text-match+json' } };

describe('what a credential does not reach is neither returned, counted nor quoted', () => {
  const total = async (who: Account): Promise<number> => {
    const { body } = await (await as(who)).get('/search/issues?q=treasure+is:issue', textMatch);
    expect(body.items).toHaveLength(body.total_count);
    return body.total_count;
  };

  test('by role, and gone at the next request', async () => {
    expect(await total(bob)).toBe(0);
    expect(await total(ada)).toBe(1);
    const carol = await user();
    await member(acme, carol);
    expect(await total(carol)).toBe(1);
    const outside = await user();
    await collaborator(hidden, outside, 'read');
    expect(await total(outside)).toBe(1);
    await db.deleteFrom('collaborators').where('user_id', '=', outside.id).execute();
    expect(await total(outside)).toBe(0);
  });
});

describe('the index follows what happens', () => {
  const total = async (q: string): Promise<number> => {
    await settle();
    return (await (await as(ada)).get(`/search/issues?q=${q}`)).body.total_count;
  };

  test('edits, states, labels, comments, reactions and assignments', async () => {
    const client = await as(ada);
    const word = fresh('zebra').replace('-', '');
    const issue = await write(open, ada, { title: word });
    expect(await total(`${word}+is:open+no:label`)).toBe(1);
    await client.patch(issue, { title: `${word} stripes`, body: 'and hooves', state: 'closed', state_reason: 'not_planned' });
    expect(await total(`stripes+hooves+is:closed+reason:not_planned+${word}`)).toBe(1);
    await client.post(`${issue}/labels`, { labels: ['bug'] });
    await client.post(`${issue}/assignees`, { assignees: ['ada'] });
    expect(await total(`${word}+label:bug+assignee:ada`)).toBe(1);
    await client.delete(`${issue}/labels/bug`);
    expect(await total(`${word}+label:bug`)).toBe(0);
    const said = await client.post(`${issue}/comments`, { body: `savanna${word} @bob` });
    expect(await total(`savanna${word}+mentions:bob+comments:1`)).toBe(1);
    const comment = `/repos/acme/engine/issues/comments/${said.body.id}`;
    await client.patch(comment, { body: 'steppe' });
    expect(await total(`savanna${word}`)).toBe(0);
    expect(await total(`${word}+steppe+in:comments,title`)).toBe(1);
    await client.delete(comment);
    expect(await total(`${word}+steppe`)).toBe(0);
    await client.post(`${issue}/reactions`, { content: 'heart' });
    expect(await total(`${word}+reactions:1`)).toBe(1);
    await client.put(`${issue}/lock`, {});
    expect(await total(`${word}+is:locked`)).toBe(1);
  });

  test('labels and milestones that are renamed or deleted', async () => {
    const client = await as(ada);
    await client.post('/repos/acme/engine/labels', { name: 'wild', color: '00ff00' });
    const milestone = await client.post('/repos/acme/engine/milestones', { title: 'Spring' });
    await write(open, ada, { title: 'Okapi', labels: ['wild'], milestone: milestone.body.number });
    expect(await total('okapi+label:wild+milestone:spring')).toBe(1);
    await client.patch('/repos/acme/engine/labels/wild', { new_name: 'tame' });
    await client.patch(`/repos/acme/engine/milestones/${milestone.body.number}`, { title: 'Autumn' });
    expect(await total('okapi+label:tame+milestone:autumn+-label:wild')).toBe(1);
    await client.delete('/repos/acme/engine/labels/tame');
    await client.delete(`/repos/acme/engine/milestones/${milestone.body.number}`);
    expect(await total('okapi+no:label+no:milestone')).toBe(1);
  });

  test('repositories that are renamed, hidden, archived or deleted', async () => {
    const client = await as(ada);
    const moving = await repo(acme, { name: 'moving', by: ada });
    await write(moving, ada, { title: 'Quagga' });
    expect(await total('quagga+repo:acme/moving')).toBe(1);
    await client.patch('/repos/acme/moving', { name: 'moved' });
    expect(await total('quagga+repo:acme/moved')).toBe(1);
    await client.patch('/repos/acme/moved', { visibility: 'private' });
    expect((await (await as(bob)).get('/search/issues?q=quagga')).body.total_count).toBe(0);
    await client.patch('/repos/acme/moved', { archived: true });
    expect(await total('quagga+archived:true+is:private')).toBe(1);
    await client.delete('/repos/acme/moved');
    expect(await total('quagga')).toBe(0);
  });
});
