import { type Dependency, linesOf, type Parser } from './dependency.ts';

type Requirement = { name: string; version: string | null; isIndirect: boolean };

/**
 * `go.mod`, with its replacements. `go.sum` isn't read, since it also contains checksums of versions that a build doesn't use,
 * and since Go 1.17 `go.mod` lists all modules of a build.
 */
export const parseGoMod: Parser = function* (content): Generator<Dependency | undefined> {
  const required: Requirement[] = [];
  const replaced = new Map<string, { name: string; version: string | null }>();
  let isModule = false;
  for (const directive of directives(content)) {
    yield undefined;
    if (!directive) continue;
    const { verb, words, comment } = directive;
    isModule ||= verb === 'module';
    const [name = '', version = ''] = words;
    if (verb === 'require' && words.length === 2) required.push({ name, version, isIndirect: /^indirect\b/.test(comment) });
    const arrow = verb === 'replace' ? words.indexOf('=>') : -1;
    const [target, targetVersion = null] = arrow < 0 ? [] : words.slice(arrow + 1);
    // A file system path is a folder in or next to the repository, whose version is unknown.
    if (target !== undefined) replaced.set(words.slice(0, arrow).join(' '), { name: target, version: targetVersion });
  }
  if (!isModule) throw new Error('no module');
  for (const { name, version, isIndirect } of required) {
    const other = replaced.get(`${name} ${version}`) ?? replaced.get(name);
    const isLocal = other !== undefined && other.version === null;
    yield {
      ecosystem: 'go',
      name: isLocal ? name : (other?.name ?? name),
      version: isLocal ? null : (other?.version ?? version),
      requirement: isLocal ? other.name : null,
      scope: 'runtime',
      relationship: isIndirect ? 'transitive' : 'direct',
    };
  }
};

/** The maximum length of a line. Longer ones declare nothing. */
const maxLine = 4_096;

type Directive = { verb: string; words: string[]; comment: string };

/** The directives of the file, one for each line of a block; undefined for lines without one. */
function* directives(content: Buffer): Generator<Directive | undefined> {
  let block: string | undefined;
  for (const line of linesOf(content)) {
    yield undefined;
    if (line.length > maxLine) continue;
    const start = line.indexOf('//');
    const written = (start < 0 ? line : line.slice(0, start)).trim();
    const comment = start < 0 ? '' : line.slice(start + 2).trim();
    const words = written.split(/\s+/).map((word) => word.replace(/^["`](.*)["`]$/, '$1'));
    if (written === '') continue;
    if (block !== undefined) {
      if (written === ')') block = undefined;
      else yield { verb: block, words, comment };
    } else if (words.at(-1) === '(') block = words[0];
    else yield { verb: words[0] ?? '', words: words.slice(1), comment };
  }
}
