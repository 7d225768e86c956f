/**
 * The names of emojis and their images. The public API's emojis without a Unicode character, for example `octocat`, are missing.
 */
type Catalogue = {
  /** The file of each name's image. */
  readonly files: ReadonlyMap<string, string>;
  /** The character of each file. */
  readonly characters: ReadonlyMap<string, string>;
};

let loaded: Promise<Catalogue> | undefined;

/** Loads the catalogue on first use. */
const catalogue = (): Promise<Catalogue> => {
  loaded ??= load();
  return loaded;
};

async function load(): Promise<Catalogue> {
  const { gemoji } = await import('gemoji');
  return {
    files: new Map(gemoji.flatMap(({ emoji, names }) => names.map((name): [string, string] => [name, fileOf(emoji)]))),
    characters: new Map(gemoji.map(({ emoji }) => [fileOf(emoji), emoji])),
  };
}

/** The code points of an emoji, as in `1f469-200d-1f52c.svg`. */
const fileOf = (emoji: string): string => `${Array.from(emoji, (one) => one.codePointAt(0)?.toString(16)).join('-')}.svg`;

/** The file of each name's image. */
export const imageFiles = async (): Promise<ReadonlyMap<string, string>> => (await catalogue()).files;

/** The image in a file: the emoji's character, in the viewer's own font. Undefined if the file doesn't exist. */
export async function findImage(file: string): Promise<string | undefined> {
  const character = (await catalogue()).characters.get(file);
  return (
    character &&
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64"><text x="32" y="32" ' +
      `font-size="52" text-anchor="middle" dominant-baseline="central">${character}</text></svg>\n`
  );
}
