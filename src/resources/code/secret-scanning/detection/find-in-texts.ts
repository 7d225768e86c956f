// Secrets in texts of issues and pull requests.
import { periodicYield } from '#lib/turns.ts';
import type { Text, TextLocation } from '../scans/text-store.ts';
import { matchesIn, type Secret, type SecretSearch, secretOf } from './find-secrets.ts';

/** A secret in a text. Places in texts have no lines, as in the public API. */
export type SecretInText = Secret & { readonly text: TextLocation };

/** The secrets in texts. */
export async function* findInTexts(search: SecretSearch, texts: readonly Text[]): AsyncGenerator<SecretInText> {
  const yieldNow = periodicYield();
  for (const { text, repository_id: _, part, issue_id, comment_id, review_id, review_comment_id } of texts) {
    const location = { part, issue_id, comment_id, review_id, review_comment_id };
    for await (const match of matchesIn(Buffer.from(text), search, yieldNow)) yield { ...secretOf(match), text: location };
  }
}
