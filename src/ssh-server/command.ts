import { type Service, services } from '#git/transport/smart-http.ts';

/** What a client asks for: a service of Git in a repository. */
export type GitCommand = { service: Service; owner: string; name: string };

/** More characters than any command of Git about a repository has. */
const maxCommand = 1_024;

/**
 * Parses the command that `git` sends, as `git-upload-pack 'ada/engine.git'`. Undefined for every other one. A path that can be no
 * repository's has an empty owner or name, which no repository has.
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

/** One word of a shell's command line, which `git` puts between single quotes; undefined for more than one. */
function unquoted(word: string): string | undefined {
  return word.startsWith("'") ? /^'([^'\\]*)'$/.exec(word)?.[1] : /^[^\s'"\\$`;&|<>()*?#]+$/.exec(word)?.[0];
}
