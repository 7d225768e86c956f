// Patterns of allowed actions (the public API's): `owner/*`, `owner/repo@v1`, `owner/repo/path@*`, `docker://image:*`. A leading
// `!` makes a pattern forbid what it matches.
import { matchesPathWithin, type Pattern, pathOf, type Segment, segmentOf, star } from '#lib/path-pattern.ts';
import type { Steps } from '#lib/pattern-steps.ts';

/** What a step or a job uses. */
export type UsedAction =
  | {
      readonly kind: 'action' | 'workflow';
      readonly owner: string;
      readonly repo: string;
      /** The folder of the action or the file of the workflow, without a leading slash; empty for the root of the repository. */
      readonly path: string;
      readonly ref: string;
    }
  /** An image: the part after `docker://`. */
  | { readonly kind: 'image'; readonly image: string }
  /** A file in the workflow's own repository, for example `./actions/build`. */
  | { readonly kind: 'local' };

export type ActionPattern = {
  readonly isRefusal: boolean;
  readonly isImage: boolean;
  readonly path: Pattern;
  /** Undefined if the pattern matches every ref. */
  readonly ref: Segment | undefined;
};

const imagePrefix = 'docker://';

/**
 * Owner, repository and path, where `*` matches characters and `**` matches folders; then a ref. Refs and names have no other
 * wildcards.
 */
const ofRepository = /^[\w.*-]+(?:\/[\w.*+ -]+)+(?:@[^\s@\\?[\]^~:]+)?$/;
const ofImage = /^docker:\/\/[\w.*:@/-]+$/;

/** Whether a text is a valid pattern of allowed actions. */
export function isActionPattern(text: string): boolean {
  const wanted = text.replace(/^!/, '');
  return ofImage.test(wanted) || ofRepository.test(wanted);
}

/** A parsed pattern. The text must be valid, see `isActionPattern`. */
export function actionPatternOf(text: string): ActionPattern {
  const isRefusal = text.startsWith('!');
  const wanted = isRefusal ? text.slice(1) : text;
  if (wanted.startsWith(imagePrefix))
    return { isRefusal, isImage: true, path: pathPattern(wanted.slice(imagePrefix.length)), ref: undefined };
  const [path = '', ref] = wanted.split('@');
  return {
    isRefusal,
    isImage: false,
    path: pathPattern(path.toLowerCase()),
    ref: ref === undefined ? undefined : segmentOf(ref),
  };
}

const pathPattern = (text: string): Pattern => text.split('/').map((name) => (name === '**' ? star : segmentOf(name)));

/**
 * Whether a pattern matches a use. A pattern of a repository matches all paths in it. Owners, repositories and paths are compared
 * regardless of case, refs exactly. `work`: the steps of all that are matched together.
 * @throws Refusal 413 if it takes too many steps
 */
export function matchesAction({ isImage, path, ref }: ActionPattern, used: UsedAction, work: Steps): boolean {
  if (used.kind === 'local') return false;
  if (used.kind === 'image') return isImage && matchesPathWithin(path, pathOf(used.image), work);
  if (isImage) return false;
  if (ref !== undefined && !matchesPathWithin([ref], [{ name: used.ref, characters: [...used.ref] }], work)) return false;
  const repository = `${used.owner}/${used.repo}`.toLowerCase();
  const names = used.path === '' ? [repository] : [repository, `${repository}/${used.path.toLowerCase()}`];
  return names.some((name) => matchesPathWithin(path, pathOf(name), work));
}

/** What a pattern without `!` names, for matching by other patterns: only wildcards match its wildcards. */
export function usedByPattern(text: string): UsedAction {
  if (text.startsWith(imagePrefix)) return { kind: 'image', image: text.slice(imagePrefix.length) };
  const [name = '', ref = '*'] = text.split('@');
  const [owner = '', repo = '', ...rest] = name.split('/');
  return { kind: 'action', owner, repo, path: rest.join('/'), ref };
}
