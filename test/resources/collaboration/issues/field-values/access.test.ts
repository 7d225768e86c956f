import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { fieldEvents, setting } from './setting.ts';

const w = await world();
const { as, user, token, fineGrained, collaborator, unchanged } = w;
const tables = ['issue_field_values', 'issue_events', 'issues', 'events'];

test('what members alone see, outsiders find nowhere', async () => {
  const { member, outsider, acme, place, path, fields, client, set } = await setting(w);
  await set([fields.note, 'for all'], [fields.secret, 'for members']);
  const { body: events } = await client.get(`${place}/issues/1/events`);
  const hidden = events.find(({ issue_field }: { issue_field?: { name: string } }) => issue_field?.name === 'Secret').id;
  const seen = async (who: Account | string | undefined) => {
    const theirs = await as(who);
    const [values, ofIssue, ofRepository, timeline] = await Promise.all(
      [path, `${place}/issues/1/events`, `${place}/issues/events`, `${place}/issues/1/timeline`].map((at) => theirs.get(at)),
    );
    const told = [ofIssue, ofRepository, timeline].map((reply) => fieldEvents(reply?.body).length);
    return [values?.body.length, ...told, (await theirs.get(`${place}/issues/events/${hidden}`)).status];
  };
  const everything = [2, 2, 2, 2, 200];
  const open = [1, 1, 1, 1, 404];
  const app = await installApp(w, { on: acme, permissions: { issues: 'read' } });
  const foreign = await installApp(w, { on: outsider, permissions: { issues: 'read' } });
  const helper = await user();
  await collaborator(
    await w.db.selectFrom('repositories').selectAll().where('owner_id', '=', acme.id).executeTakeFirstOrThrow(),
    helper,
    'admin',
  );
  expect(await seen(member)).toEqual(everything);
  expect(await seen(await fineGrained(member, acme, { issues: 'read' }))).toEqual(everything);
  expect(await seen(app.token)).toEqual(everything);
  expect(await seen(await app.userToken(member))).toEqual(everything);
  expect(await seen(undefined)).toEqual(open);
  expect(await seen(outsider)).toEqual(open);
  expect(await seen(helper)).toEqual(open);
  expect(await seen(foreign.token)).toEqual(open);
  expect(await seen(await fineGrained(member, member, { issues: 'read' }))).toEqual(open);
  expect(await seen(await foreign.userToken(member))).toEqual(open);
});

test('who does not see a field sets and clears nothing in it', async () => {
  const { path, engine, fields, client, set } = await setting(w);
  const helper = await user();
  await collaborator(engine, helper, 'write');
  const theirs = await as(helper);
  await set([fields.note, 'x'], [fields.secret, 'y']);
  await unchanged(tables, async () => {
    const refused = await theirs.post(path, { issue_field_values: [{ field_id: fields.secret.id, value: 'z' }] });
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'missing']);
    expect((await theirs.delete(`${path}/${fields.secret.id}`)).status).toBe(404);
  });
  expect((await theirs.post(path, { issue_field_values: [] })).body).toEqual([]);
  expect((await client.get(path)).body).toMatchObject([{ issue_field_name: 'Secret', value: 'y' }]);
});

test('values are set and cleared by those who write, with the right scope or permission', async () => {
  const { owner, acme, engine, path, fields, set } = await setting(w, 'private');
  await set([fields.effort, 1]);
  const [triager, writer] = [await user(), await user()];
  await collaborator(engine, triager, 'triage');
  await collaborator(engine, writer, 'write');
  const body = { issue_field_values: [{ field_id: fields.note.id, value: 'x' }] };
  const statuses = async (who: Account | string | undefined) => {
    const theirs = await as(who);
    const replies = [await theirs.get(path), await theirs.post(path, body), await theirs.delete(`${path}/${fields.note.id}`)];
    return replies.map(({ status }) => status);
  };
  const app = await installApp(w, { on: acme, permissions: { issues: 'write' } });
  const readingApp = await installApp(w, { on: acme, permissions: { issues: 'read' } });
  await unchanged(tables, async () => {
    expect(await statuses(undefined)).toEqual([404, 404, 404]);
    expect(await statuses(await user())).toEqual([404, 404, 404]);
    expect(await statuses(await token(owner, ['public_repo']))).toEqual([404, 404, 404]);
    expect(await statuses(triager)).toEqual([200, 403, 403]);
    expect(await statuses(readingApp.token)).toEqual([200, 403, 403]);
    expect(await statuses(await fineGrained(owner, acme, { issues: 'read' }))).toEqual([200, 403, 403]);
    expect(await statuses(await fineGrained(owner, acme, { contents: 'write' }))).toEqual([403, 403, 403]);
    expect(await statuses(await app.userToken(triager))).toEqual([200, 403, 403]);
  });
  for (const who of [writer, owner, app.token, await app.userToken(writer), await fineGrained(owner, acme, { issues: 'write' })])
    expect(await statuses(who)).toEqual([200, 200, 204]);
});

test('an archived repository takes no values, and one without issues has none', async () => {
  const { path, place, fields, client, set } = await setting(w);
  await set([fields.note, 'x']);
  await client.patch(place, { has_issues: false });
  expect((await client.get(path)).status).toBe(410);
  expect((await set([fields.note, 'y'])).status).toBe(410);
  await client.patch(place, { has_issues: true, archived: true });
  expect((await client.get(path)).body).toHaveLength(1);
  expect((await set([fields.note, 'y'])).status).toBe(403);
  expect((await client.delete(`${path}/${fields.note.id}`)).status).toBe(403);
});
