// The default setup of code scanning that configurations want for their repositories. Its own family carries it out.
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import type { NewConfiguration } from './schemas.ts';
import type { Settings } from './settings.ts';
import { findOfRepository } from './store.ts';

/** What an organization wants of the default setup in a repository. Fields that are left out stay as they are. */
export type WantedSetup = {
  readonly state: 'configured' | 'not-configured';
  readonly runner_type?: 'standard' | 'labeled';
  readonly runner_label?: string | null;
  readonly query_suite?: 'default' | 'extended';
};

/**
 * The setup that a configuration wants; undefined if it leaves the setup to each repository. One that isn't enforced turns
 * nothing off.
 */
export function setupOf(settings: Settings, enforcement: NewConfiguration['enforcement']): WantedSetup | undefined {
  const { code_scanning_default_setup: wanted, code_scanning_default_setup_options: options } = settings;
  if (wanted === 'disabled') return enforcement === 'enforced' ? { state: 'not-configured' } : undefined;
  if (wanted !== 'enabled') return undefined;
  const { runner_type = 'not_set', runner_label = null } = options ?? {};
  return { state: 'configured', ...(runner_type === 'not_set' ? {} : { runner_type, runner_label }) };
}

/** The setup that the configuration of a repository enforces. */
export async function findEnforcedSetup(db: Db, repository: Id<'repositories'>): Promise<WantedSetup | undefined> {
  const row = await findOfRepository(db, repository);
  return row?.status === 'enforced' ? setupOf(row.settings, row.enforcement) : undefined;
}

type SetupAction = Parameters<typeof inRepository>[0];

/** Has the default setup of a repository changed, after the transaction. */
export const requestSetup = (scope: WriteScope, action: SetupAction, setup: WantedSetup): Promise<void> =>
  record(scope.tx, { ...inRepository(action), kind: 'code_scanning_setup.requested', data: { setup } });
