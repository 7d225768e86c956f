/** Thrown by the lookup of a path resource for a former name of it: the request is redirected to the present one. */
export class Renamed extends Error {
  /** The word of the path that holds the name. */
  readonly word: string;
  readonly newName: string;

  constructor(word: string, newName: string) {
    super('Moved Permanently');
    this.word = word;
    this.newName = newName;
  }
}
