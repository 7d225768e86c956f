import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportMigration, tidyArchives } from '#resources/platform/migrations/jobs.ts';
import { git } from '#test/git/support.ts';
import { addressOf, complaint, workTree } from '#test/server/git-http/support.ts';
import { oauthToken } from '#test/support/apps.ts';
import { type World, world } from '#test/support/world.ts';
import { archiveOf, download, exported, unpack } from './support.ts';

const here: World = await world();
const folder = here.hearth.services.migrations;
const filesOf = async (id: number): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith(`${id}.`));

async function stage() {
  const owner = await here.user();
  const repo = await here.repo(owner, { visibility: 'private' });
  const name = `${owner.login}/${repo.name}`;
  return { owner, repo, name, base: `/repos/${name}`, client: await here.as(owner) };
}

test('a migration is pending, then exported, and tells where its archive is', async () => {
  const { owner, repo, name, client } = await stage();
  const { status, body, headers } = await client.post('/user/migrations', { repositories: [name.toUpperCase(), name] });
  expect(status).toBe(201);
  expect(headers.location).toBe(body.url);
  expect(body).toMatchObject({
    owner: { login: owner.login },
    state: 'pending',
    lock_repositories: false,
    exclude: [],
    repositories: [{ id: repo.id }],
  });
  expect(body.archive_url).toBeUndefined();
  expect((await client.get(`/user/migrations/${body.id}/archive`)).status).toBe(404);

  const { headers: seen } = await client.get(`/user/migrations/${body.id}`);
  const polling = { headers: { 'if-modified-since': seen['last-modified'] ?? '' } };
  expect((await client.get(`/user/migrations/${body.id}`, polling)).status).toBe(304);

  await here.settle();

  expect((await client.get(`/user/migrations/${body.id}`, polling)).body).toMatchObject({ state: 'exported' });
  const { body: done } = await client.get(`/user/migrations/${body.id}`);
  expect(done).toMatchObject({ id: body.id, guid: body.guid, state: 'exported', archive_url: `${body.url}/archive` });
  expect((await client.get('/user/migrations')).body).toEqual([done]);
  expect((await client.get(`/user/migrations/${body.id}/repositories`)).body).toMatchObject([{ full_name: name }]);
  expect((await unpack(await download(here, owner, body.id))).names).toContain('schema.json');
});

test('`exclude` leaves the repositories out of the reply, and in the archive', async () => {
  const { owner, name, client } = await stage();
  const { body } = await client.post('/user/migrations', { repositories: [name], exclude: ['repositories'] });
  expect(body).toMatchObject({ repositories: [], exclude: ['repositories'] });
  await here.settle();
  expect(await (await unpack(await download(here, owner, body.id))).objects('repositories')).toHaveLength(1);
  const { body: other } = await client.post('/user/migrations', { repositories: [name] });
  expect((await client.get(`/user/migrations/${other.id}`)).body.repositories).toHaveLength(1);
  expect((await client.get(`/user/migrations/${other.id}?exclude=repositories`)).body.repositories).toEqual([]);
});

test('what the caller does not administer is refused by name, whether it is there or not', async () => {
  const { owner, name, client } = await stage();
  const hidden = await here.repo(await here.user(), { visibility: 'private' });
  const writable = await here.repo(await here.user());
  await here.collaborator(writable, owner, 'maintain');
  const names = [
    `${hidden.owner.login}/${hidden.name}`,
    `${writable.owner.login}/${writable.name}`,
    `${owner.login}/none`,
    'engine',
    'a/b/c',
  ];
  await here.unchanged(['migrations', 'repositories', 'events'], async () => {
    const wanted = { repositories: [name, ...names], lock_repositories: true };
    const { status, body } = await client.post('/user/migrations', wanted);
    expect(status).toBe(422);
    const message = `These are not repositories that you administer: ${names.join(', ')}`;
    expect(body.errors).toEqual([{ resource: 'Migration', field: 'repositories', code: 'invalid', message }]);
  });
});

test.each([
  [{}, 'missing_field'],
  [{ repositories: [] }, 'missing_field'],
  [{ repositories: ['a/b'], org_metadata_only: true }, 'invalid'],
  [{ repositories: Array.from({ length: 101 }, (_, at) => `a/b${at}`) }, 'unprocessable'],
])('refuses %o', async (wanted, code) => {
  const { client } = await stage();
  const { status, body } = await client.post('/user/migrations', wanted);
  expect([status, body.errors[0].field, body.errors[0].code]).toEqual([422, 'repositories', code]);
});

test('only a classic token with the scope repo will do', async () => {
  const { owner, name, client } = await stage();
  const { body } = await client.post('/user/migrations', { repositories: [name] });
  const statusFor = async (token: string | undefined) => (await (await here.as(token)).get(`/user/migrations/${body.id}`)).status;
  expect(await statusFor(await here.token(owner, ['repo']))).toBe(200);
  expect(await statusFor(undefined)).toBe(401);
  expect(await statusFor(await here.token(owner, ['public_repo', 'user']))).toBe(403);
  expect(await statusFor(await here.fineGrained(owner, owner, { administration: 'write' }))).toBe(403);
  expect(await statusFor(await oauthToken(here, owner, ['repo']))).toBe(403);
});

test("somebody else's migration is answered as one that never was", async () => {
  const { owner, name } = await stage();
  const id = await exported(here, owner, { repositories: [name], lock_repositories: true });
  const client = await here.as(await here.user());
  const repo = name.split('/')[1];
  const answers = async (migration: number) => {
    const base = `/user/migrations/${migration}`;
    return Promise.all([
      client.get(base),
      client.get(`${base}/repositories`),
      client.get(`${base}/archive`),
      client.delete(`${base}/archive`),
      client.delete(`${base}/repos/${repo}/lock`),
    ]);
  };
  const [theirs, none] = [await answers(id), await answers(id + 1_000)];
  expect(theirs.map(({ status, text }) => [status, text])).toEqual(none.map(({ text }) => [404, text]));
  expect((await client.get('/user/migrations')).body).toEqual([]);
});

test('who no longer administers a repository downloads no archive of it, and has it locked no longer', async () => {
  const { owner, repo, name, base, client } = await stage();
  const left = await here.user();
  await here.collaborator(repo, left, 'admin');
  const id = await exported(here, left, { repositories: [name], lock_repositories: true });
  const asLeft = await here.as(left);
  const archive = `/user/migrations/${id}/archive`;
  const { headers } = await asLeft.get(archive);
  const download = async () => (await fetch(headers.location ?? '')).status;
  const write = async () => (await client.put(`${base}/contents/new.txt`, { message: 'x', content: '' })).status;
  expect([await download(), await write()]).toEqual([200, 403]);
  expect((await client.delete(`${base}/collaborators/${left.login}`)).status).toBe(204);
  expect([await download(), (await asLeft.get(archive)).status]).toEqual([404, 404]);
  await here.settle();
  expect(await write()).toBe(201);

  // Who owns it still has it locked.
  const own = await exported(here, owner, { repositories: [name], lock_repositories: true });
  await here.collaborator(repo, await here.user(), 'read');
  await here.settle();
  expect(await write()).toBe(403);
  expect((await client.get(`/user/migrations/${own}/archive`)).status).toBe(302);
});

test('a list costs the same for one migration and for many', async () => {
  const { owner, name, client } = await stage();
  await client.post('/user/migrations', { repositories: [name] });
  const few = await here.statements(owner, '/user/migrations');
  for (let at = 0; at < 5; at++) {
    const more = await here.repo(owner);
    await client.post('/user/migrations', { repositories: [name, `${owner.login}/${more.name}`] });
  }
  expect(await here.statements(owner, '/user/migrations')).toBe(few);
  const { body, headers } = await client.get('/user/migrations?per_page=2');
  expect(body).toHaveLength(2);
  expect(headers.link).toContain('rel="next"');
  const [{ id }] = body;
  const repositories = `/user/migrations/${id}/repositories`;
  const two = await here.statements(owner, repositories);
  expect(await here.statements(owner, `${repositories}?per_page=1`)).toBeLessThanOrEqual(two + 1);
});

test('so many archives are kept for an account, until one is deleted', async () => {
  const { name, client } = await stage();
  const ids = [];
  for (let at = 0; at < 10; at++) ids.push((await client.post('/user/migrations', { repositories: [name] })).body.id);
  const start = async () => (await client.post('/user/migrations', { repositories: [name] })).status;
  expect(await start()).toBe(422);
  await here.settle();
  expect(await start()).toBe(422);
  expect((await client.delete(`/user/migrations/${ids[0]}/archive`)).status).toBe(204);
  expect(await start()).toBe(201);
});

test('a deleted archive is gone at once, with its file', async () => {
  const { owner, name, client } = await stage();
  const id = await exported(here, owner, { repositories: [name] });
  const archive = `/user/migrations/${id}/archive`;
  const { headers } = await client.get(archive);
  expect(await filesOf(id)).toEqual([`${id}.tar.gz`]);
  expect((await client.delete(archive)).status).toBe(204);
  expect(await filesOf(id)).toEqual([]);
  expect((await client.get(archive)).status).toBe(404);
  expect((await client.delete(archive)).status).toBe(404);
  expect((await fetch(headers.location ?? '')).status).toBe(404);
  expect((await client.get(`/user/migrations/${id}`)).body).toMatchObject({ state: 'exported' });
});

test('an archive ends after seven days', async () => {
  const { owner, name, client } = await stage();
  const id = await exported(here, owner, { repositories: [name] });
  const begun = here.clock.now;
  const archive = `/user/migrations/${id}/archive`;
  try {
    here.clock.now = new Date(begun.getTime() + 7 * 86_400_000 - 1_000);
    const { headers, status } = await client.get(archive);
    expect(status).toBe(302);
    here.clock.now = new Date(begun.getTime() + 7 * 86_400_000);
    expect((await client.get(archive)).status).toBe(404);
    expect((await fetch(headers.location ?? '')).status).toBe(404);
    await tidy();
    expect(await filesOf(id)).toEqual([]);
    expect((await client.get(`/user/migrations/${id}`)).body.archive_url).toBeUndefined();
  } finally {
    here.clock.now = begun;
  }
});

/** Runs the scheduled job that removes what is over. */
async function tidy(): Promise<void> {
  await tidyArchives.run({}, here.jobContext());
}

test('files of a deleted account are removed, and those of others stay', async () => {
  const [gone, stays] = [await stage(), await stage()];
  const left = await exported(here, gone.owner, { repositories: [gone.name] });
  const other = await exported(here, stays.owner, { repositories: [stays.name] });
  await here.db
    .deleteFrom('migrations')
    .where('id', '=', left as never)
    .execute();
  await tidy();
  expect([await filesOf(left), await filesOf(other)]).toEqual([[], [`${other}.tar.gz`]]);
});

test('the address of an archive needs no credential, ends after minutes, and can not be changed', async () => {
  const { owner, name, client } = await stage();
  const id = await exported(here, owner, { repositories: [name] });
  const { headers, status } = await client.get(`/user/migrations/${id}/archive`);
  const address = headers.location ?? '';
  expect(status).toBe(302);
  // What is sealed says when it ends, and which archive it opens: neither can be read.
  const sealed = Buffer.from(address.slice(address.lastIndexOf('/') + 1), 'base64url').toString('latin1');
  expect(sealed).not.toContain(String(here.clock.now.getTime()).slice(0, 6));
  const answer = await fetch(address);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  expect(Number(answer.headers.get('content-length'))).toBe((await answer.arrayBuffer()).byteLength);
  const head = await fetch(address, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, answer.headers.get('content-length')]);

  const again = { headers: { 'if-none-match': headers.etag ?? '' } };
  expect((await client.get(`/user/migrations/${id}/archive`, again)).status).toBe(304);

  const key = address.slice(address.lastIndexOf('/') + 1);
  const none = await (await fetch(`${address.slice(0, -key.length)}none`)).text();
  const tampered = [5, 12, 30, key.length - 1].map((at) => key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1));
  for (const wrong of [...tampered, `${key}A`, key.slice(0, -4), `${id}`, '%00']) {
    const refused = await fetch(address.slice(0, -key.length) + wrong);
    expect([wrong, refused.status, await refused.text()]).toEqual([wrong, 404, none]);
  }
  const begun = here.clock.now;
  try {
    here.clock.now = new Date(begun.getTime() + 5 * 60_000);
    const late = await fetch(address);
    expect([late.status, await late.text()]).toEqual([404, none]);
    expect((await client.get(`/user/migrations/${id}/archive`, again)).status).toBe(302);
  } finally {
    here.clock.now = begun;
  }
});

test('an export whose process dies is begun anew, and until then nothing is served', async () => {
  const { owner, name, client } = await stage();
  const { body } = await client.post('/user/migrations', { repositories: [name] });
  const archive = `/user/migrations/${body.id}/archive`;
  // The first process dies while it writes.
  await here.db.updateTable('migrations').set({ state: 'exporting', attempts: 1 }).where('id', '=', body.id).execute();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${body.id}.00112233.partial`), 'half');
  expect((await client.get(`/user/migrations/${body.id}`)).body.state).toBe('exporting');
  expect((await client.get(archive)).status).toBe(404);
  // The second one dies when the archive is written and its row is not.
  const context = here.jobContext();
  let changes = 0;
  const dying = {
    ...context,
    change: ((work) => {
      changes += 1;
      if (changes === 2) throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' });
      return context.change(work);
    }) as typeof context.change,
  };
  await expect(exportMigration.run({ migration: body.id }, dying)).rejects.toThrow('Connection terminated');
  expect(changes).toBe(2);
  expect((await client.get(archive)).status).toBe(404);

  await here.settle();

  expect((await client.get(`/user/migrations/${body.id}`)).body.state).toBe('exported');
  expect((await unpack(await download(here, owner, body.id))).names).toContain('issues_000001.json');
  expect(await filesOf(body.id)).toEqual([`${body.id}.tar.gz`]);
});

test('an attempt that is overtaken by another changes nothing when it ends', async () => {
  const { name, client } = await stage();
  const { body } = await client.post('/user/migrations', { repositories: [name] });
  const context = here.jobContext();
  const overtaken = {
    ...context,
    change: (async (work) => {
      const result = await context.change(work);
      await here.db.updateTable('migrations').set({ attempts: 7 }).where('id', '=', body.id).execute();
      return result;
    }) as typeof context.change,
  };
  await exportMigration.run({ migration: body.id }, overtaken);
  expect((await client.get(`/user/migrations/${body.id}`)).body.state).toBe('exporting');
  await here.settle();
  expect((await client.get(`/user/migrations/${body.id}`)).body.state).toBe('exported');
});

test.each([
  ['a full disk', Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }), /ENOSPC/],
  ['a failing git', undefined, /git|packed|object/i],
])('%s makes the migration fail, with its reason, and leaves no file', async (_what, error, reason) => {
  const { repo, name, client } = await stage();
  const { body } = await client.post('/user/migrations', { repositories: [name] });
  const context = here.jobContext();
  const { root } = context.services.git;
  const services = { ...context.services };
  if (error)
    Object.defineProperty(services, 'git', {
      get() {
        throw error;
      },
    });
  else await writeFile(join(root, '00', `${repo.id}.git`, 'packed-refs'), 'this is not a list of refs\n');
  await exportMigration.run({ migration: body.id }, { ...context, services });
  expect((await client.get(`/user/migrations/${body.id}`)).body.state).toBe('failed');
  expect((await client.get(`/user/migrations/${body.id}/archive`)).status).toBe(404);
  const row = await here.db.selectFrom('migrations').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow();
  expect(row.failure).toMatch(reason);
  expect(await filesOf(body.id)).toEqual([]);
  await here.settle();
  expect((await client.get(`/user/migrations/${body.id}`)).body.state).toBe('failed');
});

test('a locked repository takes no writes and pushes, until it is unlocked', async () => {
  const { owner, repo, name, base, client } = await stage();
  const writer = await here.user();
  await here.collaborator(repo, writer, 'write');
  const [theirs, token] = [await here.as(writer), await here.token(owner)];
  const { body } = await client.post('/user/migrations', { repositories: [name], lock_repositories: true });
  const locked = 'Repository is locked for a migration, so it is read-only until it is unlocked.';
  const push = (tree: string, ...args: string[]) => [tree, 'push', addressOf(here, { ...repo, owner }, token), ...args] as const;
  const tree = await workTree();

  for (const { status, body } of await Promise.all([
    theirs.post(`${base}/issues`, { title: 'Late' }),
    client.patch(base, { description: 'Other' }),
    client.put(`${base}/contents/a.txt`, { message: 'Add', content: 'YQ==' }),
    client.post(`${base}/transfer`, { new_owner: owner.login }),
  ]))
    expect([status, body.message]).toEqual([403, locked]);
  expect(await complaint(...push(tree, 'main'))).toContain('403');
  expect((await client.get(base)).status).toBe(200);
  await here.settle();
  expect((await theirs.post(`${base}/issues`, { title: 'Late' })).status).toBe(403);

  const lock = `/user/migrations/${body.id}/repos/${repo.name}/lock`;
  expect((await client.delete(lock)).status).toBe(204);
  expect((await client.delete(lock)).status).toBe(404);
  expect((await theirs.post(`${base}/issues`, { title: 'In time' })).status).toBe(201);
  await git(...push(tree, 'main'));
});

test('a lock is of one migration, and does not hinder the deletion of its repository', async () => {
  const { owner, repo, name, base, client } = await stage();
  const first = (await client.post('/user/migrations', { repositories: [name], lock_repositories: true })).body;
  const second = await client.post('/user/migrations', { repositories: [name], lock_repositories: true });
  expect([second.status, second.body.errors[0].field]).toEqual([422, 'lock_repositories']);
  expect(second.body.errors[0].message).toContain(repo.name);
  const third = (await client.post('/user/migrations', { repositories: [name] })).body;
  expect((await client.delete(`/user/migrations/${third.id}/repos/${repo.name}/lock`)).status).toBe(404);
  expect((await client.delete(`/user/migrations/${first.id}/repos/${encodeURIComponent(name)}/lock`)).status).toBe(204);
  await client.post('/user/migrations', { repositories: [name], lock_repositories: true });
  expect((await client.delete(base)).status).toBe(204);
  expect((await archiveOf(here, owner, { repositories: [], org_metadata_only: true })).names).toContain('schema.json');
});
