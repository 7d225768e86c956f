// The texts of the bot: names of branches, messages of commits, and what its pull requests say.
import { refNameProblem } from '#git/refs/ref-name.ts';
import { unique } from '#lib/collections.ts';
import { trimOf } from '#lib/trim.ts';
import type { ProposalRow, PullOptions, Target, UpdatedDependency } from './store.ts';

/** The words for ecosystems in branches and labels are the public API's. */
const ecosystems: { readonly [Name in Target['ecosystem']]: { readonly folder: string; readonly label: string } } = {
  npm: { folder: 'npm_and_yarn', label: 'javascript' },
  pip: { folder: 'pip', label: 'python' },
  gomod: { folder: 'go_modules', label: 'go' },
};

/** The labels of a pull request for which the configuration names none. The repository gets them with their first use. */
export const usualLabels = (ecosystem: Target['ecosystem']): { name: string; color: string; description: string }[] => {
  const { label } = ecosystems[ecosystem];
  return [
    { name: 'dependencies', color: '0366d6', description: 'Pull requests that update a dependency file' },
    { name: label, color: 'c5def5', description: `Pull requests for code in ${label}` },
  ];
};

/** What a pull request updates: a group, or packages. */
export type Proposed = {
  readonly group: string | undefined;
  readonly dependencies: readonly UpdatedDependency[];
};

/** What a pull request is about: one is open for each. */
export const subjectOf = ({ group, dependencies }: Proposed): string =>
  group === undefined
    ? unique(dependencies.map(({ name }) => name))
        .sort()
        .join(' ')
    : `group ${group}`;

const maxBranch = 200;

/** The name of the branch of a pull request. It differs by versions, so that a newer proposal has another one. */
export function branchName(
  { ecosystem, directory, target_branch }: Pick<Target, 'ecosystem' | 'directory' | 'target_branch'>,
  { group, dependencies }: Proposed,
  {
    isDefault,
    separator = '/',
    digest,
  }: { readonly isDefault: boolean; readonly separator?: string | undefined; readonly digest: string },
): string {
  const [first] = dependencies;
  const what =
    group !== undefined || !first || dependencies.length > 1
      ? `${group ?? 'multi'}-${digest.slice(0, 10)}`
      : `${first.name.replace(/^@/, '')}-${first.to}`;
  const parts = [
    'dependency-bot',
    ecosystems[ecosystem].folder,
    ...directory.split('/').filter((part) => part !== ''),
    ...(isDefault ? [] : target_branch.split('/')),
    ...what.split('/'),
  ];
  const name = parts.map((part) => trimOf(part.replaceAll(/[^\w.-]+/g, '-'), '.-')).join(separator);
  const usable = name.length <= maxBranch && refNameProblem(`refs/heads/${name}`) === undefined;
  return usable ? name : ['dependency-bot', ecosystems[ecosystem].folder, digest.slice(0, 20)].join(separator);
}

const folderOf = (directory: string): string => (directory === '/' ? '' : ` in ${directory}`);

/** The title of a pull request, which is the subject of its commit. */
export function titleOf({ directory }: Pick<Target, 'directory'>, proposed: Proposed, options: PullOptions): string {
  const { group, dependencies } = proposed;
  const isDevelopment = dependencies.every(({ type }) => type === 'development');
  const prefix = (isDevelopment ? options.commitPrefixDevelopment : undefined) ?? options.commitPrefix;
  const scope = options.hasScope === true ? `(${isDevelopment ? 'deps-dev' : 'deps'})` : '';
  const [first] = dependencies;
  const names = unique(dependencies.map(({ name }) => name));
  const what =
    group === undefined && first && names.length === 1
      ? `bump ${first.name} from ${unique(dependencies.map(({ from }) => from)).join(', ')} to ${first.to}`
      : `bump ${group === undefined ? names.join(', ') : `the ${group} group`}`;
  const count = group === undefined ? '' : ` with ${dependencies.length} update${dependencies.length === 1 ? '' : 's'}`;
  const text = `${what}${folderOf(directory)}${count}`;
  if (prefix === undefined) return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`.slice(0, maxTitle);
  // A prefix that ends in a letter or digit, or a bracket, is followed by a colon (the public API's rule).
  const start = `${prefix.trimEnd()}${scope}`;
  return `${start}${/[\w)\]]$/.test(start) && !prefix.endsWith(' ') ? ': ' : ' '}${text}`.slice(0, maxTitle);
}

const maxTitle = 256;

/** An advisory that an update is for. */
type MendedAdvisory = {
  readonly package: string;
  readonly identifier: string;
  readonly cve: string | null;
  readonly severity: string;
  readonly summary: string;
  readonly vulnerable_version_range: string;
};

/** Text of others, in which nothing is a mention, a reference or Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('@', '&#64;')
    .slice(0, maxPlain);

/** Text of others as code, in which nothing is a mention or Markdown. */
export const codeOf = (text: string): string => `\`${text.replaceAll(/[`\s]+/g, ' ').slice(0, maxPlain)}\``;

const maxPlain = 1_000;
const maxListed = 100;

/** The text of a pull request. */
export function bodyOf(
  target: Pick<Target, 'directory' | 'kind'>,
  { dependencies }: Proposed,
  {
    advisories,
    mention,
    rebases,
  }: { readonly advisories: readonly MendedAdvisory[]; readonly mention: string; readonly rebases: boolean },
): string {
  const where = target.directory === '/' ? '' : ` in \`${target.directory.replaceAll('`', '')}\``;
  const rows = dependencies.slice(0, maxListed).map(({ name, from, to }) => `| \`${name}\` | ${plain(from)} | ${plain(to)} |`);
  const more = dependencies.length > maxListed ? [`\nand ${dependencies.length - maxListed} more.`] : [];
  return [
    `This updates ${dependencies.length === 1 ? 'a dependency' : `${dependencies.length} dependencies`}${where}:`,
    '',
    '| package | from | to |',
    '|---|---|---|',
    ...rows,
    ...more,
    ...(advisories.length === 0
      ? []
      : ['', '### Vulnerabilities that it mends', '', ...advisories.slice(0, maxListed).map(advisoryLine)]),
    '',
    '### Commands',
    '',
    ...(rebases ? ['It is recreated when it conflicts with its base branch, unless somebody else has pushed to it.', ''] : []),
    'People who may write to this repository can comment:',
    '',
    `- \`${mention} rebase\` recreates it on the current base branch`,
    `- \`${mention} recreate\` does so even if somebody else has pushed to it`,
    `- \`${mention} close\` closes it, and doesn't propose these versions again`,
    `- \`${mention} ignore this dependency\` closes it, and proposes no further versions`,
    `- \`${mention} ignore this major version\` (or minor, or patch) closes it, and proposes no further versions of that kind`,
    `- \`${mention} show NAME ignore conditions\` lists what is ignored, and \`${mention} unignore NAME\` proposes it again`,
    `- \`${mention} reopen\` reopens it`,
  ].join('\n');
}

const advisoryLine = (advisory: MendedAdvisory): string => {
  const { identifier, cve, severity, summary, vulnerable_version_range: range } = advisory;
  const ids = [identifier, ...(cve === null ? [] : [cve])].map(plain).join(', ');
  return `- \`${advisory.package.replaceAll('`', '')}\`: ${plain(summary)} (${ids}, ${severity}; affects ${plain(range)})`;
};

/** The message of a commit. */
export const messageOf = (title: string, { dependencies }: Proposed): string =>
  [title, '', ...dependencies.slice(0, maxListed).map(({ name, from, to }) => `- ${name} from ${from} to ${to}`), ''].join('\n');

/** The comments on pull requests that the bot closes. */
export const closingTexts = {
  superseded: (number: number): string => `Superseded by #${number}.`,
  done: 'These dependencies need no update any more.',
  ignored: 'These versions won’t be proposed again. If that changes, reopen this pull request.',
} as const;

export const isSameUpdate = (one: Proposed['dependencies'], other: Pick<ProposalRow, 'dependencies'>['dependencies']): boolean =>
  JSON.stringify(versionsOf(one)) === JSON.stringify(versionsOf(other));

const versionsOf = (dependencies: Proposed['dependencies']): string[] =>
  dependencies.map(({ name, to }) => `${name} ${to}`).sort();
