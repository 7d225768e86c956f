import { findRepo } from '#access/lookup.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { conflict, Refusal } from '#lib/refusal.ts';
import { enqueueImportedIssues } from '#resources/collaboration/issues/index.ts';
import { importRepository, type RuledActor, updateRepository } from '#resources/repositories/repositories/index.ts';
import type { SourceAddress } from './address.ts';
import { type People, storable } from './attribution.ts';
import type { Target } from './pages.ts';
import { advance, type ImportContext, readPhases } from './phases.ts';
import { SourceRepository } from './schemas.ts';
import { countItems, findImport, insertImport, removeItems } from './store.ts';

export type WantedImport = {
  from: SourceAddress;
  /** The token for Git. The API's token belongs to the source. */
  token?: string | undefined;
  owner: Account & { role?: string | undefined };
  by: Account;
  name: string;
  private: boolean;
  people: People;
  /** For operators' commands; see `RuledActor`. */
  onBypass?: RuledActor['onBypass'];
};

type ImportReport = { repository: RepositoryRow; issues: number; comments: number };

/**
 * Imports a repository with its labels, milestones, issues and comments, or continues an interrupted import. Until the import is
 * complete, the issues of the repository are switched off, so that nobody takes their numbers. Imported history has no events.
 */
export async function importWithIssues(context: ImportContext, wanted: WantedImport): Promise<ImportReport> {
  const { source } = context;
  const { from, owner, name, people } = wanted;
  const found = await source.readOne(
    `${source.api}/repos/${encodeURIComponent(from.owner)}/${encodeURIComponent(from.name)}`,
    SourceRepository,
  );
  const here = await findRepo(context.db, { grant: { kind: 'none' } }, owner.login, name);
  const { row, repository } = here ? await getStarted(context, here, found) : await start(context, wanted, found);
  try {
    const target = { row, repository, people, host: from.host };
    return await complete(context, await readPhases(context, target, `${source.api}/repos/${pathOf(found)}`));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.kind, `${error.message}. The import isn't complete: the same command goes on with it`);
  }
}

const pathOf = ({ full_name }: SourceRepository): string => full_name.split('/').map(encodeURIComponent).join('/');

/**
 * The existing repository of an import.
 * @throws Refusal if it came from elsewhere, or the import is complete
 */
async function getStarted(
  { db, source }: ImportContext,
  repository: RepositoryRow & { owner: Account },
  found: SourceRepository,
) {
  const row = await findImport(db, repository.id);
  const name = `${repository.owner.login}/${repository.name}`;
  if (!row || row.api !== source.api || row.source_id !== found.id)
    throw conflict(`${name} is there already, and is no import of ${found.full_name}`);
  if (row.phase === 'done') throw conflict(`${name} is imported already`);
  return { row, repository };
}

/** Creates the repository with its branches and tags. If that fails, nothing remains. */
async function start({ change, git, source, clock, onProgress }: ImportContext, wanted: WantedImport, found: SourceRepository) {
  const { from, token, owner, by, name, onBypass } = wanted;
  return change(async (scope) => {
    const now = clock();
    const repository = await importRepository(scope, {
      git,
      owner,
      by: { account: by, grant: { kind: 'none' } },
      wanted: {
        name,
        // A private repository of the source stays private here, even without the flag.
        private: wanted.private || found.private,
        has_issues: false,
        description: found.description ? storable(found.description) : null,
        homepage: found.homepage ? storable(found.homepage) : null,
      },
      labels: 'none',
      source: `${from.origin}/${pathOf(found)}.git`,
      token,
      onProgress,
      onBypass,
      now,
    });
    const row = await insertImport(scope.tx, {
      repository_id: repository.id,
      api: source.api,
      source_id: found.id,
      has_issues: found.has_issues,
      phase: 'labels',
      started_at: now,
    });
    return { row, repository };
  });
}

/** Completes an import: the issues are switched on as on the source, and indexed for search. */
async function complete({ db, change, clock }: ImportContext, { row, repository }: Target): Promise<ImportReport> {
  const counted = await countItems(db, row.id);
  return change(async (scope) => {
    await advance(scope, row, { phase: 'done', next_page: null, finished_at: clock() });
    await removeItems(scope.tx, row.id);
    await enqueueImportedIssues(scope.tx, repository.id);
    return { ...counted, repository: await updateRepository(scope.tx, repository.id, { has_issues: row.has_issues }) };
  });
}
