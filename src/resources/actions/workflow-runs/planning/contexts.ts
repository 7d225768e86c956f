// The contexts of expressions, which workflow files access as `github`, `inputs` and `vars`.
import { changing, unknownAddress } from '#endpoint/change-in.ts';
import { linksOf } from '#endpoint/links.ts';
import { type ChangeScope, type Needs, openScope, type Scope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { budget, type Contexts, type Json, newBudget } from '#workflow-files/expressions.ts';
import type { WorkflowFile } from '#workflow-files/file.ts';
import { typedInputs } from '#workflow-files/inputs.ts';
import type { RunRow } from '../store.ts';

/** The data of the context `github` besides the run itself. */
export type ContextFacts = {
  readonly repository: {
    readonly id: number;
    readonly name: string;
    readonly default_branch: string;
    readonly visibility: 'public' | 'internal' | 'private';
    readonly owner: { readonly id: number; readonly login: string };
  };
  readonly actor: string;
  readonly triggeringActor: string;
  /** The addresses of the server, without a trailing slash. */
  readonly links: { readonly html: string; readonly api: string };
};

/** The public API's words. */
const secretSources = { actions: 'Actions', dependency_bot: 'Dependabot', none: 'None' } as const;

/** The ref and the commit of a run's workflow file. */
const workflowSourceOf = ({ ref, sha, workflow_ref, workflow_sha }: RunRow): { ref: string; sha: string } => ({
  ref: workflow_ref ?? ref ?? '',
  sha: workflow_sha ?? sha,
});

/**
 * The context `github` of a run, with the fields that the server knows. The runner adds steps and paths. Ref fields are empty for
 * a run without a ref.
 */
export function githubContext(
  run: RunRow,
  { repository, actor, triggeringActor, links }: ContextFacts,
): { [name: string]: Json } {
  const event = JSON.parse(run.payload.replaceAll(unknownAddress, links.html)) as { [name: string]: Json };
  const pull = event.pull_request as { head?: { ref?: string }; base?: { ref?: string } } | undefined;
  const ref = run.ref ?? '';
  const source = workflowSourceOf(run);
  const fullName = `${repository.owner.login}/${repository.name}`;
  return {
    actor,
    actor_id: String(run.actor_id ?? ''),
    api_url: links.api,
    base_ref: pull?.base?.ref ?? '',
    event,
    event_name: run.event,
    graphql_url: '',
    head_ref: pull?.head?.ref ?? '',
    job: '',
    ref,
    ref_name: ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_type: ref === '' ? '' : ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    repository: fullName,
    repository_id: String(repository.id),
    repository_owner: repository.owner.login,
    repository_owner_id: String(repository.owner.id),
    repositoryUrl: `${links.html}/${fullName}.git`,
    run_id: String(run.id),
    run_number: String(run.run_number),
    run_attempt: String(run.attempt),
    secret_source: secretSources[run.secret_source],
    server_url: links.html,
    sha: run.sha,
    triggering_actor: triggeringActor,
    workflow: run.name,
    workflow_ref: run.workflow_path === null ? `${fullName}/${run.path}@${source.ref}` : run.path,
    workflow_sha: source.sha,
  };
}

/** The address of the server in expressions: the configured one, or else the one at which it listens. */
const addressOf = ({ url, runners }: Pick<Services, 'url' | 'runners'>): string => url ?? runners.address ?? unknownAddress;

/** The scope of a job that creates or continues runs. Its links have the address that expressions use. */
export const runScope = (scope: Scope & Needs<'url' | 'runners'>): ChangeScope =>
  changing(openScope({ ...scope, links: linksOf(addressOf(scope.services)) }));

/** The contexts of a whole run. `inputs` comes from a dispatch, with the types of the workflow file. */
export function runContexts(
  run: RunRow,
  facts: ContextFacts,
  vars: { readonly [name: string]: string },
  file: WorkflowFile,
): Contexts {
  const github = githubContext(run, facts);
  const { inputs } = github.event as { inputs?: { [name: string]: Json } | null };
  return {
    github,
    inputs: run.event === 'workflow_dispatch' ? typedInputs(file, inputs ?? {}) : {},
    vars,
    [budget]: newBudget(),
  };
}
