import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { EventKind } from '#events/kinds.ts';
import { repoOf } from '#git/store.ts';
import { type MoveScope, recoverUnfinished } from '#resources/code/pushes/index.ts';
import { commit } from '#test/git/support.ts';
import type { World } from '#test/support/world.ts';

/** The scope of a job. */
export const scopeOf = ({ jobContext }: World): MoveScope => jobContext().scope;

export const diskOf = ({ hearth }: World, repo: Pick<RepositoryRow, 'id'>) => repoOf(hearth.services.git, repo.id);

/** Commits of one file each, every one on the one before; no ref names them. */
export async function commits(world: World, repo: RepositoryRow, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let number = 1; number <= count; number++) {
    made.push(await commit(diskOf(world, repo), { [`${number}.txt`]: `${number}` }, made.slice(-1), `Change ${number}`));
  }
  return made;
}

const kinds: EventKind[] = ['push', 'create', 'delete', 'repository.default_branch_changed'];

/** What was told of a repository's refs, in order. */
export async function told({ db }: World, repo: Pick<RepositoryRow, 'id'>) {
  const rows = await db
    .selectFrom('events')
    .select(['kind', 'data', 'actor_id'])
    .where('repository_id', '=', repo.id)
    .where('kind', 'in', kinds)
    .orderBy('id')
    .execute();
  return rows.map(({ kind, data, actor_id }) => ({ kind, data, actor: actor_id }));
}

/** What is left unfinished in a repository. */
export const unfinished = ({ db }: World, repo: Pick<RepositoryRow, 'id'>) =>
  db.selectFrom('ref_changes').select(['commands', 'actor_id']).where('repository_id', '=', repo.id).orderBy('id').execute();

type Request = { method: 'POST' | 'PUT'; path: string; body: object };

/** Sends a request to a server that ends after Git has moved the refs, and before that is recorded. */
export async function endUnrecorded(w: World, who: Account, { method, path, body }: Request): Promise<void> {
  const headers = { authorization: `Bearer ${await w.token(who)}` };
  await sql`create function end_server() returns trigger language plpgsql as
    $$ begin raise exception 'the server shuts down' using errcode = '57P01'; end $$`.execute(w.db);
  await sql`create trigger end_server before delete on ref_changes execute function end_server()`.execute(w.db);
  const reply = await w.hearth.app.inject({ method, url: `/api/v3${path}`, headers, payload: body });
  await sql`drop function end_server() cascade`.execute(w.db);
  expect(reply.statusCode).toBe(503);
}

/** Records what servers left unfinished that ended, as the job does every minute. */
export const recover = (world: World): Promise<void> =>
  recoverUnfinished(scopeOf(world), (error) => expect.unreachable(String(error)));
