// The tag that is made for a release, where the release isn't written.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ensureTag } from '#resources/collaboration/releases/publish.ts';
import { world } from '#test/support/world.ts';
import { setting } from './support.ts';

const here = await world();
const waiting = async (): Promise<number> =>
  (await sql`select from jobs.jobs where task_identifier = 'releases.undo-tag'`.execute(here.db)).rows.length;

/** Runs what waits for a process that died. */
async function patience(): Promise<void> {
  await sql`update jobs._private_jobs set run_at = now() where task_id =
    (select id from jobs._private_tasks where identifier = 'releases.undo-tag')`.execute(here.db);
  await here.settle();
}

async function place() {
  const all = await setting(here);
  const tags = async () => (await all.client.get(`${all.base}/tags`)).body.map(({ name }: { name: string }) => name);
  /** What creating a release does before its row is written. */
  const makeTag = async (tag_name: string) => {
    const { clock, grantee } = { ...here, grantee: all.owner };
    const { scope } = here.jobContext();
    const repo = { ...all.repo, role: 'admin' };
    const action = { repo, by: { account: grantee, grant: { kind: 'none' } }, now: clock.now } as unknown as Parameters<
      typeof ensureTag
    >[1];
    return ensureTag(scope, action, { tag_name, target_commitish: 'main' });
  };
  return { ...all, tags, makeTag };
}

test('a release that can not be written leaves no tag', async () => {
  const { client, owner, path, tags } = await place();
  const authorization = `Bearer ${await here.token(owner)}`;
  const status = async (method: string, at: string, wanted: object): Promise<number> =>
    (await fetch(`${here.url}/api/v3${at}`, { method, headers: { authorization }, body: JSON.stringify(wanted) })).status;
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(here.db);
  await sql`create trigger refuse before insert or update on releases for each row execute function refuse()`.execute(here.db);
  expect(await status('POST', path, { tag_name: 'v1' })).toBe(500);
  expect([await tags(), await waiting()]).toEqual([[], 1]);
  await sql`drop trigger refuse on releases`.execute(here.db);
  await patience();
  expect([await tags(), await waiting()]).toEqual([[], 0]);
  const { body } = await client.post(path, { tag_name: 'v1', draft: true });
  await sql`create trigger refuse before insert or update on releases for each row execute function refuse()`.execute(here.db);
  expect(await status('PATCH', `${path}/${body.id}`, { draft: false })).toBe(500);
  expect(await tags()).toEqual([]);
  await sql`drop trigger refuse on releases`.execute(here.db);
  expect((await client.patch(`${path}/${body.id}`, { draft: false })).status).toBe(200);
  expect(await tags()).toEqual(['v1']);
});

test('where the process ends between tag and release, the tag is removed, unless something came to need it', async () => {
  const { client, path, base, tags, makeTag } = await place();
  for (const tag of ['gone', 'used', 'moved']) await makeTag(tag);
  expect((await tags()).sort()).toEqual(['gone', 'moved', 'used']);
  expect((await client.post(path, { tag_name: 'used' })).status).toBe(201);
  const { body } = await client.put(`${base}/contents/b`, { message: 'b', content: 'Yg==' });
  expect((await client.patch(`${base}/git/refs/tags/moved`, { sha: body.commit.sha, force: true })).status).toBe(200);
  await patience();
  expect((await tags()).sort()).toEqual(['moved', 'used']);
});

test('a tag stays when its release is deleted, and a published release leaves no job', async () => {
  const { client, path, tags } = await place();
  const { body } = await client.post(path, { tag_name: 'v1' });
  expect((await client.delete(`${path}/${body.id}`)).status).toBe(204);
  await patience();
  expect([await tags(), await waiting()]).toEqual([['v1'], 0]);
});

test('of releases of one tag at once, one is published', async () => {
  const { client, path, tags } = await place();
  const made = await Promise.all([1, 2, 3, 4].map(() => client.post(path, { tag_name: 'v1' })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  const refused = made.filter(({ status }) => status === 422).map(({ body }) => body.errors);
  expect(refused).toEqual(Array(3).fill([{ resource: 'Release', code: 'already_exists', field: 'tag_name' }]));
  await patience();
  expect([await tags(), await waiting()]).toEqual([['v1'], 0]);
});
