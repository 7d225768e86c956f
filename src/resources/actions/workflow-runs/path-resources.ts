import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, nameWord, numberWord } from '#endpoint/path-words.ts';
import { selectGroup } from './concurrency/store.ts';
import { findLogArchiveOfKey, findLogOfKey } from './logs/address.ts';
import { runOfAttempt } from './present.ts';
import { findAttempt, selectJob, selectRun } from './store.ts';

/** A run of a repository. The rules that change it lock its row, since they also need its file. */
export const workflowRun = pathResource({
  name: 'workflowRun',
  words: { run_id: idOf('workflow_runs') },
  below: 'repo',
  query: ({ db, at }, { run_id }) => selectRun(db, at.repo.id, run_id),
});

/** A run in one of its attempts, with its state at the end of that attempt. */
export const runAttempt = pathResource({
  name: 'attempt',
  words: { attempt_number: numberWord },
  below: workflowRun,
  async find({ db, at: { workflowRun: run } }, { attempt_number }) {
    if (attempt_number === run.attempt) return run;
    const attempt = await findAttempt(db, run.id, attempt_number);
    return attempt && runOfAttempt(run, attempt);
  },
});

/** A job of a run. */
export const workflowJob = pathResource({
  name: 'job',
  words: { job_id: idOf('workflow_jobs') },
  below: 'repo',
  query: ({ db, at }, { job_id }) => selectJob(db, at.repo.id, job_id),
});

/** A concurrency group of a repository, by its name, while it has members. */
export const concurrencyGroup = pathResource({
  name: 'concurrencyGroup',
  words: { concurrency_group_name: nameWord },
  below: 'repo',
  query: ({ db, at }, { concurrency_group_name }) => selectGroup(db, at.repo.id, concurrency_group_name),
});

/** A job, by the key in the address of its log. */
export const handedOutLog = pathResource({
  name: 'log',
  words: { log_key: nameWord },
  below: undefined,
  find: ({ db, services: { secrets }, now }, { log_key }) => findLogOfKey(db, { secrets, now }, log_key),
});

/** An attempt of a run, by the key in the address of its logs. */
export const handedOutLogArchive = pathResource({
  name: 'logs',
  words: { log_archive_key: nameWord },
  below: undefined,
  find: ({ db, services: { secrets }, now }, { log_archive_key }) => findLogArchiveOfKey(db, { secrets, now }, log_archive_key),
});
