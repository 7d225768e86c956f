// Which configuration a repository has, and why it can't have it. Nothing is changed.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { findOfRepository, type Status } from './store.ts';

type Step = { readonly check: string; readonly passed: boolean | undefined; readonly because: string };

const meanings: { readonly [Each in Status]: { readonly passed: boolean | undefined; readonly because: string } } = {
  attaching: { passed: undefined, because: 'it waits for its switches: do background jobs run?' },
  updating: { passed: undefined, because: 'it waits for the changed switches: do background jobs run?' },
  attached: { passed: true, because: 'it has them, and administrators may change them' },
  enforced: { passed: true, because: 'it has them, and nobody can change them in the repository' },
  failed: { passed: false, because: 'it can’t have them, and no reason was stored' },
  removed: { passed: false, because: 'somebody changed a switch, and it is left alone from then on' },
  detached: { passed: false, because: 'it was let go, and keeps its switches' },
};

/** Says which security configuration a repository has, and how far it is. */
export async function explainConfiguration(db: Db, repository: Id<'repositories'>): Promise<{ readonly steps: readonly Step[] }> {
  const found = await findOfRepository(db, repository);
  if (!found) return { steps: [{ check: 'configuration', passed: undefined, because: 'the repository has none' }] };
  const { passed, because } = meanings[found.status];
  return {
    steps: [
      { check: 'configuration', passed: true, because: found.name },
      { check: found.status, passed, because: found.problem ?? because },
    ],
  };
}
