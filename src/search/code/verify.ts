import { openObjects } from '#git/objects.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { phrasePattern } from '#search/text-match/pattern.ts';
import { maxFileSize, textOf } from './document.ts';
import type { CodeHit } from './hits.ts';
import type { Places, Terms } from './terms.ts';

type Blob = Pick<CodeHit, 'repositoryId' | 'blobOid'>;

/** The texts of files, read from Git: those of one repository together. What is gone by now is missing. */
export async function readTexts(git: GitStore, files: readonly Blob[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const groups = Map.groupBy(files, ({ repositoryId }) => repositoryId);
  await Promise.all(
    [...groups].map(async ([repositoryId, blobs]) => {
      await using reader = await openObjects(repoOf(git, repositoryId));
      const oids = [...new Set(blobs.map(({ blobOid }) => blobOid))];
      for await (const read of reader.readMany(oids, { maxSize: maxFileSize })) {
        if ('object' in read) texts.set(read.oid, textOf(read.object.data));
      }
    }),
  );
  return texts;
}

/** Whether a file really matches: what the lexemes alone don't tell, phrases above all. */
export function makeCheck(terms: Terms, places: Places): (path: string, text: string) => boolean {
  const test = checkOf(terms);
  return (path, text) => {
    const parts = [...(places.file ? [text] : []), ...(places.path ? [path] : [])].map(inspected);
    return test(parts);
  };
}

type Inspected = { text: string; lexemes(): Set<string> };
type Test = (parts: readonly Inspected[]) => boolean;

function inspected(text: string): Inspected {
  let lexemes: Set<string> | undefined;
  return {
    text,
    lexemes() {
      lexemes ??= new Set(identifiersOf(text).flatMap(lexemesOf));
      return lexemes;
    },
  };
}

function checkOf(terms: Terms): Test {
  if (terms.kind === 'words') {
    const { phrase } = terms;
    if (!phrase)
      return (parts) => terms.terms.every((term) => parts.some((part) => term.lexemes.every((word) => part.lexemes().has(word))));
    const pattern = phrasePattern(terms.terms);
    return (parts) => parts.some(({ text }) => text.search(pattern) >= 0);
  }
  if (terms.kind === 'not') {
    const inner = checkOf(terms.part);
    return (parts) => !inner(parts);
  }
  const inner = terms.parts.map(checkOf);
  return terms.kind === 'all' ? (parts) => inner.every((test) => test(parts)) : (parts) => inner.some((test) => test(parts));
}
