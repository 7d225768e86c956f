import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import { passes } from './patterns.ts';

/** Something that happened, as far as the filters of workflow files look at it. */
export type Trigger = {
  /** The name of the event in workflow files, as `push`. */
  readonly event: string;
  /** The action of its payload, as `opened`, for the filter `types`. */
  readonly action?: string | undefined;
  /** The branch that filters of branches look at: the pushed one, the base of a pull request, or the head branch of a run. */
  readonly branch?: string | undefined;
  /** The pushed tag. */
  readonly tag?: string | undefined;
  /** The name of the workflow whose run it is about, for `workflow_run`. */
  readonly workflow?: string | undefined;
  /** The files that were changed; undefined where that can't be told, which passes every filter. */
  readonly changedPaths?: () => Promise<readonly string[] | undefined>;
};

type Filters = { readonly [name: string]: readonly string[] | undefined };

/** The actions that start a workflow which names none; of other events, all do. */
const defaultTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ['pull_request', ['opened', 'synchronize', 'reopened']],
  ['pull_request_target', ['opened', 'synchronize', 'reopened']],
]);

/** Whether a workflow runs when something happens. */
export async function isTriggered(events: EventsConfig, trigger: Trigger): Promise<boolean> {
  const filters = events[trigger.event] as Filters | undefined;
  if (filters === undefined) return false;
  const { action, branch, tag, workflow } = trigger;
  const types = filters.types ?? defaultTypes.get(trigger.event);
  if (types && action !== undefined && !types.includes(action)) return false;
  if (filters.workflows && !passes(filters.workflows, workflow ?? '')) return false;
  if (tag !== undefined) return passesRef(filters, 'tags', 'branches', tag);
  if (branch !== undefined && !passesRef(filters, 'branches', 'tags', branch)) return false;
  return passesPaths(filters, trigger);
}

/** Filters of branches alone leave out tags, and the other way round. */
function passesRef(filters: Filters, own: 'branches' | 'tags', other: 'branches' | 'tags', name: string): boolean {
  const [wanted, ignored] = [filters[own], filters[`${own}-ignore`]];
  if (wanted) return passes(wanted, name);
  if (ignored) return !passes(ignored, name);
  return filters[other] === undefined && filters[`${other}-ignore`] === undefined;
}

async function passesPaths({ paths, 'paths-ignore': ignored }: Filters, { changedPaths }: Trigger): Promise<boolean> {
  if ((!paths && !ignored) || !changedPaths) return true;
  const changed = await changedPaths();
  if (changed === undefined) return true;
  return paths ? changed.some((path) => passes(paths, path)) : changed.some((path) => !passes(ignored ?? [], path));
}
