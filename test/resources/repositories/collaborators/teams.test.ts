import { expect, test } from 'vitest';
import { createTeam, setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';
import { personal, setting } from './setting.ts';

const shown = (reply: { body: { name: string; permission: string }[] }) =>
  reply.body.map((row) => [row.name.replace(/-\d+$/, ''), row.permission]);

test('a private repository lists the teams that reach it, a public one those that it was given to', async () => {
  const w = await world();
  const [hidden, open] = [await setting(w), await setting(w, 'public')];
  const reply = await (await w.as(hidden.owner)).get(`${hidden.path}/teams`);
  expect(shown(reply)).toEqual([
    ['top', 'maintain'],
    ['below', 'maintain'],
  ]);
  expect(reply.body[1]).toMatchObject({ parent: { id: reply.body[0].id }, permissions: { maintain: true, admin: false } });
  expect(shown(await (await w.as(open.owner)).get(`${open.path}/teams`))).toEqual([['top', 'maintain']]);
});

test('secret teams are for owners and for their members, and an outsider learns of none', async () => {
  const w = await world();
  const { owner, member, byTeam, outside, org, repo, path } = await setting(w);
  const actor = { by: owner.id, now: w.clock.now };
  await w.change(async (scope) => {
    const secret = await createTeam(scope, { ...actor, org, wanted: { name: fresh('secret') } });
    await setTeamMember(scope, { ...actor, team: secret, user: byTeam, role: 'member' });
    await setTeamRole(scope, { ...actor, team: secret, repository: repo, role: 'admin' });
  });
  await w.collaborator(repo, member, 'admin');
  await w.db.updateTable('collaborators').set({ role: 'admin' }).where('user_id', '=', outside.id).execute();
  const names = async (who: Parameters<typeof w.as>[0]) =>
    shown(await (await w.as(who)).get(`${path}/teams`)).map(([name]) => name);

  expect(await names(owner)).toEqual(['top', 'below', 'secret']);
  expect(await names(byTeam)).toEqual(['top', 'below', 'secret']);
  expect(await names(member)).toEqual(['top', 'below']);
  expect(await names(outside)).toEqual([]);
  const app = await installApp(w, { on: org, permissions: { administration: 'read' } });
  expect(await names(app.token)).toEqual(['top', 'below', 'secret']);
});

test('the list is for administrators', async () => {
  const w = await world();
  const { owner, member, byTeam, stranger, org, path } = await setting(w);
  const blind = await installApp(w, { on: org, permissions: { contents: 'write' } });
  const status = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/teams`)).status;
  for (const who of [member, byTeam, stranger, undefined]) expect(await status(who)).toBe(404);
  expect(await status(blind.token)).toBe(403);
  expect(await status(await w.fineGrained(owner, org, { contents: 'read' }))).toBe(403);
  expect(await status(await w.fineGrained(owner, org, { administration: 'read' }))).toBe(200);
});

test('a person’s repository has no teams', async () => {
  const w = await world();
  const { owner, path } = await personal(w);
  expect((await (await w.as(owner)).get(`${path}/teams`)).body).toEqual([]);
});
