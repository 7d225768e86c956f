// Where a repository has its file of code owners, and what it says.

import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { fixedValue } from '#lib/limits.ts';
import { findEntry, isFile } from '#resources/code/contents/index.ts';
import { codeOwnerLimits } from './limits.ts';
import { type CodeOwners, parseCodeOwners } from './parse.ts';

/** The places where it may be: the first that there is counts. */
const candidates = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

const maxBytes = fixedValue(codeOwnerLimits.codeOwnersFile);

/** A file of code owners. `owners` is undefined where it is too large to be used. */
export type CodeOwnersFile = { readonly path: string; readonly owners: CodeOwners | undefined };

/** The file of code owners of a commit; undefined where there is none. */
export async function findCodeOwners(reader: ObjectReader, commit: Oid): Promise<CodeOwnersFile | undefined> {
  for (const path of candidates) {
    const entry = await findEntry(reader, commit, path);
    if (!entry || !isFile(entry)) continue;
    if (entry.size > maxBytes) return { path, owners: undefined };
    const { data } = await reader.get(entry.oid);
    return { path, owners: await parseCodeOwners(data.toString('utf8').replace(/^\uFEFF/, '')) };
  }
  return undefined;
}
