/** Thrown by the lookup of a path resource for a former name. The request is redirected to the current name. */
export class Renamed extends Error {
  /** The path word that holds the name. */
  readonly word: string;
  readonly newName: string;

  constructor(word: string, newName: string) {
    super('Moved Permanently');
    this.word = word;
    this.newName = newName;
  }
}
