/** The parameters of BM25, with the length of an average source file in words. */
const k1 = 1.2;
const b = 0.75;
const averageLength = 600;

const bundled =
  /(?:^|\/)(?:node_modules|bower_components|vendor|third[_-]?party|dist|out|build|target|coverage|__snapshots__)\//i;
const generated =
  /(?:[.-]min\.(?:js|css|mjs)|\.map|\.lock|(?:^|\/)(?:package-lock|npm-shrinkwrap|composer)\.json|pnpm-lock\.yaml|go\.sum|\.snap|\.svg|_pb2?\.[a-z]+|\.generated\.\w+)$/i;
const test = /(?:^|\/)(?:tests?|specs?|__tests__|fixtures?|examples?)\/|[._-](?:test|spec)\.\w+$/i;

/**
 * The weight of a file: BM25's share for a word that occurs once, lowered for third-party and generated files, and a little for
 * tests. The index doesn't store frequencies.
 */
export function weightOf(path: string, words: number): number {
  const share = (k1 + 1) / (1 + k1 * (1 - b + (b * words) / averageLength));
  return Math.fround(share * (generated.test(path) ? 0.2 : bundled.test(path) ? 0.3 : test.test(path) ? 0.8 : 1));
}
