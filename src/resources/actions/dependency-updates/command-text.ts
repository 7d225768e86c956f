// The commands that comments can have.
import type { IgnoredPart } from './ignores.ts';

export type Command =
  | { readonly name: 'rebase' | 'recreate' | 'close' | 'reopen' }
  /** `dependency`: one of the pull request; undefined for all. */
  | { readonly name: 'ignore'; readonly part: Exclude<IgnoredPart, 'version'>; readonly dependency: string | undefined }
  /** `dependency`: `*` for all of the pull request. `condition`: one of what is ignored; undefined for all. */
  | { readonly name: 'unignore'; readonly dependency: string; readonly condition: string | undefined }
  | { readonly name: 'show'; readonly dependency: string };

/** The names by which comments may address the bot: its account's login, and the public API's name. */
const mentions = ['@hearth-dependency-bot', '@dependency-bot', '@dependabot'];

/** Longer comments are read so far. */
const maxComment = 10_000;

/** The command of a comment: `unknown` for one that the bot doesn't have, undefined where a comment has none. */
export function commandOf(body: string): Command | 'unknown' | undefined {
  for (const line of body.slice(0, maxComment).split('\n')) {
    const [mention = '', ...words] = line.split(/\s/).filter((word) => word !== '');
    if (words.length > 0 && mentions.includes(mention.toLowerCase())) return commandIn(words);
  }
  return undefined;
}

function commandIn([first = '', ...words]: readonly string[]): Command | 'unknown' {
  const name = first.toLowerCase();
  const [dependency = '', ...rest] = words;
  const said = rest.join(' ');
  switch (name) {
    case 'rebase':
    case 'recreate':
    case 'close':
    case 'reopen':
      return words.length === 0 ? { name } : 'unknown';
    case 'ignore':
      return dependency.toLowerCase() === 'this' ? ignoreOf(said, undefined) : ignoreOf(said || 'dependency', dependency);
    case 'unignore':
      return dependency === '' ? 'unknown' : { name, dependency, condition: said === '' ? undefined : said };
    case 'show':
      return said.toLowerCase() === 'ignore conditions' ? { name, dependency } : 'unknown';
    default:
      return 'unknown';
  }
}

const parts = {
  dependency: 'dependency',
  'major version': 'major',
  'minor version': 'minor',
  'patch version': 'patch',
} as const;

function ignoreOf(said: string, dependency: string | undefined): Command | 'unknown' {
  const words = said.toLowerCase();
  if (dependency === '' || !Object.hasOwn(parts, words)) return 'unknown';
  return { name: 'ignore', part: parts[words as keyof typeof parts], dependency };
}
