import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { EventKind } from '#events/kinds.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { type MoveScope, moveRefs, recoverUnfinished } from '#resources/code/pushes/index.ts';
import type { FollowUp } from '#resources/follow-ups.ts';
import { commit } from '#test/git/support.ts';
import { type World, world } from '#test/support/world.ts';

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

export const main = 'refs/heads/main';

export type Command = { ref: string; from: string | null; to: string | null };

/** A repository with `main` at its first commit, and what a crash leaves in it. */
export async function crashed() {
  const here = await world();
  const ada = await here.user();
  const repo = await here.repo(ada);
  const [first = '', second = '', third = ''] = await commits(here, repo, 3);
  await moveRefs(scopeOf(here), { repo, changes: [{ ref: main, to: first }], actor: ada.id, workflowFiles: { allowed: true } });
  here.clock.now = new Date(here.clock.now.getTime() + 60_000);
  const since = (await told(here, repo)).length;
  const gitRepository = diskOf(here, repo);
  return {
    here,
    ada,
    repo,
    first,
    second,
    third,
    /** An intent that nobody finishes. */
    intend: (commands: Command[], following?: FollowUp[]) =>
      here.db
        .insertInto('ref_changes')
        .values({
          repository_id: repo.id,
          actor_id: ada.id,
          commands: JSON.stringify(commands),
          following: following ? JSON.stringify(following) : null,
          started_at: here.clock.now,
        })
        .execute(),
    /** Git moves, and nobody records it. */
    moveUnrecorded: ({ ref, from, to }: Command) => updateRefs(gitRepository, [{ ref, from, to }]),
    settle: () => recoverUnfinished(scopeOf(here), (error) => expect.unreachable(String(error))),
    news: async () => (await told(here, repo)).slice(since),
  };
}

export const pushed = (actor: Id<'accounts'> | null, { ref, from, to }: Command, forced = false) => ({
  kind: 'push',
  actor,
  data: { moves: [{ ref, before: from, after: to, forced }] },
});

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
