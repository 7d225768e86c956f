import { authorize } from '#access/authorize.ts';
import { findRepoById } from '#access/lookup.ts';
import { readsContents } from '#access/policies.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { findInNetwork } from '#resources/repositories/repositories/index.ts';
import type { Side } from './rules.ts';

/** A repository by its id, if the viewer may read its contents. */
export async function findReadable(db: Db, viewer: Viewer, id: Id<'repositories'> | null | undefined): Promise<Repo | undefined> {
  const repo = id ? await findRepoById(db, viewer, id) : undefined;
  return repo && authorize(readsContents, viewer, { repo }, { write: false }).allowed ? repo : undefined;
}

/** The repository of one side of a comparison: this one, or the one in its fork network that the named account owns. */
export async function findSide(db: Db, viewer: Viewer, repo: Repo, { owner }: Side): Promise<Repo | undefined> {
  if (owner === undefined || owner.toLowerCase() === repo.owner.login.toLowerCase()) return repo;
  return findReadable(db, viewer, await findInNetwork(db, repo.source_id ?? repo.id, owner));
}
