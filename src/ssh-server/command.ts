import { type Service, services } from '#git/transport/smart-http.ts';

/** A client's command: a Git service in a repository. */
export type GitCommand = { service: Service; owner: string; name: string };

/** Longer than any Git command for a repository. */
const maxCommand = 1_024;

/**
 * Parses the command that `git` sends, such as `git-upload-pack 'ada/engine.git'`. Undefined for other commands. If the path
 * can't be a repository's, the owner or name is empty, which matches no repository.
 */
export function parseCommand(text: string): GitCommand | undefined {
  if (text.length > maxCommand) return undefined;
  const [, verb = '', argument = ''] = /^git[ -]([a-z-]+) +(\S.*?) *$/.exec(text) ?? [];
  const service = services.find((name) => name === `git-${verb}`);
  const path = service && unquoted(argument);
  if (!service || path === undefined) return undefined;
  const [owner = '', name = '', ...rest] = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return rest.length > 0 ? { service, owner: '', name: '' } : { service, owner, name };
}

/** One word of a shell's command line, which `git` puts in single quotes; undefined for more than one word. */
function unquoted(word: string): string | undefined {
  return word.startsWith("'") ? /^'([^'\\]*)'$/.exec(word)?.[1] : /^[^\s'"\\$`;&|<>()*?#]+$/.exec(word)?.[0];
}
