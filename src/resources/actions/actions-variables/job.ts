import type { Db } from '#database/connect.ts';
import { fixedValue } from '#lib/limits.ts';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { variableLimits } from './limits.ts';
import { listJobVariables } from './store.ts';

const bytes = fixedValue(variableLimits.ofJob);

/**
 * The variables that a job gets: names with values. An environment's variable hides one of the repository with the same name, and
 * that one of the organization. Those of the repository and its organization have 256 KB of values at most: first the
 * repository's, then the organization's, by name (the public API's rules). Whether a run may have them at all is for the caller
 * to decide.
 */
export async function loadVariablesForJob(
  db: Db,
  { repository, environment }: JobEnvironment,
): Promise<ReadonlyMap<string, string>> {
  const rows = await listJobVariables(db, { repository, environment, bytes });
  return new Map(rows.map(({ name, value }) => [name, value]));
}
