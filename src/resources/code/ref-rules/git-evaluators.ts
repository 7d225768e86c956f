// Rules that names, commits and files decide.
import type { Commit } from '#git/objects/parse-commit.ts';
import { chunks, gather } from '#lib/collections.ts';
import { type Fnmatch, fnmatchesOf, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import { type Steps, stepsOfAllWork, stepsOfWork, stepsWithin } from '#lib/pattern-steps.ts';
import { periodicYield } from '#lib/turns.ts';
import { demandOf, matchesPattern, type Pattern } from '#resources/code/rulesets/index.ts';
import type { RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators, RuleType } from './evaluator.ts';

const shortName = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '');
const short = (oid: string): string => oid.slice(0, 7);

type PatternRule = { readonly parameters: Pattern };

/** A rule about a text of each new commit. */
const commitPattern = (what: string, textOf: (commit: Commit) => string) => ({
  kinds: ['creation', 'update'] as const,
  needs: 'objects' as const,
  async violation(check: RuleCheck, { parameters }: PatternRule, move: RuledMove) {
    const yieldNow = periodicYield();
    for (const commit of await check.newCommits(move)) {
      if (!matchesPattern(parameters, textOf(commit))) return `${what} ${demandOf(parameters)}: ${short(commit.oid)}`;
      await yieldNow();
    }
    return undefined;
  },
});

/** A rule about the name of a ref. */
const namePattern = (what: string) => ({
  kinds: ['creation', 'update'] as const,
  needs: 'names' as const,
  violation: (_check: RuleCheck, { parameters }: PatternRule, { ref }: RuledMove) =>
    matchesPattern(parameters, shortName(ref)) ? undefined : `${what} ${demandOf(parameters)}: ${shortName(ref)}`,
});

/** A rule about the paths of files that are added, changed or removed. */
const filesRule = <Type extends RuleType>(
  problemIn: (rule: Parameters<RuleEvaluator<Type>['violation']>[1]) => (path: string, isRemoved: boolean) => string | undefined,
): RuleEvaluator<Type> => ({
  kinds: ['creation', 'update'],
  needs: 'objects',
  async violation(check, rule, move) {
    const problemOf = problemIn(rule);
    const yieldNow = periodicYield();
    for await (const files of check.changedFiles(move))
      for (const { path, blob } of files) {
        const problem = problemOf(path, blob === undefined);
        if (problem !== undefined) return problem;
        await yieldNow();
      }
    return undefined;
  },
});

const restrictedPaths = filesRule<'file_path_restriction'>(({ parameters }) => {
  const patterns = fnmatchesOf(parameters.restricted_file_paths, stepsOfWork());
  const all = stepsOfAllWork();
  return (path) => (matchesAny(patterns, path, stepsWithin(all)) ? `The path ${path} can't be changed` : undefined);
});

/** An ending as `*.exe`, `.exe` or `exe`. */
const endingOf = (text: string): string => `.${text.replace(/^\*?\.?/, '').toLowerCase()}`;

const restrictedExtensions = filesRule<'file_extension_restriction'>(({ parameters }) => {
  const endings = parameters.restricted_file_extensions.map(endingOf);
  return (path, isRemoved) => {
    const ending = isRemoved ? undefined : endings.find((one) => path.toLowerCase().endsWith(one));
    return ending === undefined ? undefined : `Files ending in ${ending} can't be pushed: ${path}`;
  };
});

const pathLength = filesRule<'max_file_path_length'>(
  ({ parameters: { max_file_path_length: most } }) =>
    (path, isRemoved) =>
      isRemoved || [...path].length <= most ? undefined : `Paths may have up to ${most} characters: ${path}`,
);

const matchesAny = (patterns: readonly Fnmatch[], path: string, work: Steps): boolean => {
  const read = pathOf(path);
  return patterns.some((pattern) => matchesFnmatch(pattern, read, work));
};

const megabyte = 1024 * 1024;
/** The number of objects whose sizes are read in one request. */
const sizesPerBatch = 1_000;

const fileSize: RuleEvaluator<'max_file_size'> = {
  kinds: ['creation', 'update'],
  needs: 'objects',
  async violation(check, { parameters: { max_file_size: most } }, move) {
    for await (const files of check.changedFiles(move))
      for (const some of chunks(
        files.flatMap(({ path, blob }) => (blob === undefined ? [] : [{ path, blob }])),
        sizesPerBatch,
      )) {
        const infos = await check.reader.findInfos(gather(some, 'blob'));
        const tooLarge = some.find((_, at) => (infos[at]?.size ?? 0) > most * megabyte);
        if (tooLarge) return `Files may have up to ${most} MB: ${tooLarge.path}`;
      }
    return undefined;
  },
};

/** The evaluators that need nothing but names and Git. */
export const gitEvaluators = {
  creation: { kinds: ['creation'], needs: 'names', violation: () => 'Cannot create ref due to creations being restricted.' },
  update: {
    kinds: ['update'],
    needs: 'names',
    violation: ({ syncsUpstream }, { parameters }) =>
      syncsUpstream && parameters?.update_allows_fetch_and_merge === true ? undefined : 'Cannot update this protected ref.',
  },
  deletion: { kinds: ['deletion'], needs: 'names', violation: () => 'Cannot delete this protected ref.' },
  non_fast_forward: {
    kinds: ['update'],
    needs: 'objects',
    violation: async (check, _rule, move) =>
      (await check.isFastForward(move)) ? undefined : 'Cannot force-push to this protected ref.',
  },
  required_linear_history: {
    kinds: ['creation', 'update'],
    needs: 'objects',
    async violation(check, _rule, move) {
      const merge = (await check.newCommits(move)).find(({ parents }) => parents.length > 1);
      return merge && `This ref must not contain merge commits: ${short(merge.oid)}`;
    },
  },
  commit_message_pattern: commitPattern('Commit messages', ({ message }) => message.trimEnd()),
  commit_author_email_pattern: commitPattern('Addresses of authors', ({ author }) => author.email),
  committer_email_pattern: commitPattern('Addresses of committers', ({ committer }) => committer.email),
  branch_name_pattern: namePattern('Names of branches'),
  tag_name_pattern: namePattern('Names of tags'),
  file_path_restriction: restrictedPaths,
  file_extension_restriction: restrictedExtensions,
  max_file_path_length: pathLength,
  max_file_size: fileSize,
} as const satisfies Partial<RuleEvaluators>;
