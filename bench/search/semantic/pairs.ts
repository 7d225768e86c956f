import { readFile } from 'node:fs/promises';
import { identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';

/** A query, and the one issue that it describes in other words. */
export type Pair = { query: string; title: string; body: string };

export async function readPairs(): Promise<Pair[]> {
  const text = await readFile(new URL('./pairs.jsonl', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): Pair => JSON.parse(line));
}

/** Words that say nothing about the topic of a text. */
const empty = new Set(
  `a about after all also although always an and another any are as at be been before but by can cannot could do does
  doesn don each every few for from had has have he how i if in into is isn it its just m many may me might more most
  much must my never no nor not of off on once one only onto or other our out over s shall she should so some still t
  than that the their them then there these they this those though to too two until up us ve was we were what when where
  which while who why will with without won would yet you your`.split(/\s+/),
);

const endings = 'ations ation ings ing ions ion ies ied ers er ed es s ly e y'.split(' ');

/** A word roughly without its ending, so that `merge` and `merged` are equal. */
function stemOf(word: string): string {
  const ending = endings.find((one) => word.endsWith(one) && word.length - one.length >= 3);
  const stem = ending ? word.slice(0, -ending.length) : word;
  return stem.length > 3 && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem;
}

/** The words of a text in the form of the search index. */
export const wordsOf = (text: string): string[] => identifiersOf(text).flatMap(lexemesOf);

/** The significant words that a query and its issue have in common. The pairs should have none. */
export function commonWords({ query, title, body }: Pair): string[] {
  const worth = (text: string): string[] => wordsOf(text).filter((word) => !empty.has(word));
  const issue = new Set(worth(`${title}\n${body}`).map(stemOf));
  return worth(query).filter((word) => issue.has(stemOf(word)));
}
