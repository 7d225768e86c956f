import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findRunForUpdate, findSuiteForUpdate, selectRun, selectSuite } from './store.ts';

/** A check suite of a repository. */
export const checkSuite = pathResource({
  name: 'suite',
  words: { check_suite_id: idOf('check_suites') },
  below: 'repo',
  query: ({ db, at }, { check_suite_id }) => selectSuite(db, at.repo.id, check_suite_id),
  lock: (tx, at) => findSuiteForUpdate(tx, at.suite),
});

/** A check run of a repository. Changes also lock its suite. */
export const checkRun = pathResource({
  name: 'run',
  words: { check_run_id: idOf('check_runs') },
  below: 'repo',
  query: ({ db, at }, { check_run_id }) => selectRun(db, at.repo.id, check_run_id),
  lock: (tx, at) => findRunForUpdate(tx, at.run),
});
