import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { runsHostedJobs } from '#resources/actions/hosted-jobs/index.ts';
import { explainJob } from '#resources/actions/workflow-runs/index.ts';
import { allEndpoints } from '#resources/all.ts';
import { explainQueue } from '#resources/collaboration/merge-queues/index.ts';
import { explain } from '#server/explain.ts';
import { explainPush, type PushExplanation } from '#server/explain-push.ts';
import { explainRepository } from '#server/explain-repository.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import { repoNamed } from '../lookup.ts';
import { UsageError } from '../usage-error.ts';

type Step = PushExplanation['steps'][number];

const wordOf = (passed: boolean | undefined): string => (passed === undefined ? '?  ' : passed ? 'yes' : 'no ');
const lineOf = ({ check, passed, because }: Step): string => `  ${wordOf(passed)}  ${check}: ${because}`;

function idOf(text: string | undefined): number {
  if (text === undefined || !/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError('After JOB and the repository comes the id of a job');
  return Number(text);
}

function visibilityOf(text = 'private'): 'public' | 'internal' | 'private' {
  if (text === 'public' || text === 'internal' || text === 'private') return text;
  throw new UsageError('After REPO and the repository comes public, internal or private');
}

export const explainCommand = installationCommand(
  'explain',
  'Tell step by step why a request, or a push to a branch, is allowed or refused (it is not carried out), what the rules ' +
    'of an organization say of one of its repositories, why a job of a workflow waits, or what the pull requests in a ' +
    'merge queue wait for.',
  'hearth explain --token "$TOKEN" GET /orgs/acme/hooks',
)
  .argument('<method>', 'GET, POST, PUT, PATCH or DELETE; or PUSH; or REPO; or JOB; or QUEUE')
  .argument('<path>', 'path of the API, as /repos/acme/engine; for PUSH, REPO, JOB and QUEUE the repository, as acme/engine')
  .argument(
    '[ref]',
    'for PUSH: a branch, or a full ref name; for REPO: the visibility of a new repository; for JOB: the id of the job; ' +
      'for QUEUE: a branch',
  )
  .argument('[to]', 'for PUSH: what it is moved to, as a branch or commit of the repository; an empty text deletes it')
  .option('--token <token>', 'token of the request; left out: an anonymous request')
  .action((method, path, ref, to, { token }, command) =>
    onInstallation(command, async ({ hearth, db, now }) => {
      const authorization = token === undefined ? undefined : `Bearer ${token}`;
      const { services } = hearth;
      const [owner = '', name = ''] = path.replace(/^\/?(?:repos\/)?/, '').split('/');
      if (method.toUpperCase() === 'JOB') {
        const jobAddress = { owner, name, job: idOf(ref) };
        const explained = await explainJob(db, jobAddress, {
          now,
          runsHosted: runsHostedJobs(services),
          secrets: services.secrets,
        });
        print(command, explained, [
          ...(explained.name === undefined ? [] : [`job ${jobAddress.job} of ${owner}/${name}: ${explained.name}`]),
          ...explained.steps.map(lineOf),
          explained.waits ? `waits: ${explained.message}` : `does not wait: ${explained.message}`,
        ]);
        return;
      }
      if (method.toUpperCase() === 'QUEUE') {
        const repo = await repoNamed(db, `${owner}/${name}`);
        const branch = ref ?? repo.default_branch;
        const explained = await explainQueue(scopeWithoutRequest({ db, services, now }), repo, branch);
        print(command, explained, [
          `merge queue of ${branch} of ${owner}/${name}`,
          explained.isDemanded
            ? 'pushes and merges are refused, since a ruleset demands the queue'
            : 'no ruleset demands a merge queue for this branch',
          ...explained.steps.map(lineOf),
          explained.message,
        ]);
        return;
      }
      if (method.toUpperCase() === 'PUSH') {
        const target = { ref: ref ?? 'main', to: to === '' ? null : to };
        const explained = await explainPush({ db, services, authorization, owner, name, ...target, now });
        const { viewer, steps, allowed, status, message } = explained;
        print(command, explained, [
          `push to ${target.ref} of ${owner}/${name}`,
          `asked by ${viewer.login ?? 'nobody'}, credential: ${viewer.credential}`,
          ...steps.map(lineOf),
          allowed ? 'allowed' : `refused: ${status === undefined ? '' : `${status} `}${message}`,
        ]);
        return;
      }
      if (method.toUpperCase() === 'REPO') {
        const target = { db, services, authorization, owner, name, now };
        const explained = await explainRepository({ ...target, visibility: visibilityOf(ref) });
        const { viewer, steps, exists, status, message } = explained;
        print(command, explained, [
          `rules about ${exists || status !== undefined ? '' : 'the creation of '}${owner}/${name}`,
          `asked by ${viewer.login ?? 'nobody'}, credential: ${viewer.credential}`,
          ...steps.map(lineOf),
          ...(status === undefined ? [] : [`refused: ${status} ${message}`]),
          ...(status === undefined && steps.length === 0 ? ['no rules are about it'] : []),
        ]);
        return;
      }
      const request = { authorization, method: method.toUpperCase(), path };
      const explained = await explain({ db, endpoints: allEndpoints, ...request, now, url: services.url });
      const { endpoint, viewer, steps, allowed, status, message } = explained;
      print(command, explained, [
        ...(endpoint ? [`${endpoint.method} ${endpoint.path}  (${endpoint.id})`] : []),
        `asked by ${viewer.login ?? 'nobody'}, credential: ${viewer.credential}`,
        ...steps.map(lineOf),
        allowed ? 'allowed' : `refused: ${status} ${message}`,
      ]);
    }),
  );
