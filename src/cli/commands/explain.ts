import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { explainSetup } from '#resources/actions/default-setups/index.ts';
import { explainUpdates } from '#resources/actions/dependency-updates/index.ts';
import { runsHostedJobs } from '#resources/actions/hosted-jobs/index.ts';
import { explainJob } from '#resources/actions/workflow-runs/index.ts';
import { allEndpoints } from '#resources/all.ts';
import { explainConfiguration } from '#resources/code/code-security/index.ts';
import { explainQueue } from '#resources/collaboration/merge-queues/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { type AnalysedProduct, analysedProducts } from '#resources/repositories/repository-security/index.ts';
import { explain } from '#server/explain.ts';
import { explainPush, type PushExplanation } from '#server/explain-push.ts';
import { explainRepository } from '#server/explain-repository.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import type { CommandContext } from '../installation.ts';
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

function productOf(text = 'code_scanning'): AnalysedProduct {
  const product = analysedProducts.find((known) => known === text);
  if (!product) throw new UsageError(`After SETUP and the repository comes ${analysedProducts.join(' or ')}`);
  return product;
}

function visibilityOf(text = 'private'): 'public' | 'internal' | 'private' {
  if (text === 'public' || text === 'internal' || text === 'private') return text;
  throw new UsageError('After REPO and the repository comes public, internal or private');
}

type Asked = {
  readonly context: CommandContext;
  readonly authorization: string | undefined;
  readonly owner: string;
  readonly name: string;
  readonly ref: string | undefined;
  readonly to: string | undefined;
};

/** An explanation: the value for `--json`, and its lines for people. */
type Explained = { readonly value: unknown; readonly lines: readonly string[] };

const askedBy = ({ login, credential }: PushExplanation['viewer']): string =>
  `asked by ${login ?? 'nobody'}, credential: ${credential}`;

/** What can be explained besides requests, by the word that takes the place of the method. */
const explanations: { readonly [Word in string]?: (asked: Asked) => Promise<Explained> } = {
  async JOB({ context: { db, now, hearth }, owner, name, ref }) {
    const { services } = hearth;
    const job = idOf(ref);
    const options = { now, runsHosted: runsHostedJobs(services), secrets: services.secrets };
    const value = await explainJob(db, { owner, name, job }, options);
    const lines = [
      ...(value.name === undefined ? [] : [`job ${job} of ${owner}/${name}: ${value.name}`]),
      ...value.steps.map(lineOf),
      value.waits ? `waits: ${value.message}` : `does not wait: ${value.message}`,
    ];
    return { value, lines };
  },

  async QUEUE({ context: { db, now, hearth }, owner, name, ref }) {
    const repo = await repoNamed(db, `${owner}/${name}`);
    const branch = ref ?? repo.default_branch;
    const value = await explainQueue(scopeWithoutRequest({ db, services: hearth.services, now }), repo, branch);
    const lines = [
      `merge queue of ${branch} of ${owner}/${name}`,
      value.isDemanded
        ? 'pushes and merges are refused, since a ruleset demands the queue'
        : 'no ruleset demands a merge queue for this branch',
      ...value.steps.map(lineOf),
      value.message,
    ];
    return { value, lines };
  },

  async UPDATES({ context: { db, hearth }, owner, name }) {
    const { id } = await repoNamed(db, `${owner}/${name}`);
    const repository = (await loadNamedRepositories(db, [id])).get(id);
    if (!repository) throw new UsageError(`There is no repository ${owner}/${name}`);
    const value = await explainUpdates(db, repository, hearth.services);
    return { value, lines: [`dependency updates of ${owner}/${name}`, ...value.steps.map(lineOf)] };
  },

  async CONFIGURATION({ context: { db }, owner, name }) {
    const value = await explainConfiguration(db, (await repoNamed(db, `${owner}/${name}`)).id);
    return { value, lines: [`security configuration of ${owner}/${name}`, ...value.steps.map(lineOf)] };
  },

  async SETUP({ context: { db, now, hearth }, owner, name, ref }) {
    const repo = await repoNamed(db, `${owner}/${name}`);
    const product = productOf(ref);
    const { services } = hearth;
    const options = { runsHosted: runsHostedJobs(services), secrets: services.secrets };
    const value = await explainSetup(scopeWithoutRequest({ db, services, now }), repo, product, options);
    return { value, lines: [`default setup of ${product} of ${owner}/${name}`, ...value.steps.map(lineOf), value.message] };
  },

  async PUSH({ context: { db, now, hearth }, authorization, owner, name, ref = 'main', to }) {
    const target = { authorization, owner, name, ref, to: to === '' ? null : to };
    const value = await explainPush({ db, services: hearth.services, ...target, now });
    const { viewer, steps, allowed, status, message } = value;
    const lines = [
      `push to ${ref} of ${owner}/${name}`,
      askedBy(viewer),
      ...steps.map(lineOf),
      allowed ? 'allowed' : `refused: ${status === undefined ? '' : `${status} `}${message}`,
    ];
    return { value, lines };
  },

  async REPO({ context: { db, now, hearth }, authorization, owner, name, ref }) {
    const target = { authorization, owner, name, visibility: visibilityOf(ref) };
    const value = await explainRepository({ db, services: hearth.services, ...target, now });
    const { viewer, steps, exists, status, message } = value;
    const lines = [
      `rules about ${exists || status !== undefined ? '' : 'the creation of '}${owner}/${name}`,
      askedBy(viewer),
      ...steps.map(lineOf),
      ...(status === undefined ? [] : [`refused: ${status} ${message}`]),
      ...(status === undefined && steps.length === 0 ? ['no rules are about it'] : []),
    ];
    return { value, lines };
  },
};

type AskedRequest = { readonly authorization: string | undefined; readonly method: string; readonly path: string };

async function explainRequest({ db, now, hearth }: CommandContext, request: AskedRequest): Promise<Explained> {
  const value = await explain({ db, endpoints: allEndpoints, ...request, now, url: hearth.services.url });
  const { endpoint, viewer, steps, allowed, status, message } = value;
  const lines = [
    ...(endpoint ? [`${endpoint.method} ${endpoint.path}  (${endpoint.id})`] : []),
    askedBy(viewer),
    ...steps.map(lineOf),
    allowed ? 'allowed' : `refused: ${status} ${message}`,
  ];
  return { value, lines };
}

export const explainCommand = installationCommand(
  'explain',
  'Show step by step why a request or a push is allowed or refused (without carrying it out), which rules of an organization ' +
    'apply to a repository, why a job of a workflow waits, what a default setup of code scanning analyses and why nothing ' +
    'runs, what the pull requests in a merge queue wait for, what the dependency bot looks for, or why a repository ' +
    "can't have a security configuration.",
  'hearth explain --token "$TOKEN" GET /orgs/acme/hooks',
)
  .argument(
    '<method>',
    'GET, POST, PUT, PATCH or DELETE; or PUSH; or REPO; or JOB; or SETUP; or QUEUE; or UPDATES; or CONFIGURATION',
  )
  .argument('<path>', 'path of the API, as /repos/acme/engine; for the other words the repository, as acme/engine')
  .argument(
    '[ref]',
    'for PUSH: a branch, or a full ref name; for REPO: the visibility of a new repository; for JOB: the id of the job; ' +
      'for QUEUE: a branch; for SETUP: code_scanning or code_quality',
  )
  .argument('[to]', 'for PUSH: what it is moved to, as a branch or commit of the repository; an empty text deletes it')
  .option('--token <token>', 'token of the request; left out: an anonymous request')
  .action((given, path, ref, to, { token }, command) =>
    onInstallation(command, async (context) => {
      const authorization = token === undefined ? undefined : `Bearer ${token}`;
      const method = given.toUpperCase();
      const [owner = '', name = ''] = path.replace(/^\/?(?:repos\/)?/, '').split('/');
      const explained = explanations[method]?.({ context, authorization, owner, name, ref, to });
      const { value, lines } = await (explained ?? explainRequest(context, { authorization, method, path }));
      print(command, value, lines);
    }),
  );
