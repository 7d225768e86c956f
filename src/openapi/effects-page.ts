import type { Endpoint } from '#endpoint/endpoint.ts';

const introduction = `# Effects

What changes in the world when an operation is called? This page answers for each family of operations that write, in one
sentence, and names the tests that show it: each calls the operation, and finds the change where somebody would meet it.
Operations that only read are left out; what each one asks for and answers is in the OpenAPI document.

\`npm run docs\` makes this page from the declarations of the families and from the names of the tests. A test fails if it is
stale, if an operation that writes has no test here, or if a test that is named doesn't exist or doesn't call the operation.`;

/** A test that shows the effects of operations. */
export type ShownBy = { readonly file: string; readonly name: string };

/** A family that writes, with the tests of each of its writing operations. */
export type FamilyEffects = {
  readonly name: string;
  /** The product that it belongs to. */
  readonly product: string;
  readonly effect: string;
  readonly page: string | undefined;
  readonly operations: readonly { readonly endpoint: Pick<Endpoint, 'method' | 'path'>; readonly tests: readonly ShownBy[] }[];
};

/** Makes the page of what operations change, by product and family. */
export function makeEffectsPage(families: readonly FamilyEffects[]): string {
  const products = [...Map.groupBy(families, ({ product }) => product)].map(([product, members]) =>
    [`## ${product.charAt(0).toUpperCase()}${product.slice(1)}`, ...members.map(familySection)].join('\n\n'),
  );
  return `${[introduction, ...products].join('\n\n')}\n`;
}

function familySection({ name, effect, page, operations }: FamilyEffects): string {
  const groups = [...Map.groupBy(operations, ({ tests }) => tests.map(testLink).join('; ')).entries()];
  const lines = groups.map(
    ([links, members]) => `- ${members.map(({ endpoint }) => operationText(endpoint)).join(', ')}: ${links}`,
  );
  const title = page === undefined ? name : `[${name}](${page})`;
  return [`### ${title}\n${effect}\n`, ...lines].join('\n');
}

const operationText = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `\`${method} ${path}\``;

/** Placeholders of repeated tests are shown as dots. */
const testLink = ({ file, name }: ShownBy): string => `[${name.replaceAll(/%\w|\$\w+/g, '…')}](../${file})`;
