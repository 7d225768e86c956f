// One entry of `updates` in a configuration file.
import { updatedEcosystems } from '../updates/contract.ts';
import type { UpdateEntry } from './config.ts';
import { booleanOf, fieldsOf, itemsOf, numberOf, oneOf, type Part, textOf, textsOf, wrong } from './part.ts';
import { readRules } from './rules.ts';
import { cronProblem, intervals, type Schedule, timezoneProblem, weekdays } from './schedule.ts';

/** The fields of an entry, among them those without effect. */
export const entryFields = [
  'package-ecosystem',
  'directory',
  'directories',
  'schedule',
  'open-pull-requests-limit',
  'allow',
  'ignore',
  'groups',
  'labels',
  'assignees',
  'milestone',
  'reviewers',
  'target-branch',
  'commit-message',
  'pull-request-branch-name',
  'rebase-strategy',
  'registries',
  'vendor',
  'versioning-strategy',
  'insecure-external-code-execution',
  'cooldown',
];

/** Reads an entry; undefined if it has problems, which are reported. `registries` are the names of those in the file. */
export function readEntry(part: Part, registries: ReadonlySet<string>): UpdateEntry | undefined {
  const found = fieldsOf(part);
  const ecosystem = readEcosystem(part, found.get('package-ecosystem'));
  // Entries of other ecosystems may have fields of their own.
  if (ecosystem === undefined) return undefined;
  const fields = fieldsOf(part, entryFields);
  const entry = {
    ecosystem,
    directories: readDirectories(part, fields),
    schedule: readSchedule(part, fields.get('schedule')),
    ...readRules(fields),
    labels: fields.has('labels') ? textsOf(fields.get('labels'), 100, { most: 100 }) : undefined,
    assignees: textsOf(fields.get('assignees'), 10, { most: 100 }),
    milestone: numberOf(fields.get('milestone'), [1, 2_147_483_647]),
    targetBranch: textOf(fields.get('target-branch'), { most: 255 }),
    commitMessage: readCommitMessage(fields.get('commit-message')),
    separator: readSeparator(fields.get('pull-request-branch-name')),
    rebases: oneOf(fields.get('rebase-strategy'), ['auto', 'disabled']) !== 'disabled',
    registries: readRegistryNames(fields.get('registries'), registries),
  };
  booleanOf(fields.get('vendor'));
  const external = fields.get('insecure-external-code-execution');
  if (external && external.value !== 'deny') wrong(external, 'has to be deny: no code of packages is run');
  const { directories, schedule } = entry;
  return schedule && directories.length > 0 ? { ...entry, schedule } : undefined;
}

function readEcosystem(part: Part, field: Part | undefined) {
  if (!field) return wrong(part, 'has no package-ecosystem');
  const name = textOf(field, { most: 100 });
  if (name === undefined) return undefined;
  const known = updatedEcosystems.find((one) => one === name);
  const supported = updatedEcosystems.join(', ');
  return known ?? wrong(field, `${name} is not supported here (only ${supported}): Renovate is the better choice for it`);
}

const folder = { most: 1_000, pattern: /^[^\\]+$/, form: 'has a backslash' };

function readDirectories(part: Part, fields: ReadonlyMap<string, Part>): string[] {
  const [one, several] = [fields.get('directory'), fields.get('directories')];
  if (Boolean(one) === Boolean(several)) {
    wrong(part, 'needs a directory or directories');
    return [];
  }
  const parts = one ? [one] : itemsOf(several, 100);
  if (several && parts.length === 0) wrong(several, 'names no directory');
  const directories = parts.flatMap((item) => {
    const text = textOf(item, folder);
    return text === undefined ? [] : (normalized(item, text) ?? []);
  });
  return [...new Set(directories)];
}

/** A folder from the root of the repository, without a slash at its end. */
function normalized(part: Part, text: string): string | undefined {
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  return names.includes('..') ? wrong(part, 'leads out of the repository') : `/${names.join('/')}`;
}

const timeForm = { most: 5, pattern: /^(?:[01]?\d|2[0-3]):[0-5]\d$/, form: 'has to be a time such as 09:30' };

function readSchedule(entry: Part, part: Part | undefined): Schedule | undefined {
  if (!part) return wrong(entry, 'has no schedule');
  const fields = fieldsOf(part, ['interval', 'day', 'time', 'timezone', 'cronjob']);
  const interval = oneOf(fields.get('interval'), intervals);
  if (interval === undefined) return fields.has('interval') ? undefined : wrong(part, 'has no interval');
  const timezone = textOf(fields.get('timezone'), { most: 100 }) ?? 'UTC';
  const cron = textOf(fields.get('cronjob'), { most: 1_000 });
  const zone = timezoneProblem(timezone);
  if (zone) return wrong(fields.get('timezone') ?? part, zone);
  if (interval === 'cron' && cron === undefined) return wrong(part, 'has no cronjob');
  const line = interval === 'cron' && cron !== undefined ? cronProblem(cron) : undefined;
  if (line) return wrong(fields.get('cronjob') ?? part, line);
  return {
    interval,
    day: oneOf(fields.get('day'), weekdays) ?? 'monday',
    time: textOf(fields.get('time'), timeForm),
    timezone,
    cron: interval === 'cron' ? cron : undefined,
  };
}

const prefix = { most: 50 } as const;

function readCommitMessage(part: Part | undefined): UpdateEntry['commitMessage'] {
  const fields = part ? fieldsOf(part, ['prefix', 'prefix-development', 'include']) : new Map<string, Part>();
  return {
    prefix: textOf(fields.get('prefix'), prefix),
    prefixDevelopment: textOf(fields.get('prefix-development'), prefix),
    includesScope: oneOf(fields.get('include'), ['scope']) === 'scope',
  };
}

function readSeparator(part: Part | undefined): UpdateEntry['separator'] {
  return (part && oneOf(fieldsOf(part, ['separator']).get('separator'), ['-', '_', '/'])) ?? '/';
}

/** The names of an entry's registries; `*` stands for all of the file. */
function readRegistryNames(part: Part | undefined, known: ReadonlySet<string>): string[] {
  if (part?.value === '*') return [...known];
  const items = part && !Array.isArray(part.value) ? [part] : itemsOf(part, 50);
  return items.flatMap((item) => {
    const name = textOf(item, { most: 255 });
    if (name !== undefined && !known.has(name)) wrong(item, `names ${name}, which is not among the registries of the file`);
    return name ?? [];
  });
}
