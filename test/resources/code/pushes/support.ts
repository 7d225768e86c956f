import type { RepositoryRow } from '#access/viewer.ts';
import type { EventKind } from '#events/kinds.ts';
import { repoOf } from '#git/store.ts';
import type { MoveContext } from '#resources/code/pushes/index.ts';
import { commit } from '#test/git/support.ts';
import type { World } from '#test/support/world.ts';

export const contextOf = ({ db, change, hearth, clock }: World): MoveContext => ({
  db,
  change,
  git: hearth.services.git,
  refRules: hearth.services.refRules,
  now: clock.now,
});

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
