import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import { beginFilterWork, type FilterWork, filterProblem, openFilter, passes } from './patterns.ts';
import { scheduleProblem } from './schedule.ts';

/** The properties of an event that workflow filters check. */
export type Trigger = {
  /** The name of the event in workflow files, such as `push`. */
  readonly event: string;
  /** The action of its payload, such as `opened`, for the filter `types`. */
  readonly action?: string | undefined;
  /** The branch for branch filters: the pushed branch, the base of a pull request, or the head branch of a run. */
  readonly branch?: string | undefined;
  /** The pushed tag. */
  readonly tag?: string | undefined;
  /** For `workflow_run`, the name of the run's workflow. */
  readonly workflow?: string | undefined;
  /** The changed files; undefined if unknown, which passes every filter. */
  readonly changedPaths?: () => Promise<readonly string[] | undefined>;
};

type Filters = { readonly [name: string]: readonly string[] | undefined };

/** The actions that start a workflow without `types`. For other events, all actions do. */
const defaultTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ['pull_request', ['opened', 'synchronize', 'reopened']],
  ['pull_request_target', ['opened', 'synchronize', 'reopened']],
]);

/** The filters of an event that contain patterns. */
const filterNames = ['workflows', 'branches', 'branches-ignore', 'tags', 'tags-ignore', 'paths', 'paths-ignore'] as const;

/** The parts of a file's events that are too large, such as `on.push.paths`. */
export function triggerProblems(events: EventsConfig): string[] {
  const schedule = scheduleProblem(events);
  const ofFilters = Object.entries(events).flatMap(([event, filters]) =>
    filterNames.flatMap((name) => {
      const problem = filterProblem((filters as Filters | undefined)?.[name] ?? []);
      return problem === undefined ? [] : [`on.${event}.${name} ${problem}`];
    }),
  );
  return schedule === undefined ? ofFilters : [`on.schedule ${schedule}`, ...ofFilters];
}

/** Whether an event starts a workflow. A name that needs too many steps passes no filter. */
export async function isTriggered(events: EventsConfig, trigger: Trigger): Promise<boolean> {
  const filters = events[trigger.event] as Filters | undefined;
  if (filters === undefined) return false;
  const { action, branch, tag, workflow } = trigger;
  const types = filters.types ?? defaultTypes.get(trigger.event);
  if (types && action !== undefined && !types.includes(action)) return false;
  const work = beginFilterWork();
  if (filters.workflows && !(await passes(openFilter(filters.workflows), workflow ?? '', work))) return false;
  if (tag !== undefined) return passesRef(filters, { own: 'tags', other: 'branches', name: tag, work });
  if (branch !== undefined && !(await passesRef(filters, { own: 'branches', other: 'tags', name: branch, work }))) return false;
  return passesPaths(filters, trigger, work);
}

type RefToPass = {
  readonly own: 'branches' | 'tags';
  readonly other: 'branches' | 'tags';
  readonly name: string;
  readonly work: FilterWork;
};

/** If an event only has filters for branches, tags don't pass, and the reverse. */
async function passesRef(filters: Filters, { own, other, name, work }: RefToPass): Promise<boolean> {
  const [wanted, ignored] = [filters[own], filters[`${own}-ignore`]];
  if (wanted) return (await passes(openFilter(wanted), name, work)) === true;
  if (ignored) return (await passes(openFilter(ignored), name, work)) === false;
  return filters[other] === undefined && filters[`${other}-ignore`] === undefined;
}

/** Whether one of the changed files passes. If there aren't enough steps for all of them, they count as passing. */
async function passesPaths(
  { paths, 'paths-ignore': ignored }: Filters,
  { changedPaths }: Trigger,
  work: FilterWork,
): Promise<boolean> {
  if ((!paths && !ignored) || !changedPaths) return true;
  const changed = await changedPaths();
  if (changed === undefined) return true;
  const filter = openFilter(paths ?? ignored ?? []);
  for (const path of changed) if ((await passes(filter, path, work)) !== (paths === undefined)) return true;
  return false;
}
