import { valid } from '@renovatebot/pep440';
import { parse as parseToml } from 'smol-toml';
import {
  type Dependency,
  decode,
  fieldOf,
  fieldsOf,
  itemsOf,
  linesOf,
  type Parser,
  parseObject,
  pythonName,
  shortVersion,
  textOf,
} from './dependency.ts';

/** Longer requirements pin no version. A regular expression on megabytes may overflow the stack. */
const maxPinned = 1_000;

const pinned = (requirement: string): string | null => {
  if (requirement.length > maxPinned) return null;
  const version = shortVersion(/^={2,3}\s*([^\s,*;]+)$/.exec(requirement.trim())?.[1]);
  return version !== null && valid(version) ? version : null;
};

const python = (name: string, more: Omit<Dependency, 'ecosystem' | 'name'>): Dependency => ({
  ecosystem: 'pip',
  name: pythonName(name),
  ...more,
});

const nameAtStart = /^[a-z\d](?:[\w.-]*[a-z\d])?/i;

/** `requirements.txt` and its variants. Options, addresses and included files aren't followed. */
export const parseRequirements: Parser = function* (content, path) {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const scope = /dev|test/i.test(file) ? 'development' : 'runtime';
  for (const line of joinedLines(content)) {
    yield undefined;
    const written = line.replace(/(?:^|\s)#.*$/, '').trim();
    const name = nameAtStart.exec(written)?.[0];
    if (name === undefined) continue;
    const rest = written.slice(name.length).trim();
    const [afterExtras = ''] = [rest.startsWith('[') ? rest.slice(rest.indexOf(']') + 1) : rest];
    if (rest.startsWith('[') && !rest.includes(']')) continue;
    const requirement = (afterExtras.split(';')[0] ?? '').split(' --')[0]?.trim() ?? '';
    // A word followed by other text isn't a requirement, for example in an error page that was saved under this name.
    if (requirement !== '' && !/^[=<>!~@(]/.test(requirement)) continue;
    yield python(name, { version: pinned(requirement), requirement: requirement || null, scope, relationship: 'direct' });
  }
};

/** The lines, joined if they end with a backslash. Longer ones declare nothing. */
function* joinedLines(content: Buffer): Generator<string> {
  let pieces: string[] = [];
  let length = 0;
  for (const line of linesOf(content)) {
    const isContinued = line.endsWith('\\');
    length += line.length;
    if (length <= maxLine) pieces.push(isContinued ? line.slice(0, -1) : line);
    yield isContinued || length > maxLine ? '' : pieces.join(' ');
    if (!isContinued) [pieces, length] = [[], 0];
  }
}

const maxLine = 16_384;

/** `poetry.lock`. It doesn't say which packages are direct. */
export const parsePoetryLock: Parser = function* (content) {
  for (const entry of itemsOf(fieldOf(parseToml(decode(content)), 'package'))) {
    const name = textOf(fieldOf(entry, 'name'));
    if (name === null) continue;
    const groups = itemsOf(fieldOf(entry, 'groups'));
    const isForDevelopment = fieldOf(entry, 'category') === 'dev' || (groups.length > 0 && !groups.includes('main'));
    const version = shortVersion(textOf(fieldOf(entry, 'version')));
    yield python(name, {
      version: version !== null && valid(version) ? version : null,
      requirement: null,
      scope: isForDevelopment ? 'development' : 'runtime',
      relationship: 'unknown',
    });
  }
};

/** `Pipfile.lock`. */
export const parsePipfileLock: Parser = function* (content) {
  const root = yield* parseObject(content);
  for (const [field, scope] of [
    ['default', 'runtime'],
    ['develop', 'development'],
  ] as const)
    for (const [name, entry] of Object.entries(fieldsOf(fieldOf(root, field)))) {
      const requirement = textOf(fieldOf(entry, 'version'));
      yield python(name, {
        version: requirement === null ? null : pinned(requirement),
        requirement,
        scope,
        relationship: 'unknown',
      });
    }
};
